import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { RequestContext } from '../../../src/operations/request.ts';
import { Session } from '../../../src/operations/session.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { getComparedListIds } from '../../../src/run/run-session.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { openClient } from '../harness/provider.ts';
import { requestAll } from '../harness/request-all.ts';
import { readOperationId } from '../proof/faults/fault.ts';
import { allFaults } from '../proof/faults/index.ts';

const contract = loadContract();
const { target } = readConfiguration({}, '/nonexistent');

/** Sends the requests of a run of one operation: to check the API, for the lists with which the operation is compared, and its own. */
async function requestAlone(context: RequestContext, operationId: string): Promise<Observation[]> {
  const session = new Session(context, randomUUID());
  const check = await session.checkApi();
  const lists = contract.operations.filter(({ id }) => id === operationId).flatMap(getComparedListIds);
  const results = [check];
  for (const operation of new Set([...lists, operationId])) results.push(await session.run(operation));
  const observations = results.flatMap(({ requests, contradictions }) => [
    ...requests.map(({ observation }) => observation),
    ...contradictions,
  ]);
  // The request that checks the API also belongs to the requests of its operation.
  return [...new Set(observations)];
}

function evaluateOperation(observations: Observation[], id: string) {
  const results = evaluate(contract, target, { run: undefined, observations });
  const omitRequestId = ({ id: _, against, ...finding }: Finding) => ({
    ...finding,
    against: against && { ...against, id: '' },
  });
  return results.requirementResults
    .filter(({ operation }) => operation === id)
    .map(({ address, verdict, reason, findings }) => ({
      address,
      verdict,
      reason,
      findings: findings.map(omitRequestId),
    }));
}

async function judgeAloneAndWithAll(alter: Alter | undefined, id: string) {
  const createContext = async () => {
    const client = await openClient({ network: false, ...(alter ? { alter } : {}) }, target);
    const secrets = new Secrets(collectSecrets(target));
    return { contract, target, client, entries: contract.ledger, secrets };
  };
  const observations = await requestAlone(await createContext(), id);
  const allObservations = await requestAll(await createContext());
  return { alone: evaluateOperation(observations, id), withAll: evaluateOperation(allObservations, id) };
}

for (const { id } of contract.operations)
  test(`the verdicts on ${id} of a conforming provider do not depend on the selection of other operations`, async () => {
    const { alone: verdictsAlone, withAll: verdictsWithAll } = await judgeAloneAndWithAll(undefined, id);
    expect(verdictsAlone).toEqual(verdictsWithAll);
  });

const sample = allFaults.filter((_, index) => index % Math.floor(allFaults.length / 30) === 0);
for (const fault of sample)
  test(`the verdicts on "${fault.name}" do not depend on the selection of other operations`, async () => {
    const { alone: verdictsAlone, withAll: verdictsWithAll } = await judgeAloneAndWithAll(
      fault.alter,
      readOperationId(fault.breaks),
    );
    expect(verdictsAlone).toEqual(verdictsWithAll);
    expect(verdictsAlone.some(({ verdict }) => verdict !== 'pass')).toBe(true);
  });

// The first requests of a run are of the other operations; a response to getCard is no evidence for them.
const replyToCardsOnly: Alter | undefined = (response, { operation }) =>
  operation === 'getCard'
    ? response
    : { ...response, status: 200, headers: { 'content-type': 'text/html' }, raw: Buffer.from('<p>') };
for (const { id } of contract.operations)
  test(`the verdicts on ${id} do not depend on the selection of other operations if only getCard responds`, async () => {
    const { alone: verdictsAlone, withAll: verdictsWithAll } = await judgeAloneAndWithAll(
      replyToCardsOnly,
      id,
    );
    expect(verdictsAlone).toEqual(verdictsWithAll);
    expect(verdictsAlone.some(({ verdict }) => verdict === 'blocked')).toBe(id !== 'getCard');
  });
