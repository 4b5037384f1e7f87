import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { uuid } from '../../../mock/records.ts';
import type { Alter } from '../../../mock/server.ts';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { comparisonFaults } from '../proof/faults/relations.ts';

/* Relations in whole runs. For the sequences that break a rule, see `engine.spec.ts`; for moving customers, the variants of the proof. */

test('a broken relation shows both sides, both requests, and the order in which they were sent', async () => {
  const fault = comparisonFaults.find(({ name }) => name.includes('another reference_number than listed'));
  const alter = fault?.alter ?? altering('getCard', set('code', 1));
  const { observations } = await judgeProvider({ alter });
  const [finding] = observations.flatMap(({ findings }) => findings);
  expect(observations.filter(({ findings }) => findings.length > 0)).toMatchObject([{ requests: 0 }]);
  const list = 'GET /svc/payment/api/v1/openapi/customers';
  const lookup = `${list}/{uuid of a listed customer, example 4}`;
  expect(finding).toMatchObject({
    pointer: '/data/customer/reference_number',
    exchange: lookup,
    repeat: expect.stringContaining(`| jq '.data.customer.reference_number'`),
    against: {
      exchange: list,
      pointer: '/data/customers/3/reference_number',
      repeat: expect.stringContaining(`| jq '.data.customers[3].reference_number'`),
    },
    sent: [list, lookup, ...[list, list, lookup, lookup], ...[list, lookup, list, lookup]],
  });
});

for (const [age, verdict] of [
  ['40', 'not exercised'],
  ['0', 'violation'],
] as const)
  test(`a lookup that contradicts a list with Age ${age} is ${verdict}`, async () => {
    const fault = comparisonFaults.find(({ name }) => name.includes('another reference_number than listed'));
    const addAge: Alter = (response, { operation }) =>
      operation === 'listCustomers' ? { ...response, headers: { ...response.headers, age } } : response;
    const alter = fault ? applyInOrder(fault.alter, addAge) : addAge;
    const { observed } = await judgeProvider({ alter });
    const rule = observed.requirementResults.find(({ address }) => address === fault?.breaks);
    expect(rule?.verdict).toBe(verdict);
    if (age !== '0') expect(rule?.reason).toContain('not confirmed: a shared cache repeated a response');
  });

test('contradictions are reported in the order of the identifiers, whatever the response times', async () => {
  const constant = 'getCard/rules/card-is-constant';
  const listRequests = async (slowest: number) => {
    let responseCount = 0;
    const ids: string[] = [];
    const changing = altering('getCard', (response, request) => {
      const { id = '' } = request.parameters;
      if (!ids.includes(id)) ids.push(id);
      responseCount += 1;
      const reference = `7c0f3a52-5d0e-4a43-9d5b-${String(responseCount).padStart(12, '0')}`;
      const delayMs = ids[slowest] === id ? 200 : 0;
      return set('data/card/reference_id', reference)({ ...response, delayMs }, request);
    });
    const { observations } = await judgeProvider({ alter: changing }, { operations: ['getCard'] });
    return observations
      .flatMap(({ findings }) => findings)
      .flatMap(({ requirement, exchange }) => (requirement === constant ? exchange : []));
  };
  const sendInOrder = [0, 1, 2].map((index) => `GET /svc/ts/api/v1/openapi/cards/{CARD_IDS[${index}]}`);
  expect([await listRequests(0), await listRequests(2)]).toEqual([sendInOrder, sendInOrder]);
});

test('a replica that lags, so that only the repetition of each lookup finds its customer, passes', async () => {
  const requestedPaths = new Set<string>();
  const alter: Alter = (response, { operation, path }) => {
    const isFirst = operation === 'getCustomer' && !requestedPaths.has(path);
    requestedPaths.add(path);
    return isFirst
      ? { ...response, status: 404, body: { code: 404, message: 'not found', data: null } }
      : response;
  };
  const { conformance } = await runInProcessAgainst({ alter }, { CUSTOMER_IDS: '', PROBES: 'off' });
  expect(conformance?.verdict).toBe('pass');
});

test('two replicas that respond by turns break the rule of constant cards, also for an even number of cards', async () => {
  const [firstCard = '', secondCard = ''] = knownIdentifiers.CARD_IDS ?? [];
  let responseCount = 0;
  const alter = altering('getCard', (response, request) => {
    responseCount += 1;
    return set('data/card/reference_id', uuid('replica', responseCount % 2))(response, request);
  });
  const settings = { identifiers: { CARD_IDS: [firstCard, secondCard] }, operations: ['getCard'] };
  const { observed } = await judgeProvider({ alter, network: false }, settings);
  expect(observed.violated).toEqual(['getCard/rules/card-is-constant']);
});
