import { expect, test } from '@playwright/test';
import type { MockRequest } from '../../../mock/server.ts';
import type { Operation } from '../../../schemas/contract/contract.ts';
import { type LedgerEntry, readLedger } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { observe } from '../../../src/redact/redact.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { createRandom } from '../../../src/sweep/paging.ts';
import { deriveNodeFaults } from '../proof/derived.ts';
import type { Fault } from '../proof/faults/fault.ts';
import { runs, seed } from '../soak.ts';
import { acceptViolations, contract, createReport, ledger } from './accepting.ts';

const ledgerEntries = readLedger(ledger, contract);

/** Judges the examples of an operation, changed by a fault. Returns the findings of the requirement that the fault violates. */
async function judgeExamplesWith(fault: Fault, entries: LedgerEntry[] = ledgerEntries): Promise<Finding[]> {
  const operation = contract.operations.find(({ id }) => fault.breaks.startsWith(`${id}/`));
  if (!operation) throw new Error(`no operation for ${fault.breaks}`);
  const request = { operation: operation.id, parameters: {}, configured: false, exchange: '', repeat: '' };
  const findings: Finding[] = [];
  for (const { value } of Object.values(operation.examples)) {
    const response = await changeExample(operation, value, fault);
    const exchange = { operation, parameters: {}, response };
    findings.push(...observe(exchange, request, { entries, secrets: new Secrets() }).observation.findings);
  }
  return findings.filter(({ requirement }) => requirement === fault.breaks);
}

async function changeExample(operation: Operation, example: unknown, fault: Fault): Promise<HttpResponse> {
  const mockResponse = { status: operation.status, headers: {}, body: structuredClone(example) };
  const { id } = operation;
  const mockRequest = { operation: id, method: 'GET', path: '/', parameters: {}, headers: {}, ordinal: 1 };
  const { status, body } = await fault.alter(mockResponse, mockRequest as MockRequest);
  const text = JSON.stringify(body) ?? '';
  return { status, headers: { 'content-type': operation.mediaType }, body: Buffer.from(text) };
}

const selectViolations = (findings: Finding[]) => findings.filter(({ kind }) => kind === 'violation');
const describeFindings = (findings: Finding[]) =>
  [...new Set(findings.map(({ actual }) => actual))].sort().join('\n');

/** Chooses all faults of the card fields `expiration_date` and `physical_status`, and of three fields drawn at random. */
function chooseFaults(): Fault[] {
  const candidates = deriveNodeFaults().filter(({ observed }) => !observed);
  const addresses = [...new Set(candidates.map(({ breaks }) => breaks))];
  const cardAddresses = addresses.filter((address) =>
    /card\/(expiration_date|physical_status)$/.test(address),
  );
  const random = createRandom(seed);
  const draw = () => addresses[Math.floor(random() * addresses.length)] ?? '';
  const drawnAddresses = new Set<string>();
  while (drawnAddresses.size < Math.min(runs(3), addresses.length)) drawnAddresses.add(draw());
  const chosenAddresses = new Set([...cardAddresses, ...drawnAddresses]);
  return candidates.filter(({ breaks }) => chosenAddresses.has(breaks));
}

interface FaultFindings {
  fault: Fault;
  findings: Finding[];
}

/** Writes a ledger that accepts a fault. Lists the mistakes: it also accepts other faults, or rejects a fault with the same findings. */
async function findMistakes(
  { fault, findings }: FaultFindings,
  otherFaults: FaultFindings[],
): Promise<string[]> {
  const entries = readLedger(acceptViolations(fault.breaks, createReport(fault.breaks, findings)), contract);
  const acceptedFindings = await judgeExamplesWith(fault, entries);
  const hasReason = acceptedFindings.some(({ because }) => because === 'The old gateway does this.');
  const mistakes: string[] = [];
  if (selectViolations(acceptedFindings).length > 0 || !hasReason)
    mistakes.push(`${fault.name} is not accepted`);
  // The ledger stores no values: two wrong dates of equal shape are one deviation.
  const mayShareFindings = /\/(expiration_date|p_created_at)$/.test(fault.breaks);
  for (const { fault: otherFault, findings: otherFindings } of otherFaults) {
    const hasSameFindings = describeFindings(otherFindings) === describeFindings(findings);
    const isViolation = selectViolations(await judgeExamplesWith(otherFault, entries)).length > 0;
    if (hasSameFindings === isViolation)
      mistakes.push(`${otherFault.name} is ${isViolation ? 'not ' : ''}accepted with ${fault.name}`);
    if (hasSameFindings && !mayShareFindings)
      mistakes.push(`${otherFault.name} has the findings of ${fault.name}`);
  }
  return mistakes;
}

test('each of at least 30 accepted faults is tolerated and reported, and every other fault is still killed', async () => {
  const faultFindings = chooseFaults().map(async (fault) => ({
    fault,
    findings: selectViolations(await judgeExamplesWith(fault)),
  }));
  const faultsWithFindings = (await Promise.all(faultFindings)).filter(({ findings }) => findings.length > 0);
  expect(faultsWithFindings.length).toBeGreaterThanOrEqual(30);
  for (const faultFinding of faultsWithFindings) {
    const otherFaults = faultsWithFindings.filter(
      ({ fault }) => fault !== faultFinding.fault && fault.breaks === faultFinding.fault.breaks,
    );
    expect(await findMistakes(faultFinding, otherFaults)).toEqual([]);
  }
});
