import { expect, test } from '@playwright/test';
import { type LedgerEntry, readLedger } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { observe } from '../../../src/redact/redact.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { createRandom } from '../../../src/sweep/paging.ts';
import { deriveNodeFaults } from '../proof/derived.ts';
import type { Fault } from '../proof/faults/fault.ts';
import { runs, seed } from '../soak.ts';
import { acceptViolations, contract, createReport, ledger } from './accepting.ts';

const ledgerEntries = readLedger(ledger, contract);

async function findFaultFindings(fault: Fault, entries: LedgerEntry[] = ledgerEntries): Promise<Finding[]> {
  const operation = contract.operations.find(({ id }) => fault.breaks.startsWith(`${id}/`));
  if (!operation) throw new Error(`no operation for ${fault.breaks}`);
  const request = { operation: operation.id, parameters: {} };
  const redactedRequest = { ...request, configured: false, exchange: 'GET /', repeat: '' };
  const mockRequest = { ...request, method: 'GET', path: '/', headers: {}, ordinal: 1 };
  const findingsOfExamples = Object.values(operation.examples).map(async ({ value }) => {
    const response = { status: operation.status, headers: {}, body: structuredClone(value) };
    const { status, body } = await fault.alter(response as never, mockRequest as never);
    const text = Buffer.from(JSON.stringify(body) ?? '');
    const exchange = { status, headers: { 'content-type': operation.mediaType }, body: text };
    const judgedExchange = { operation, parameters: {}, response: exchange };
    return observe(judgedExchange, redactedRequest, { entries, secrets: new Secrets() }).observation.findings;
  });
  const findings = (await Promise.all(findingsOfExamples)).flat();
  return findings.filter(({ requirement }) => requirement === fault.breaks);
}

const selectViolations = (findings: Finding[]) => findings.filter(({ kind }) => kind === 'violation');
const describeFindings = (findings: Finding[]) =>
  [...new Set(findings.map(({ actual }) => actual))].sort().join('\n');

/** Chooses schema faults: all of the fields `expiration_date` and `physical_status` of a card, and those of random requirements. */
function chooseFaults(): Fault[] {
  const candidates = deriveNodeFaults().filter(({ observed }) => !observed);
  const random = createRandom(seed);
  const rankByAddress = new Map(candidates.map(({ breaks }) => [breaks, random()]));
  const lowestRanks = [...rankByAddress]
    .toSorted(([, firstRank], [, secondRank]) => firstRank - secondRank)
    .slice(0, runs(3));
  const chosenAddresses = new Set(lowestRanks.map(([breaks]) => breaks));
  const isOfManyFaults = (address: string) => /card\/(expiration_date|physical_status)$/.test(address);
  return candidates.filter(({ breaks }) => chosenAddresses.has(breaks) || isOfManyFaults(breaks));
}

interface FaultFindings {
  fault: Fault;
  findings: Finding[];
}

/** Accepts a fault as a known deviation. Lists faults that are then wrongly accepted or rejected, or whose findings read alike. */
async function findMistakes(
  { fault, findings }: FaultFindings,
  otherFaults: FaultFindings[],
): Promise<string[]> {
  const entries = readLedger(acceptViolations(fault.breaks, createReport(fault.breaks, findings)), contract);
  const toleratedFindings = await findFaultFindings(fault, entries);
  const hasReason = toleratedFindings.some(({ because }) => because === 'The old gateway does this.');
  const mistakes: string[] = [];
  if (selectViolations(toleratedFindings).length > 0 || !hasReason)
    mistakes.push(`${fault.name} is not tolerated`);
  for (const otherFault of otherFaults) {
    // The ledger stores no values: two wrong dates of equal shape are one deviation.
    const isAlike = describeFindings(otherFault.findings) === describeFindings(findings);
    const isStillViolation = selectViolations(await findFaultFindings(otherFault.fault, entries)).length > 0;
    const otherName = otherFault.fault.name;
    if (isAlike && isStillViolation) mistakes.push(`${otherName} kills after ${fault.name}`);
    if (!isAlike && !isStillViolation) mistakes.push(`${otherName} survives after ${fault.name}`);
    if (isAlike && !/\/(expiration_date|p_created_at)$/.test(fault.breaks))
      mistakes.push(`${otherName} reads like ${fault.name}`);
  }
  return mistakes;
}

test('each of at least 30 accepted faults is tolerated and reported, and every other fault is still killed', async () => {
  const faultFindings = chooseFaults().map(async (fault) => ({
    fault,
    findings: selectViolations(await findFaultFindings(fault)),
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
