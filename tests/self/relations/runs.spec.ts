import { expect, test } from '@playwright/test';
import { altering, set } from '../harness/edits.ts';
import { judgeProvider } from '../harness/provider.ts';
import { relations } from '../proof/faults/relations.ts';

/* Whole runs; which sequences break a rule is shown in `engine.spec.ts`, and moving customers are variants of the proof. */

test('a broken relation shows both sides, both requests, and the order in which they were sent', async () => {
  const fault = relations.find(({ name }) => name.includes('another reference_number than listed'));
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
    sent: [list, lookup, list, list, lookup, lookup],
  });
});

test('in which order contradictions are told depends on no response time', async () => {
  const constant = 'getCard/rules/card-is-constant';
  const told = async (slowest: number) => {
    let shown = 0;
    const ids: string[] = [];
    const changing = altering('getCard', (answer, request) => {
      const { id = '' } = request.parameters;
      if (!ids.includes(id)) ids.push(id);
      shown += 1;
      const reference = `7c0f3a52-5d0e-4a43-9d5b-${String(shown).padStart(12, '0')}`;
      const delayMs = ids[slowest] === id ? 200 : 0;
      return set('data/card/reference_id', reference)({ ...answer, delayMs }, request);
    });
    const { observations } = await judgeProvider({ alter: changing }, { operations: ['getCard'] });
    return observations
      .flatMap(({ findings }) => findings)
      .flatMap(({ requirement, exchange }) => (requirement === constant ? exchange : []));
  };
  const all = [0, 1, 2].map((n) => `GET /svc/ts/api/v1/openapi/cards/{CARD_IDS[${n}]}`);
  expect([await told(0), await told(2)]).toEqual([all, all]);
});
