import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { Session } from '../../../src/operations/session.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { listsOf } from '../../../src/run/run-session.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { openClient } from '../harness/provider.ts';
import { requestAll } from '../harness/request-all.ts';
import { operationOf } from '../proof/faults/fault.ts';
import { allFaults } from '../proof/faults/index.ts';

const contract = loadContract();
const { target } = readConfiguration({}, '/nonexistent');

/** Observations of an operation alone, as a run has them that selects one of its requirements. */
async function requestAlone(context: Parameters<typeof requestAll>[0], id: string): Promise<Observation[]> {
  const session = new Session(context, randomUUID());
  const check = await session.checkApi();
  const lists = contract.operations.filter((operation) => operation.id === id).flatMap(listsOf);
  const results = [check];
  for (const operation of new Set([...lists, id])) results.push(await session.run(operation));
  const own = results.flatMap(({ requests, contradictions }) => [
    ...requests.map(({ observation }) => observation),
    ...contradictions,
  ]);
  // The first request is a request of its operation too.
  return own.filter((observation, index) => own.indexOf(observation) === index);
}

/** What a run says of each requirement of an operation, without the ids of its requests. */
function verdictsOf(observations: Observation[], id: string) {
  const results = evaluate(contract, target, { run: undefined, observations });
  const withoutId = ({ id: _, against, ...finding }: Finding) => ({
    ...finding,
    against: against && { ...against, id: '' },
  });
  return results.requirementResults
    .filter(({ operation }) => operation === id)
    .map(({ address, verdict, reason, findings }) => ({
      address,
      verdict,
      reason,
      findings: findings.map(withoutId),
    }));
}

async function judgeBothWays(alter: Parameters<typeof openClient>[0]['alter'], id: string) {
  const open = async () => {
    const client = await openClient({ network: false, ...(alter ? { alter } : {}) }, target);
    return { contract, target, client, entries: contract.ledger, secrets: new Secrets(secretsOf(target)) };
  };
  const [alone, whole] = [await requestAlone(await open(), id), await requestAll(await open())];
  return { alone: verdictsOf(alone, id), whole: verdictsOf(whole, id) };
}

for (const { id } of contract.operations)
  test(`the verdicts of ${id} do not depend on what else is selected, on a conforming provider`, async () => {
    const { alone, whole } = await judgeBothWays(undefined, id);
    expect(alone).toEqual(whole);
  });

const sample = allFaults.filter((_, index) => index % Math.floor(allFaults.length / 30) === 0);
for (const fault of sample)
  test(`the verdicts on "${fault.name}" do not depend on what else is selected`, async () => {
    const { alone, whole } = await judgeBothWays(fault.alter, operationOf(fault));
    expect(alone).toEqual(whole);
    expect(alone.some(({ verdict }) => verdict !== 'pass')).toBe(true);
  });

// The first requests of a run are of these operations: what a lookup of a card shows is no evidence for them.
const cardsAlone: Parameters<typeof openClient>[0]['alter'] = (answer, { operation }) =>
  operation === 'getCard'
    ? answer
    : { ...answer, status: 200, headers: { 'content-type': 'text/html' }, raw: Buffer.from('<p>') };
for (const { id } of contract.operations)
  test(`the verdicts of ${id} do not depend on what else is selected, where only cards are answered`, async () => {
    const { alone, whole } = await judgeBothWays(cardsAlone, id);
    expect(alone).toEqual(whole);
    expect(alone.some(({ verdict }) => verdict === 'blocked')).toBe(id !== 'getCard');
  });
