import { expect, test } from '@playwright/test';
import { customers, seededCustomer } from '../../../mock/customers.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { judgeProvider } from '../harness/provider.ts';
import { relations } from '../proof/faults/relations.ts';
import { changesAfter, removalsAfter, showing } from '../proof/variants/moving.ts';

/* Whole runs, against providers whose customers change, move or differ between list and lookup. */

interface Customer {
  uuid: string;
  reference_number: string;
  default_payment_token?: unknown;
}

const [unique, found, same] = [
  'listCustomers/rules/uuid-is-unique',
  'getCustomer/rules/listed-is-found',
  'getCustomer/rules/same-as-listed',
];
const uuidAt = (place: number) => customers[place]?.customer.uuid ?? '';
const listed = { identifiers: { CUSTOMER_IDS: [] }, maxPages: 1 };
const notFound = { status: 404, body: { code: 404, message: 'not found', data: null } };

/** Edits the customers of each list; the first request for one has the number 1. */
function lists(edit: (customers: Customer[], request: number) => Customer[]): Alter {
  let requests = 0;
  return (answer, { operation }) => {
    const { data } = answer.body as { data?: { customers?: Customer[] } };
    if (operation !== 'listCustomers' || !data?.customers) return answer;
    requests += 1;
    data.customers = edit(data.customers, requests);
    return answer;
  };
}

type Answer = Pick<MockAnswer, 'status' | 'body'>;

/** Edits lookups, of one customer or of all, each by its number; what is not there is not found. */
function lookups(
  edit: (customer: Customer, request: number) => Customer | Answer | undefined,
  uuid?: string,
): Alter {
  let requests = 0;
  return (answer, { operation, parameters }) => {
    const { data } = answer.body as { data?: { customer?: Customer } };
    if (operation !== 'getCustomer' || !data?.customer || (uuid && parameters.id !== uuid)) return answer;
    requests += 1;
    const edited = edit(data.customer, requests) ?? notFound;
    return 'status' in edited ? { ...answer, ...edited } : answer;
  };
}

const both =
  (list: Alter, lookup: Alter): Alter =>
  async (answer, request) =>
    lookup(await list(answer, request), request);

const renumber = (customer: Customer) => Object.assign(customer, { reference_number: 'NEW-1' });
const verdictOf = async (address: string, alter: Alter, settings: object = listed) => {
  const { documented } = await judgeProvider({ alter }, settings);
  const result = documented.requirementResults.find((one) => one.address === address);
  return { violated: documented.violated, verdict: result?.verdict, reason: result?.reason };
};

test('a broken relation shows both sides, both requests, and the order in which they were sent', async () => {
  const fault = relations.find(({ name }) => name.includes('another reference_number than listed'));
  const { observations } = await judgeProvider({
    alter: fault?.alter ?? altering('getCard', set('code', 1)),
  });
  const [finding] = observations.flatMap(({ findings }) => findings);
  const list = 'GET /svc/payment/api/v1/openapi/customers';
  const lookup = expect.stringMatching(/customers\/\{uuid of a listed customer, example \d+\}$/);
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

for (const listedToo of [true, false])
  test(`a configured customer who is rejected, and ${listedToo ? '' : 'not '}listed`, async () => {
    const uuid = uuidAt(1);
    const list = lists((all) => all.filter((one) => listedToo || one.uuid !== uuid));
    const alter = both(
      list,
      lookups(() => undefined, uuid),
    );
    const { documented } = await judgeProvider({ alter });
    const [broken, ...others] = documented.requirementResults.filter(
      ({ verdict }) => verdict === 'violation',
    );
    expect(others).toEqual([]);
    expect(broken?.address).toBe(listedToo ? found : 'getCustomer/parameters/id');
    // The list is the evidence: nothing is said of the configuration.
    expect(broken?.cause).toBe(listedToo ? undefined : 'configured identifiers');
    expect(broken?.reason ?? '').toEqual(listedToo ? '' : expect.stringContaining('CUSTOMER_IDS[1]'));
  });

test('of an identifier of two customers that no lookup finds, the list alone is reported', async () => {
  const [uuid, twin] = [uuidAt(3), uuidAt(5)];
  const share = lists((all) => all.map((one) => (one.uuid === twin ? { ...one, uuid } : one)));
  const { documented } = await judgeProvider({
    alter: both(
      share,
      lookups(() => undefined, uuid),
    ),
  });
  expect(documented.violated).toEqual([unique]);
});

test('a page that shows one uuid with two references breaks the rule at once, though it never does so again', async () => {
  const alter = lists((all, request) =>
    request > 1 ? all : all.map((one, n) => (n === 1 ? { ...one, uuid: all[0]?.uuid ?? '' } : one)),
  );
  const { documented } = await judgeProvider({ alter });
  expect(documented.violated).toEqual([unique]);
  const rule = documented.requirementResults.find(({ address }) => address === unique);
  expect(rule).toMatchObject({ affected: 1, findings: [{ sent: [expect.any(String)] }] });
});

test('a listed customer whose lookup fails breaks what it says of the status', async () => {
  for (const [status, expected] of [
    [500, { violated: ['getCustomer/http/status'], blocked: [] }],
    [503, { violated: [], blocked: ['getCustomer/http/status'] }],
  ] as const) {
    const alter = lookups(() => ({ status, body: { code: status } }), uuidAt(3));
    expect((await judgeProvider({ alter })).documented).toMatchObject(expected);
  }
});

test('the world moves between two requests: nothing is broken, and no lookup of who is gone counts', async () => {
  for (const { name, alter } of [removalsAfter(14), removalsAfter(30), changesAfter(30)].flat()) {
    const { documented } = await judgeProvider(alter ? { alter } : {}, { maxPages: 3 });
    const { violated, blocked } = documented;
    expect({ name, violated, blocked }).toEqual({ name, violated: [], blocked: [] });
  }
});

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

for (const [name, list] of Object.entries({ growing, turning }))
  test(`a ${name} list breaks nothing; where lookups contradict it, the rule does not pass`, async () => {
    expect(await verdictOf(same, list)).toMatchObject({ violated: [], verdict: 'pass' });
    const { verdict } = await verdictOf(same, both(list, lookups(renumber)));
    expect(['violation', 'not exercised']).toContain(verdict);
  });

/** Two replicas that reply in turn; one shows every fifth customer otherwise. */
const replicas =
  (show: (customer: Customer) => Customer | undefined, parity: number): Alter =>
  (answer, { operation, ordinal }) => {
    const { data } = answer.body as { data?: { customers?: Customer[]; customer?: Customer } };
    const shown = (one: Customer) => (/[05]$/.test(one.reference_number) ? show(one) : one);
    if (ordinal % 2 === parity || answer.status !== 200) return answer;
    if (operation === 'listCustomers' && data?.customers)
      data.customers = data.customers.flatMap((one) => shown(one) ?? []);
    const customer = operation === 'getCustomer' && data?.customer ? shown(data.customer) : data?.customer;
    if (operation === 'getCustomer' && !customer) return { ...answer, ...notFound };
    if (data && customer) data.customer = customer;
    return answer;
  };

for (const [name, show] of Object.entries<(customer: Customer) => Customer | undefined>({
  renumbered: (customer) => ({ ...customer, reference_number: `${customer.reference_number}-X` }),
  'without a token': ({ default_payment_token: _, ...customer }) => customer,
  missing: () => undefined,
}))
  test(`replicas that reply in turn, one of which shows customers ${name}, break nothing`, async () => {
    for (const parity of [0, 1]) {
      const { documented } = await judgeProvider({ alter: replicas(show, parity) }, listed);
      expect({ parity, violated: documented.violated }).toEqual({ parity, violated: [] });
    }
  });

test('contradictions that vanish leave requests for one that stays, and prevent no pass', async () => {
  const seen = new Map<string, number>();
  const stays = (place: number) =>
    lookups((customer) => {
      const times = (seen.get(customer.uuid) ?? 0) + 1;
      seen.set(customer.uuid, times);
      const isHere = times === 1 || [...seen.keys()].indexOf(customer.uuid) === place;
      return isHere ? renumber(customer) : customer;
    });
  expect(await verdictOf(same, stays(4))).toMatchObject({ violated: [same] });
  seen.clear();
  let times = 0;
  const once = lookups((customer) => (times++ === 0 ? renumber(customer) : customer));
  expect(await verdictOf(same, once)).toMatchObject({ verdict: 'pass' });
});

test('a customer who is never listed again, or each time otherwise, leaves the rule undecided', async () => {
  const gone = both(
    lists((all, request) => (request === 1 ? all.slice(0, 1) : [])),
    lookups(() => undefined),
  );
  const sentence = (reason: string) =>
    expect.stringMatching(new RegExp(`^contradictions of \\d+ responses? were not confirmed: ${reason}`));
  const notShown = {
    violated: [],
    verdict: 'not exercised',
    reason: sentence('the record was not shown again'),
  };
  expect(await verdictOf(found, gone)).toMatchObject(notShown);
  const renumbered = lists((all, request) =>
    all.map((one) => ({ ...one, reference_number: `R-${request}` })),
  );
  const changes = {
    violated: [],
    verdict: 'not exercised',
    reason: sentence('each response shows something else'),
  };
  expect(await verdictOf(unique, renumbered, { ...listed, maxPages: 2 })).toMatchObject(changes);
});

for (const failure of [
  { status: 403, body: {} },
  { status: 500, body: {} },
  { status: 200, body: { code: 401 } },
  { status: 200, body: { code: 500 } },
])
  test(`a contradiction whose second lookup is answered with ${JSON.stringify(failure)} is not confirmed`, async () => {
    const alter = lookups((one, request) => (request > 1 ? failure : renumber(one)), uuidAt(3));
    const reason =
      'contradictions of 1 response were not confirmed: a request that was sent again had no response to judge';
    expect(await verdictOf(same, alter)).toEqual({ violated: [], verdict: 'not exercised', reason });
  });
