import { expect, test } from '@playwright/test';
import { errorAnswer } from '../../../mock/answers.ts';
import { createPopulation } from '../../../mock/population.ts';
import type { Customer } from '../../../mock/records.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf } from '../harness/whole-run.ts';
import { listing } from '../proof/variants/variant.ts';
import { sweepAt } from './sweep-run.ts';

const withoutCard = { token_type: 'CreditCard', token: 'tok_a', state: 'Active', default: true };
const deviating = 'listCustomers/data/customers/*/default_payment_token/credit_card/present-with-card-token';

test('a sweep looks up one customer of each form that its pages show', async () => {
  const alter: Alter = (answer, { operation, parameters }) => {
    const { data } = answer.body as { data?: { customers?: Customer[] } };
    // Only the customers at places 1,501 to 1,520 have this form, and a deviation that is tolerated.
    for (const one of data?.customers ?? [])
      if (rare.has(one.reference_number)) Object.assign(one, { vip: 1, default_payment_token: withoutCard });
    return operation === 'getCustomer' && rareIds.has(parameters.id ?? '') ? notFound : answer;
  };
  const population = { customers: 2000 };
  const all = createPopulation(population).list('all', 1500, 1520) ?? [];
  const rare = new Set(all.map((one) => one.reference_number));
  const rareIds = new Set(all.map(({ uuid }) => uuid));
  const notFound = errorAnswer(404, 'customer not found', { rejection: 'status' });
  const run = await runInProcessAgainst({ population, alter }, { SWEEP: 'all' });
  expect(addressesOf({ conformance: run.conformance } as never, 'violation')).toEqual([
    'getCustomer/rules/listed-is-found',
  ]);
  expect(run.output).toContain('of what the sweep looked up, only what breaks this is counted');
  expect(run.output).toContain('2,000 of 2,000 customers were judged, on 20 pages');
  const { gates, requirements } = run.conformance ?? {};
  expect(gates?.find(({ address }) => address === 'run/sweep')?.verdict).toBe('pass');
  const swept = (address: string) => requirements?.find((one) => one.address === address)?.swept;
  for (const address of ['data/customers/*/uuid', 'rules/uuid-is-unique'])
    expect(swept(`listCustomers/${address}`)).toEqual({ judged: 2000, broken: 0, records: 'customers' });
  expect(swept(deviating)?.broken).toBe(0);
  expect(swept('getCard/data/card/id')).toBeUndefined();
});

test('of more forms than 200 no more are asked for again', async () => {
  const alter = listing((usual) => usual.map((one) => ({ ...one, [`x${one.uuid}`]: 1 })));
  const mock = await startMock({ population: { customers: 300 }, alter });
  await sweepAt(mock.url, { env: { SWEEP: '250:1' } });
  await mock.close();
  const asked = (pattern: RegExp) => mock.requests.filter(({ path }) => pattern.test(path)).length;
  expect([asked(/limit=1&/), asked(/customers\/./)]).toEqual([1 + 250 + 200, 200]);
});
