import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import type { SweepRun } from './sweep-run.ts';
import { sweepMock } from './sweep-run.ts';

const population = { customers: 300 };
const rareUuid = '11111111-1111-4111-8111-111111111111';
const lookupsIn = ({ swept }: SweepRun) =>
  swept.flatMap(({ observations }) => observations).filter(({ operation }) => operation === 'getCustomer');
const findingsIn = (run: SweepRun) => lookupsIn(run).flatMap(({ findings }) => findings);

test('one customer of each shape is looked up, and held against the list', async () => {
  const run = await sweepMock({ population });
  const asked = run.requests.filter(({ path }) => /customers\/[0-9a-f-]{36}$/.test(path));
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.length).toBeLessThan(50);
  expect(findingsIn(run)).toEqual([]);
  const visits = lookupsIn(run).map((one) => one.visits['getCustomer/rules/same-as-listed'] ?? 0);
  expect(visits.reduce((sum, count) => sum + count, 0)).toBe(asked.length);
});

test('a lookup that shows another customer than the list is a violation of the rule between them', async () => {
  const alter: Alter = (answer, { operation }) => {
    const { data } = (answer.body ?? {}) as { data?: { customer?: { reference_number: string } } };
    if (operation === 'getCustomer' && data?.customer) data.customer.reference_number = 'another';
    return answer;
  };
  const [first, ...others] = findingsIn(await sweepMock({ population, alter }));
  expect(first).toMatchObject({
    kind: 'violation',
    requirement: 'getCustomer/rules/same-as-listed',
    actual: 'another reference_number',
    against: { exchange: expect.stringContaining('customers?limit=100&offset=0') },
  });
  expect(others.filter(({ requirement }) => requirement !== first?.requirement)).toEqual([]);
});

test('a customer of a rare shape whom the lookup alone does not find breaks the rule between list and lookup', async () => {
  const rare = 250;
  const alter: Alter = (answer, { operation, parameters }) => {
    const { data } = (answer.body ?? {}) as { data?: { customers?: object[] } };
    const { limit = 0, offset = 0 } = parameters;
    const at = rare - Number(offset);
    const found = at < Number(limit) ? data?.customers?.[at] : undefined;
    if (operation === 'listCustomers' && found)
      Object.assign(found, { uuid: rareUuid, email: 'rare@example.com', name: 7 });
    return operation === 'getCustomer' && parameters.id === rareUuid ? { ...answer, status: 404 } : answer;
  };
  const run = await sweepMock({ population, alter, choices: { maxLimit: 100 } });
  expect(findingsIn(run).map(({ requirement }) => requirement)).toEqual([
    'getCustomer/rules/listed-is-found',
  ]);
});

/** Whoever is looked up first is not found, though the list shows it: for a while, in which one of both lags. */
function lagging(behind: 'getCustomer' | 'listCustomers', lagMs: number): Alter {
  let first: { id: string; at: number } | undefined;
  return (answer, { operation, parameters: { id = '' } }) => {
    if (operation === 'getCustomer') first ??= { id, at: Date.now() };
    const isLagging = first !== undefined && Date.now() - first.at < lagMs;
    const { data } = answer.body as { data?: { customers?: { uuid: string }[] } };
    if (data?.customers && behind === 'listCustomers' && first && !isLagging)
      data.customers = data.customers.filter(({ uuid }) => uuid !== first?.id);
    const isMissing = id === first?.id && (behind === 'listCustomers' || isLagging);
    return isMissing ? { ...answer, status: 404, body: { code: 404, message: 'no', data: null } } : answer;
  };
}

test('a customer whom list and lookup show one after the other breaks nothing; one whom the lookup never shows does', async () => {
  const violatedAfter = async (alter: Alter) => {
    const run = await sweepMock({ population, alter }, { env: { MAX_RPS: '50' } });
    return findingsIn(run).map(({ requirement }) => requirement);
  };
  for (const behind of ['getCustomer', 'listCustomers'] as const) {
    expect(await violatedAfter(lagging(behind, 600)), behind).toEqual([]);
    const never = await violatedAfter(lagging(behind, Number.POSITIVE_INFINITY));
    expect(never, behind).toEqual(['getCustomer/rules/listed-is-found']);
  }
});

test('customers that are gone when they are looked up break nothing', async () => {
  const population = { customers: 300, removeEvery: 1 };
  expect(findingsIn(await sweepMock({ population }))).toEqual([]);
});
