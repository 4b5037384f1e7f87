import { expect, test } from '@playwright/test';
import { type Entry, readLedger } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { observe } from '../../../src/redact/redact.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { randomOf } from '../../../src/sweep/paging.ts';
import { derivedFaults } from '../proof/derived.ts';
import type { Fault } from '../proof/faults/fault.ts';
import { runs, seed } from '../soak.ts';
import { accepted, contract, ledger, reportWith } from './accepting.ts';

const known = readLedger(ledger, contract);

/** What is found in the contract's own examples once a fault has gone through them, as a report holds it. */
async function findingsOf(fault: Fault, entries: Entry[] = known): Promise<Finding[]> {
  const operation = contract.operations.find(({ id }) => fault.breaks.startsWith(`${id}/`));
  if (!operation) throw new Error(`no operation for ${fault.breaks}`);
  const request = { operation: operation.id, parameters: {} };
  const sent = { ...request, configured: false, exchange: 'GET /', repeat: '' };
  const asked = { ...request, method: 'GET', path: '/', headers: {}, ordinal: 1 };
  const all = Object.values(operation.examples).map(async ({ value }) => {
    const answer = { status: operation.status, headers: {}, body: structuredClone(value) };
    const { status, body } = await fault.alter(answer as never, asked as never);
    const text = Buffer.from(JSON.stringify(body) ?? '');
    const exchange = { status, headers: { 'content-type': operation.mediaType }, body: text };
    const asAnswered = { operation, parameters: {}, answer: exchange };
    return observe(asAnswered, sent, { entries, secrets: new Secrets() }).observation.findings;
  });
  return (await Promise.all(all)).flat().filter(({ requirement }) => requirement === fault.breaks);
}

const violations = (findings: Finding[]) => findings.filter(({ kind }) => kind === 'violation');
const described = (findings: Finding[]) =>
  [...new Set(findings.map(({ actual }) => actual))].sort().join('\n');

/** Faults of schema nodes: those of two requirements with many, and of some others, in soak of nearly all. */
function chosenFaults(): Fault[] {
  const all = derivedFaults().filter(({ observed }) => !observed);
  const random = randomOf(seed);
  const ranks = new Map(all.map(({ breaks }) => [breaks, random()]));
  const drawn = [...ranks].toSorted(([, one], [, other]) => one - other).slice(0, runs(3));
  const chosen = new Set(drawn.map(([breaks]) => breaks));
  return all.filter(
    ({ breaks }) => chosen.has(breaks) || /card\/(expiration_date|physical_status)$/.test(breaks),
  );
}

interface Found {
  fault: Fault;
  findings: Finding[];
}

/** What is wrong once a fault is accepted: it must be tolerated, with the reason, and each other one must still kill. */
async function mistakesAfter({ fault, findings }: Found, others: Found[]): Promise<string[]> {
  const entries = readLedger(accepted(fault.breaks, reportWith(fault.breaks, findings)), contract);
  const tolerated = await findingsOf(fault, entries);
  const isTold = tolerated.some(({ because }) => because === 'The old gateway does this.');
  const mistakes: string[] = [];
  if (violations(tolerated).length > 0 || !isTold) mistakes.push(`${fault.name} is not tolerated`);
  for (const other of others) {
    // Values are not kept: two wrong dates of the same shape are one break.
    const alike = described(other.findings) === described(findings);
    const kills = violations(await findingsOf(other.fault, entries)).length > 0;
    if (kills === alike)
      mistakes.push(`${other.fault.name} ${kills ? 'kills' : 'survives'} after ${fault.name}`);
    if (alike && !/\/(expiration_date|p_created_at)$/.test(fault.breaks))
      mistakes.push(`${other.fault.name} reads like ${fault.name}`);
  }
  return mistakes;
}

test('of 30 faults and more, each accepted alone: tolerated and reported, and each other one still kills', async () => {
  const all = chosenFaults().map(async (fault) => ({ fault, findings: violations(await findingsOf(fault)) }));
  const found = (await Promise.all(all)).filter(({ findings }) => findings.length > 0);
  expect(found.length).toBeGreaterThanOrEqual(30);
  for (const one of found) {
    const others = found.filter(({ fault }) => fault !== one.fault && fault.breaks === one.fault.breaks);
    expect(await mistakesAfter(one, others)).toEqual([]);
  }
});
