import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { unconfirmedNotes } from '../../relations/unconfirmed.ts';
import { judgeProvider } from '../harness/provider.ts';

type Listed = { uuid: string; reference_number: string };

/** Edits customers of a list; the first request for it has the number 1. */
const editingLists = (edit: (customers: Listed[], request: number) => Listed[], missing: Alter): Alter => {
  let requests = 0;
  return (answer, request) => {
    if (request.operation === 'getCustomer') return missing(answer, request);
    if (request.operation !== 'listCustomers' || answer.status !== 200) return answer;
    requests += 1;
    const { data } = answer.body as { data: { customers: Listed[] } };
    data.customers = edit(data.customers, requests);
    return answer;
  };
};

const listed = { identifiers: { CUSTOMER_IDS: [] }, maxPages: 1 };
const [renumbered, other] = [3, 5];

/** Looks up every customer but one, who is missing in some form of an error response. */
const withoutOne = (uuid: string, status: number, code: number) =>
  ((answer, { operation, parameters }) =>
    operation === 'getCustomer' && parameters.id === uuid
      ? { ...answer, status, body: { code, message: 'no', data: null } }
      : answer) satisfies Alter;

const seeded = async (place: number) => {
  const { customers } = await import('../../../mock/customers.ts');
  return customers[place]?.customer.uuid ?? '';
};

test('a customer who is renumbered, then removed, breaks nothing, in whatever form the lookup says so', async () => {
  const uuid = await seeded(renumbered);
  const renumber = (customers: Listed[], request: number) =>
    customers.map((one) => (one.uuid === uuid && request > 2 ? { ...one, reference_number: 'NEW-1' } : one));
  for (const [status, code] of [
    [404, 404],
    [200, 404],
  ] as const) {
    const { documented } = await judgeProvider(
      { alter: editingLists(renumber, withoutOne(uuid, status, code)) },
      listed,
    );
    expect({ status, code, violated: documented.violated, blocked: documented.blocked }).toEqual({
      status,
      code,
      violated: [],
      blocked: [],
    });
  }
});

test('of an identifier of two customers that no lookup finds, the list alone is reported', async () => {
  const [uuid, twin] = [await seeded(renumbered), await seeded(other)];
  const share = (customers: Listed[]) => customers.map((one) => (one.uuid === twin ? { ...one, uuid } : one));
  const { documented } = await judgeProvider({ alter: editingLists(share, withoutOne(uuid, 404, 404)) });
  expect(documented.violated).toEqual(['listCustomers/rules/uuid-is-unique']);
});

test('a server error for a customer who has gone says nothing; for one who is still listed it is one', async () => {
  const uuid = await seeded(renumbered);
  const failing = withoutOne(uuid, 500, 500);
  const remove = (customers: Listed[], request: number) =>
    customers.filter((one) => one.uuid !== uuid || request === 1);
  for (const missing of [failing, withoutOne(uuid, 302, 302)]) {
    const gone = await judgeProvider({ alter: editingLists(remove, missing) }, listed);
    expect(gone.documented.violated).toEqual([]);
  }
  const there = await judgeProvider({ alter: failing }, listed);
  expect(there.documented.violated).toEqual(['getCustomer/http/status']);
});

test('an overload that the body tells of a listed customer blocks, as by its HTTP status; for one who has gone it says nothing', async () => {
  const uuid = await seeded(renumbered);
  const remove = (customers: Listed[], request: number) =>
    customers.filter((one) => one.uuid !== uuid || request === 1);
  for (const [status, code] of [
    [503, 503],
    [200, 502],
    [200, 503],
    [200, 504],
  ] as const) {
    const overloaded = withoutOne(uuid, status, code);
    const there = await judgeProvider({ alter: overloaded });
    expect(there.documented).toMatchObject({ violated: [], blocked: ['getCustomer/http/status'] });
    const gone = await judgeProvider({ alter: editingLists(remove, overloaded) }, listed);
    expect(gone.documented).toMatchObject({ violated: [], blocked: [] });
  }
});

test('contradictions that nobody could ask for again are reported', async () => {
  const renumberAll: Alter = (answer, { operation, ordinal }) => {
    if (operation !== 'listCustomers' || answer.status !== 200) return answer;
    const { data } = answer.body as { data: { customers: Listed[] } };
    for (const one of data.customers) one.reference_number = `R-${ordinal}`;
    return answer;
  };
  const { observations, documented } = await judgeProvider({ alter: renumberAll }, { maxPages: 2 });
  const address = 'listCustomers/rules/uuid-is-unique';
  const result = documented.requirementResults.find((one) => one.address === address);
  const sentence = /^contradictions of \d+ responses? were not confirmed: .*/;
  expect(result).toMatchObject({ verdict: 'not exercised', reason: expect.stringMatching(sentence) });
  const notes = unconfirmedNotes(observations);
  expect(notes.length).toBeGreaterThan(0);
  for (const note of notes) expect(note).toContain(address);
});

const failures = [
  { status: 401, body: {} },
  { status: 403, body: {} },
  { status: 500, body: {} },
  { status: 200, body: { code: 401 } },
  { status: 200, body: { code: 429 } },
  { status: 200, body: { code: 500 } },
];

for (const failure of failures)
  test(`a contradiction whose second lookup is answered with ${JSON.stringify(failure)} is reported as not confirmed`, async () => {
    const uuid = await seeded(renumbered);
    let lookups = 0;
    const failing: Alter = (answer, request) => {
      if (request.operation !== 'getCustomer' || request.parameters.id !== uuid) return answer;
      lookups += 1;
      if (lookups > 1) return { ...answer, ...failure };
      const { data } = answer.body as { data: { customer: Listed } };
      data.customer.reference_number = 'NEW-1';
      return answer;
    };
    const { observations, documented } = await judgeProvider({ alter: failing }, listed);
    expect(documented.violated).toEqual([]);
    const sentence = 'contradictions of 1 response were not confirmed: a lookup had no response to judge';
    const notes = unconfirmedNotes(observations);
    expect(notes).toEqual([expect.stringContaining(sentence)]);
    const address = /\((.*)\)$/.exec(notes[0] ?? '')?.[1];
    const result = documented.requirementResults.find((one) => one.address === address);
    expect(result).toMatchObject({ verdict: 'not exercised', reason: sentence });
  });
