import { expect, test } from '@playwright/test';
import type { Customer } from '../../../mock/records.ts';
import { createErrorResponse } from '../../../mock/responses.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf } from '../harness/whole-run.ts';
import { createPopulation } from '../mock/population.ts';
import { replaceListedCustomers } from '../proof/variants/variant.ts';
import { sweepAt, sweepMock } from './sweep-run.ts';

const withoutCard = { token_type: 'CreditCard', token: 'tok_a', state: 'Active', default: true };
const deviatingAddress =
  'listCustomers/data/customers/*/default_payment_token/credit_card/present-with-card-token';

test('a sweep looks up a customer of each shape that its pages show', async () => {
  const alter: Alter = (response, { operation, parameters }) => {
    const { data } = response.body as { data?: { customers?: Customer[] } };
    // Only the customers at places 1,501 to 1,520 have this shape, with an accepted deviation.
    for (const customer of data?.customers ?? [])
      if (rareNumbers.has(customer.reference_number))
        Object.assign(customer, { vip: 1, default_payment_token: withoutCard });
    return operation === 'getCustomer' && rareIds.has(parameters.id ?? '') ? notFound : response;
  };
  const store = createPopulation({ customers: 2000 });
  const rareCustomers = store.list('all', 1500, 1520);
  const rareNumbers = new Set(rareCustomers.map(({ reference_number }) => reference_number));
  const rareIds = new Set(rareCustomers.map(({ uuid }) => uuid));
  const notFound = createErrorResponse(404, 'customer not found', { rejection: 'status' });
  const run = await runInProcessAgainst({ store, alter }, { SWEEP: 'all' });
  expect(addressesOf({ conformance: run.conformance } as never, 'violation')).toEqual([
    'getCustomer/rules/listed-is-found',
  ]);
  expect(run.output).toContain('this is no rate over the whole list');
  expect(run.output).toContain('2,000 of 2,000 customers were judged, on 20 pages');
  const { gates, requirements } = run.conformance ?? {};
  expect(gates?.find(({ address }) => address === 'run/sweep')?.verdict).toBe('pass');
  const findResult = (address: string) =>
    requirements?.find((requirement) => requirement.address === address);
  const findShare = (address: string) => findResult(address)?.swept;
  for (const address of ['data/customers/*/uuid', 'rules/uuid-is-unique'])
    expect(findShare(`listCustomers/${address}`)).toEqual({ judged: 2000, broken: 0, records: 'customers' });
  // A share would count the violating records, and each deviating record is tolerated.
  expect(findResult(deviatingAddress)).toMatchObject({
    verdict: 'deviation',
    reason: expect.stringContaining('found by the sweep'),
  });
  expect(findShare(deviatingAddress)).toBeUndefined();
  expect(findShare('getCard/data/card/id')).toBeUndefined();
});

test('a wrong code on a page that only a sweep reads is no failed lookup', async () => {
  const alter: Alter = (response, { operation, parameters }) =>
    operation === 'listCustomers' && Number(parameters.offset) >= 200
      ? { ...response, body: { ...(response.body as object), code: '200' } }
      : response;
  const { conformance } = await runInProcessAgainst(
    { store: createPopulation({ customers: 300 }), alter },
    { SWEEP: 'all' },
  );
  const failures = conformance?.requirements.filter(({ verdict }) => verdict === 'violation');
  const reason = expect.stringContaining('found by the sweep');
  expect(failures).toMatchObject([{ address: 'listCustomers/code', reason }]);
});

test('an undeclared field on a swept page has the note of the sweep beside its own reason', async () => {
  const alter: Alter = (response, { parameters }) => {
    const { data } = response.body as { data?: { customers?: Customer[] } };
    const [firstCustomer] = data?.customers ?? [];
    if (firstCustomer && Number(parameters.offset) >= 200) Object.assign(firstCustomer, { vip: 1 });
    return response;
  };
  const env = { SWEEP: 'all', FAIL_ON: 'undeclared' };
  const { conformance } = await runInProcessAgainst(
    { store: createPopulation({ customers: 300 }), alter },
    env,
  );
  const failures = conformance?.requirements.filter(({ verdict }) => verdict === 'violation');
  const reason = expect.stringMatching(/.; found by the sweep/);
  expect(failures).toMatchObject([{ address: 'listCustomers/rules/declared-fields', reason }]);
});

test('a sweep looks up at most 200 shapes', async () => {
  const alter = replaceListedCustomers((usual) =>
    usual.map((customer) => ({ ...customer, [`x${customer.uuid}`]: 1 })),
  );
  const mock = await startMock({ store: createPopulation({ customers: 300 }), alter });
  await sweepAt(mock.url, { env: { SWEEP: '250:1' } });
  await mock.close();
  const countRequests = (pattern: RegExp) => mock.requests.filter(({ path }) => pattern.test(path)).length;
  expect([countRequests(/limit=1&/), countRequests(/customers\/./)]).toEqual([1 + 250 + 200, 200]);
});

test('a lookup of a sweep that gives HTTP 404 and then HTTP 500 leaves its rule undecided', async () => {
  const counts = new Map<string, number>();
  const alter: Alter = (response, { operation, path }) => {
    if (operation !== 'getCustomer') return response;
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    const status = count === 1 ? 404 : 500;
    return { ...response, status, body: { code: status, message: 'no', data: null } };
  };
  const { observations } = await sweepMock({ alter });
  const undecidedRules = observations.flatMap(({ undecided }) => Object.keys(undecided ?? {}));
  expect(new Set(undecidedRules)).toEqual(new Set(['getCustomer/rules/listed-is-found']));
});
