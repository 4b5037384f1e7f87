import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { findOperation, getComparedListIds } from '../../../src/operations/operation-file.ts';
import type { RequestContext } from '../../../src/operations/request.ts';
import { Session } from '../../../src/operations/session.ts';
import type { Finding, Observation } from '../../../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { openClient } from '../harness/provider.ts';
import { requestAll } from '../harness/request-all.ts';
import { readOperationId } from '../proof/faults/fault.ts';
import { allFaults } from '../proof/faults/index.ts';

const contract = loadContract();
const { target } = readConfiguration({}, '/nonexistent');

async function requestAlone(context: RequestContext, operationId: string): Promise<Observation[]> {
  const session = new Session(context, randomUUID());
  const results = [await session.checkApi()];
  // The customers of `getCustomer` are compared with those of `listCustomers`.
  const comparedListIds = getComparedListIds(findOperation(contract, operationId));
  const requestedIds = new Set([...comparedListIds, operationId]);
  for (const id of requestedIds) results.push(await session.run(id));
  const observations: Observation[] = [];
  for (const { requests, contradictions } of results)
    observations.push(...requests.map(({ observation }) => observation), ...contradictions);
  // Removes duplicates: the request that checks the API is also one of the requests of its operation.
  return [...new Set(observations)];
}

function evaluateOperation(observations: Observation[], operationId: string) {
  const { requirementResults } = evaluate(contract, target, { run: undefined, observations });
  const omitRequestIds = ({ id: _, against, ...finding }: Finding) => ({
    ...finding,
    against: against && { ...against, id: '' },
  });
  const resultsOfOperation = requirementResults.filter(({ operation }) => operation === operationId);
  return resultsOfOperation.map(({ address, verdict, reason, findings }) => ({
    address,
    verdict,
    reason,
    findings: findings.map(omitRequestIds),
  }));
}

async function judgeAloneAndWithAll(alter: Alter | undefined, operationId: string) {
  const createContext = async () => {
    const client = await openClient(alter ? { network: false, alter } : { network: false }, target);
    const secrets = new Secrets(collectSecrets(target));
    return { contract, target, client, entries: contract.ledger, secrets };
  };
  const observations = await requestAlone(await createContext(), operationId);
  const allObservations = await requestAll(await createContext());
  return {
    alone: evaluateOperation(observations, operationId),
    withAll: evaluateOperation(allObservations, operationId),
  };
}

for (const { id } of contract.operations)
  test(`the verdicts on ${id} of a conforming provider do not depend on the selection of other operations`, async () => {
    const { alone: verdictsAlone, withAll: verdictsWithAll } = await judgeAloneAndWithAll(undefined, id);
    expect(verdictsAlone).toEqual(verdictsWithAll);
  });

// The target of this test does not set FAIL_ON=undeclared.
const faults = allFaults.filter(({ needsFailOnUndeclared }) => !needsFailOnUndeclared);
const sample = faults.filter((_, index) => index % Math.floor(faults.length / 30) === 0);
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
const replyToCardsOnly: Alter = (response, { operation }) => {
  if (operation === 'getCard') return response;
  return { ...response, status: 200, headers: { 'content-type': 'text/html' }, raw: Buffer.from('<p>') };
};
for (const { id } of contract.operations)
  test(`the verdicts on ${id} do not depend on the selection of other operations if only getCard responds`, async () => {
    const { alone: verdictsAlone, withAll: verdictsWithAll } = await judgeAloneAndWithAll(
      replyToCardsOnly,
      id,
    );
    expect(verdictsAlone).toEqual(verdictsWithAll);
    expect(verdictsAlone.some(({ verdict }) => verdict === 'blocked')).toBe(id !== 'getCard');
  });
