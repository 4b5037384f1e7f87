import { expect, test } from '@playwright/test';
import { customers, seededCustomer } from '../../../mock/customers.ts';
import type { Alter } from '../../../mock/server.ts';
import { showing } from '../../../mock/variants/moving.ts';
import { judgeProvider } from '../harness/provider.ts';

/* Lists in no fixed order, or that move: a record is found again wherever it is, and what cannot be settled is no pass. */

type Edit = (customer: { uuid: string; reference_number: string; default_payment_token?: unknown }) => void;

const rule = (name: string) => `getCustomer/rules/${name}`;
const listed = { identifiers: { CUSTOMER_IDS: [] }, maxPages: 3 };

/** One customer more at the head before every second request. */
const growing = showing((ordinal) => [
  ...Array.from({ length: ordinal >> 1 }, (_, n) => seededCustomer(customers.length + (ordinal >> 1) - n)),
  ...customers,
]);

/** Begins with another customer at each request. */
const turning = showing((ordinal) => {
  const place = (17 * ordinal) % customers.length;
  return [...customers.slice(place), ...customers.slice(0, place)];
});

/** Edits each lookup that succeeds; a customer without an edit is not found. */
const lookups =
  (list: Alter, edit?: Edit): Alter =>
  async (answer, request) => {
    const shown = await list(answer, request);
    if (request.operation !== 'getCustomer' || shown.status !== 200) return shown;
    if (!edit) return { ...shown, status: 404, body: { code: 404, message: 'not found', data: null } };
    edit((shown.body as { data: { customer: Parameters<Edit>[0] } }).data.customer);
    return shown;
  };

const renumber: Edit = (customer) => {
  customer.reference_number += '-X';
};

for (const [name, list] of Object.entries({ growing, turning }))
  test(`lookups that always contradict a ${name} list break the rule; without them the list breaks nothing`, async () => {
    const broken = await judgeProvider({ alter: lookups(list, renumber) }, listed);
    expect(broken.documented.violated).toEqual([rule('same-as-listed')]);
    const kept = await judgeProvider({ alter: list }, listed);
    expect(kept.documented.violated).toEqual([]);
  });

test('contradictions that vanish leave requests for one that stays', async () => {
  const seen = new Map<string, number>();
  const vanishing: Edit = (customer) => {
    const times = (seen.get(customer.uuid) ?? 0) + 1;
    seen.set(customer.uuid, times);
    if (times === 1 || [...seen.keys()].indexOf(customer.uuid) === 4) renumber(customer);
  };
  const { documented } = await judgeProvider({ alter: lookups((answer) => answer, vanishing) }, listed);
  expect(documented.violated).toEqual([rule('same-as-listed')]);
});

test('a contradiction that vanishes does not prevent a pass; one whose customer is never listed again does', async () => {
  const resultOf = async (list: Alter) => {
    const seen = new Set<string>();
    const once: Edit = (customer) => {
      if (seen.size === 0) renumber(customer);
      seen.add(customer.uuid);
    };
    const { documented } = await judgeProvider({ alter: lookups(list, once) }, listed);
    return documented.requirementResults.find(({ address }) => address === rule('same-as-listed'));
  };
  expect(await resultOf((answer) => answer)).toMatchObject({ verdict: 'pass' });
  // Whoever is looked up first is removed after that.
  let [gone, isGone] = ['', false];
  const removing: Alter = (answer, { operation, parameters }) => {
    if (operation === 'getCustomer') {
      isGone ||= parameters.id === gone;
      gone ||= parameters.id ?? '';
    }
    const { data } = answer.body as { data?: { customers?: { uuid: string }[] } };
    if (data?.customers) data.customers = data.customers.filter(({ uuid }) => uuid !== gone);
    return isGone && parameters.id === gone
      ? { ...answer, status: 404, body: { code: 404, message: 'gone', data: null } }
      : answer;
  };
  expect(await resultOf(removing)).toMatchObject({
    verdict: 'not exercised',
    exercised: 0,
    reason: expect.stringMatching(
      /^contradictions of 1 response were not confirmed: the list no longer shows the record/,
    ),
  });
});

/** Who is shown otherwise by one of two replicas: some customers, each in its own way. */
const behind: Record<string, (customer: ListedCustomer) => ListedCustomer | undefined> = {
  renumbered: (customer) => ({ ...customer, reference_number: `${customer.reference_number}-X` }),
  'without a token': ({ default_payment_token: _, ...customer }) => customer,
  missing: () => undefined,
};

type ListedCustomer = Parameters<Edit>[0];
const notFound = { status: 404, body: { code: 404, message: 'not found', data: null } };

/** Two replicas that reply in turn; one shows every fifth customer otherwise. */
const replicas =
  (show: (customer: ListedCustomer) => ListedCustomer | undefined, parity: number): Alter =>
  (answer, { operation, ordinal }) => {
    const { data } = answer.body as { data?: { customers?: ListedCustomer[]; customer?: ListedCustomer } };
    const shown = (one: ListedCustomer) => (/[05]$/.test(one.reference_number) ? show(one) : one);
    if (ordinal % 2 === parity || answer.status !== 200) return answer;
    if (operation === 'listCustomers' && data?.customers)
      data.customers = data.customers.flatMap((one) => shown(one) ?? []);
    const customer = operation === 'getCustomer' && data?.customer ? shown(data.customer) : data?.customer;
    if (operation === 'getCustomer' && !customer) return { ...answer, ...notFound };
    if (data && customer) data.customer = customer;
    return answer;
  };

for (const [name, show] of Object.entries(behind))
  test(`replicas that reply in turn, one of which shows customers ${name}, break nothing`, async () => {
    for (const parity of [0, 1]) {
      const { documented } = await judgeProvider({ alter: replicas(show, parity) }, listed);
      expect({ parity, violated: documented.violated }).toEqual({ parity, violated: [] });
    }
  });
