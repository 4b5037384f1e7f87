import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/customers.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { judgeProvider } from '../harness/provider.ts';
import { relations } from '../proof/faults/relations.ts';
import { inTurn } from '../proof/variants/variant.ts';

/* Whole runs; which sequences break a rule is shown in `engine.spec.ts`, and moving customers are variants of the proof. */

interface Customer {
  uuid: string;
  reference_number: string;
}

const [found, same] = ['getCustomer/rules/listed-is-found', 'getCustomer/rules/same-as-listed'];
const uuidAt = (place: number) => customers[place]?.customer.uuid ?? '';
const listed = { identifiers: { CUSTOMER_IDS: [] }, maxPages: 1 };
const notFound = { status: 404, body: { code: 404, message: 'not found', data: null } };

/** Edits the customers of each list. */
const lists =
  (edit: (customers: Customer[]) => Customer[]): Alter =>
  (answer, { operation }) => {
    const { data } = answer.body as { data?: { customers?: Customer[] } };
    if (operation === 'listCustomers' && data?.customers) data.customers = edit(data.customers);
    return answer;
  };

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
    const alter = inTurn(
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
  missing: () => undefined,
}))
  test(`replicas that reply in turn, one of which shows customers ${name}, break nothing`, async () => {
    for (const parity of [0, 1]) {
      const { documented } = await judgeProvider({ alter: replicas(show, parity) }, listed);
      expect({ parity, violated: documented.violated }).toEqual({ parity, violated: [] });
    }
  });

for (const failure of [
  { status: 403, body: {} },
  { status: 200, body: { code: 500 } },
])
  test(`a contradiction whose second lookup is answered with ${JSON.stringify(failure)} is not confirmed`, async () => {
    const alter = lookups((one, request) => (request > 1 ? failure : renumber(one)), uuidAt(3));
    const reason =
      'contradictions of 1 response were not confirmed: a request that was sent again had no response to judge';
    expect(await verdictOf(same, alter)).toEqual({ violated: [], verdict: 'not exercised', reason });
  });

test('which contradiction is told depends on no response time', async () => {
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
  const first = ['GET /svc/ts/api/v1/openapi/cards/{CARD_IDS[0]}'];
  expect([await told(0), await told(2)]).toEqual([first, first]);
});
