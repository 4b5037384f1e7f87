import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { formatExtent } from '../../../src/verdict/entry.ts';
import { collectDataNotes } from '../../../src/verdict/verdict.ts';
import { exampleTarget, json, of, type Reply, rejecting, replying, resultsOf } from '../harness/examples.ts';

const [firstCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];
const identifiers = { ...exampleTarget().identifiers, CARD_IDS: [firstCard, 'card-1'] };
const looking = (id: string) => of('getCard', ({ parameters }) => parameters.id === id);
const inSuccess = (body: unknown, when = looking(firstCard)) => replying(json(200, body), when);
const missing = { code: 404, message: 'no', data: null };

async function brokenBy(reply: Reply, settings = {}) {
  const { requirementResults } = await resultsOf(reply, settings);
  return requirementResults.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'not exercised');
}

test('a rejected request is one that a parameter was judged in', async () => {
  const unknown = Array.from({ length: 6 }, (_, n) => `7c0f3a52-5d0e-4a43-9d5b-00000000000${n}`);
  const settings = { identifiers: { ...identifiers, CARD_IDS: [...unknown, firstCard] } };
  const isUnknown = of('getCard', ({ parameters: { id } }) => id !== firstCard);
  const [rejected] = await brokenBy(rejecting(404, isUnknown), settings);
  expect(rejected && formatExtent(rejected.findings, rejected)).toBe('in 6 of 7 requests');
  expect(rejected?.reason).toMatch(/^6 of 7 configured identifiers were rejected; the/);
});

const named: [name: string, reply: Reply][] = [
  ['HTTP 404', rejecting(404, looking(firstCard))],
  ['the code 404', inSuccess(missing)],
  ['an error of no form', inSuccess({ error: 'no' })],
];

for (const [name, reply] of named)
  test(`a configured identifier that is rejected with ${name} is counted`, async () => {
    const broken = await brokenBy(reply);
    expect(broken.length).toBeGreaterThan(0);
    const reason = expect.stringMatching(/^1 of 2 configured identifiers were rejected; /);
    expect(broken).toMatchObject(broken.map(() => ({ reason, cause: 'configured identifiers' })));
  });

test('a configured identifier that is rejected is counted beside what else is broken', async () => {
  const other = inSuccess({ code: 200, message: 7, data: {} }, of('getCard'));
  const both: Reply = (asked, usual) =>
    looking(firstCard)(asked) ? inSuccess(missing)(asked, usual) : other(asked, usual);
  const broken = (await brokenBy(both)).map(({ address, cause }) => [address, cause]);
  expect(broken).toContainEqual(['getCard/code', 'configured identifiers']);
});

const listed = { identifiers: { CUSTOMER_IDS: [customers[0]?.customer.uuid ?? ''] } };

test('what a target breaks by itself names none, nor does a customer that its list shows', async () => {
  for (const [reply, breaks] of [
    [inSuccess({ code: 500, message: 'no' }), 'getCard/code'],
    [inSuccess(missing, of('getCard')), 'getCard/code'],
    [rejecting(404, of('getCustomer')), 'getCustomer/rules/listed-is-found'],
  ] as const) {
    const broken = await brokenBy(reply, listed);
    expect(broken.map(({ address, reason, cause }) => [address, reason ?? cause])).toEqual([
      [breaks, undefined],
    ]);
    expect(collectDataNotes(loadContract(), exampleTarget(), await resultsOf(reply, listed))).toEqual([]);
  }
});

test('a customer is looked up once the list has shown it, however late the list answers', async () => {
  const rejects = rejecting(404, of('getCustomer'));
  const late = async (...[asked, usual]: Parameters<Reply>) => {
    if (asked.operation === 'listCustomers') await new Promise((resolve) => setTimeout(resolve, 20));
    return rejects(asked, usual);
  };
  const broken = await brokenBy(late as unknown as Reply, listed);
  const told = broken.map(({ address, findings }) => [address, findings[0]?.actual]);
  expect(told).toEqual([['getCustomer/rules/listed-is-found', 'HTTP 404']]);
});

test('the contract leaves open what is answered to a configured identifier of another form', async () => {
  const other = looking('card-1');
  const results = await resultsOf(rejecting(404, other), { identifiers });
  expect(collectDataNotes(loadContract(), exampleTarget(), results)).toEqual([
    expect.stringMatching(/^HTTP 404 to GET \S+\{CARD_IDS\[1\]\} is not judged/),
  ]);
  for (const reply of [
    ...[400, 404, 500].map((status) => rejecting(status, other)),
    inSuccess(missing, other),
  ])
    expect(await brokenBy(reply, { identifiers })).toEqual([]);
  const reason = expect.stringContaining('which it may not know');
  for (const CARD_IDS of [['card-1'], identifiers.CARD_IDS]) {
    const [unknown] = await brokenBy(rejecting(404, of('getCard')), { identifiers: { CARD_IDS } });
    expect(unknown).toMatchObject({ verdict: 'blocked', reason });
  }
  const overloaded: Reply = (asked, usual) =>
    asked.operation === 'getCard' ? rejecting(other(asked) ? 404 : 503)(asked, usual) : usual;
  const verdicts = (await brokenBy(overloaded, { identifiers })).map(({ verdict }) => verdict);
  expect([...new Set(verdicts)]).toEqual(['blocked']);
  // Of two values that are sent together alone, neither is known to be the rejected one.
  const [user] = exampleTarget().identifiers.USER_IDS ?? [];
  const ofUsers: Reply = (asked, usual) => {
    const { type, user_id } = asked.parameters;
    return type === 'user' ? rejecting(user_id === user ? 404 : 503)(asked, usual) : usual;
  };
  const violated = (await brokenBy(ofUsers)).filter(({ verdict }) => verdict === 'violation');
  expect(violated.map(({ address }) => address)).toEqual(['getFeeRules/http/status']);
  // What is answered with a success is judged like any other.
  const wrong = await brokenBy(inSuccess({ code: 200, message: 7, data: {} }, other), { identifiers });
  expect(wrong.map(({ address }) => address)).toEqual(['getCard/message', 'getCard/data/card']);
});
