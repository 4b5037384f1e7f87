import { expect, test } from '@playwright/test';
import { loadContract, type Operation, type Rule } from '../../../schemas/contract/contract.ts';
import type { ComparableResponse } from '../../../src/relations/comparable.ts';
import { concludeContradictions, undecidedReasons } from '../../../src/relations/confirm.ts';
import type { IsLater } from '../../../src/relations/contradictions.ts';
import { Relations } from '../../../src/relations/relations.ts';

/* Sequences of responses about one customer. A letter in a name is the value of `reference_number`. */

/** Matches addresses of the tested rules, such as `listCustomers/rules/uuid-is-unique`. */
const testedRule = /\/(uuid-is|listed-is|same-as|token-as|card-is|id-is)-/;
const operations = loadContract().operations.map((operation) => ({
  ...operation,
  rules: operation.rules.filter(({ address }: Rule) => testedRule.test(address)),
}));
const findOperation = (id: string) => operations.find((operation) => operation.id === id) as Operation;

type Response = Omit<ComparableResponse<number>, 'source'>;
type CustomerFields = Record<string, unknown>;

const token = { token_type: 'AlipayAutoDebit', token: 'tok', state: 'Active', default: true };
const createCustomer = (reference: unknown, fields: CustomerFields = {}): CustomerFields => ({
  uuid: 'cus-1',
  dial_code: '+1',
  reference_number: reference,
  ...fields,
});
const createSuccess = (id: string, parameters: Record<string, string>, data: object): Response => ({
  operation: findOperation(id),
  parameters,
  kind: 'success',
  body: { code: 200, message: 'ok', data },
});
const createPage = (...customers: CustomerFields[]) => createSuccess('listCustomers', {}, { customers });
const createList = (...references: unknown[]) =>
  createPage(...references.map((reference) => createCustomer(reference)));
const createLookup = (reference: unknown, fields?: CustomerFields) =>
  createSuccess('getCustomer', { id: 'cus-1' }, { customer: createCustomer(reference, fields) });
const createCard = (reference: string) =>
  createSuccess('getCard', { id: 'card-1' }, { card: { id: 'card-1', reference_id: reference } });
const createUuid = (n: number) => `7c0f3a52-5d0e-4a43-9d5b-00000000000${n}`;
const rejected: Response = { ...createLookup('a'), kind: 'rejection', body: {} };
const failed: Response = { ...createLookup('a'), kind: 'server error', body: {} };

const [unique, listedIsFound, sameAsListed, presentAs, constant] = [
  'listCustomers/rules/uuid-is-unique',
  'getCustomer/rules/listed-is-found',
  'getCustomer/rules/same-as-listed',
  'getCustomer/rules/token-as-listed',
  'getCard/rules/card-is-constant',
] as const;

/** Address of a rule and the indices of two responses that break it; one index twice if a single page breaks it. */
type ContradictionRow = [address: string, first: number, second: number];

/**
 * Compares each response with earlier ones and collects contradictions.
 * @param isLater returns whether one request of a recording was sent after another; without it, repeated changes of a value prove nothing
 */
function compareAll(
  responses: Response[],
  isLater?: IsLater<number>,
): {
  /** Compared records and contradictions. */
  relations: Relations<number>;
  /** Numbers of judged records, keyed by rule address. */
  counts: Record<string, number>;
  proven: ContradictionRow[];
  /** Contradictions that count as violations only after repeated requests. */
  unproven: ContradictionRow[];
} {
  const options = isLater ? { secret: 'secret', isLater } : { secret: 'secret' };
  const relations = new Relations<number>(operations, options);
  const counts: Record<string, number> = {};
  for (const [responseNumber, response] of responses.entries()) {
    const { ruleCounts } = relations.compareAndStore({ ...response, source: responseNumber });
    for (const [address, { places: comparedRecords }] of Object.entries(ruleCounts))
      counts[address] = (counts[address] ?? 0) + comparedRecords;
  }
  const proven: ContradictionRow[] = [];
  const unproven: ContradictionRow[] = [];
  for (const { rule, earlier, later, isProven } of relations.contradictions.all()) {
    const rows = isProven ? proven : unproven;
    rows.push([rule.address, earlier.source, later.source]);
  }
  return { relations, counts, proven, unproven };
}

const [a, b, c] = [createList('a'), createList('b'), createList('c')];
const ab = createList('a', 'b');
const [lookedUpA, lookedUpB] = [createLookup('a'), createLookup('b')];
const cards = [1, 2, 3].map((n) => createCard(createUuid(n))) as [Response, Response, Response];
const [once, twice, agreed] = [
  { [unique]: 1 },
  { [unique]: 2 },
  { [unique]: 1, [listedIsFound]: 1, [sameAsListed]: 1, [presentAs]: 1 },
];
const withToken = createLookup('a', { default_payment_token: token });
const tokenAnd = (reference: string) =>
  createPage(createCustomer('a', { default_payment_token: token }), createCustomer(reference));
const tokenPage = createPage(createCustomer('a', { default_payment_token: token }));
const otherWithToken = createLookup('b', { default_payment_token: token });
const onlyToken = createPage(createCustomer(5, { default_payment_token: token }));
const capitals = createList(createUuid(7).toUpperCase());
const rejectedCard: Response = { ...createCard(''), kind: 'rejection' };
const another = { ...createLookup('b'), parameters: { id: 'cus-2' } };

for (const [name, responses, counts, unproven = [], proven = []] of [
  ['a list and a lookup that agree', [a, lookedUpA], agreed],
  ['a lookup before the list', [lookedUpA, a], once],
  ['a listed record that is rejected', [a, rejected], once, [[listedIsFound, 0, 1]]],
  ['a record that is listed after its lookup was rejected', [rejected, a], once, [[listedIsFound, 0, 1]]],
  ['a lookup that fails', [a, failed], once],
  [
    'a lookup with another number and a token',
    [a, otherWithToken],
    { ...once, [listedIsFound]: 1 },
    [[sameAsListed, 0, 1]],
  ],
  [
    'another number, after a number of the wrong type',
    [a, onlyToken, otherWithToken],
    { ...once, [listedIsFound]: 1 },
    [[sameAsListed, 0, 2]],
  ],
  [
    'a token only in the lookup',
    [a, withToken],
    { ...once, [listedIsFound]: 1, [sameAsListed]: 1 },
    [[presentAs, 0, 1]],
  ],
  ['a lookup of another customer than requested', [a, another], once],
  ['two numbers of one key on two pages', [a, b, b], { [unique]: 3 }, [[unique, 0, 1]]],
  ['two numbers of one key on one page', [ab], twice, [], [[unique, 0, 0]]],
  [
    'two numbers of one key on two pages, then on one page',
    [a, b, ab],
    { [unique]: 4 },
    [],
    [[unique, 2, 2]],
  ],
  [
    'two numbers of one key, and a third number in the lookup',
    [ab, createLookup('c')],
    twice,
    [],
    [[unique, 0, 0]],
  ],
  ['a page that shows a record twice', [createList('a', 'a')], twice],
  [
    'a page that shows a record twice, once without its token',
    [withToken, tokenAnd('a')],
    twice,
    [[presentAs, 0, 1]],
  ],
  [
    'a page that shows a record with its token, then without',
    [tokenAnd('a'), lookedUpA],
    { ...agreed, ...twice, [presentAs]: undefined },
    [[presentAs, 0, 1]],
  ],
  [
    'a page without the token of the lookup, before a page with it',
    [a, a, tokenPage, withToken],
    { [unique]: 3, [listedIsFound]: 1, [sameAsListed]: 1 },
    [[presentAs, 0, 3]],
  ],
  ['a number of the wrong type', [createList(5)], {}],
  ['a rejected card with the key of a customer', [a, { ...rejectedCard, parameters: { id: 'cus-1' } }], once],
  ['a UUID in either letter case', [capitals, createLookup(createUuid(7))], agreed],
  ['a card that does not change', [cards[0], cards[0], cards[0]], { [constant]: 2 }],
  ['a card that changes', [cards[0], cards[1]], {}, [[constant, 0, 1]]],
  ['a card that is rejected in between', [cards[0], rejectedCard, cards[0]], { [constant]: 1 }],
] as [string, Response[], Record<string, number>, ContradictionRow[]?, ContradictionRow[]?][])
  test(`${proven.length > 0 ? 'a rule is' : unproven.length > 0 ? 'a rule may be' : 'no rule is'} broken by ${name}`, () => {
    const { relations: _, ...result } = compareAll(responses);
    expect(result).toEqual({ counts, unproven, proven });
  });

test('only the first 10,000 contradictions are stored', () => {
  const longPage = (letter: string) =>
    createPage(
      ...Array.from({ length: 10_050 }, (_, index) => createCustomer(letter, { uuid: `cus-${index}` })),
    );
  const { unproven, proven } = compareAll([longPage('a'), longPage('b')]);
  expect([unproven.length, proven]).toEqual([10_000, []]);
});

const isAfter: IsLater<number> = (source, otherSource) => source > otherSource;
const isBefore: IsLater<number> = (source, otherSource) => source < otherSource;
const isNever: IsLater<number> = () => false;
const isAfterSecond: IsLater<number> = (source, otherSource) => source > otherSource && otherSource > 0;
/** Compares requests by `times`, which holds the time of each response in the order of the recording. */
const isLaterIn =
  (...times: number[]): IsLater<number> =>
  (source, otherSource) =>
    (times[source] ?? 0) > (times[otherSource] ?? 0);

for (const [name, responses, broken, isLater = isAfter] of [
  ['a list that changes', [a, b, lookedUpB, b, c], []],
  ['two records of one key on a page each', [a, b, b, a], [unique]],
  ['two records of one key, read from its end', [a, b, b, a], [], isBefore],
  ['two records of one key, requested at the same time', [a, b, b, a], [], isNever],
  ['two records of one key, requested at the same time, then in turn', [a, b, a, b], [unique], isAfterSecond],
  ['two records of one key, requested at the same time, then one of them', [a, b, a], [], isAfterSecond],
  ['a lookup that differs', [a, lookedUpB, a], []],
  ['a lookup that differs again', [a, lookedUpB, a, lookedUpB], [sameAsListed]],
  ['a lookup that agrees in between', [a, lookedUpB, a, lookedUpA, lookedUpB], []],
  ['a lookup before the list, which differs again', [lookedUpB, a, lookedUpB, a], [sameAsListed]],
  ['a list that shows what the lookup has shown', [a, lookedUpB, b, lookedUpB], []],
  ['a token that is set before the lookup', [a, tokenPage, withToken, a, tokenPage, withToken], []],
  ['a card that changes once', [cards[0], cards[1], cards[1]], []],
  ['a card that changes back', [cards[0], cards[1], cards[0]], [constant]],
  [
    'a card that changes once, in a recording that is not in the order of time',
    [cards[0], cards[1], cards[0], cards[1]],
    [],
    isLaterIn(1, 5, 2, 6),
  ],
  [
    'a card that changes twice, in a recording that is not in the order of time',
    [cards[0], cards[1], cards[0], cards[2]],
    [constant],
    isLaterIn(1, 5, 2, 6),
  ],
] as [string, Response[], string[], IsLater<number>?][])
  test(`${broken.length > 0 ? 'a rule' : 'no rule'} is broken by a recording of ${name}`, () => {
    expect(compareAll(responses, isLater).proven.map(([address]) => address)).toEqual(broken);
  });

test('records without room, and records of further responses, are counted as not compared', () => {
  const secondCustomer = createCustomer('x', { uuid: 'cus-2' });
  const [otherPage, longPage] = [createPage(secondCustomer), createPage(createCustomer('a'), secondCustomer)];
  const relations = new Relations<number>(operations, { secret: '', maxRecords: 1 });
  const results = [longPage, b, otherPage, a].map((response, source) =>
    relations.compareAndStore({ ...response, source }),
  );
  const counts = results.map((result) => result.ruleCounts[unique]?.places);
  expect(counts).toEqual([1, undefined, undefined, 1]);
  expect(relations.notCompared).toBe(3);
});

test('a response that shows several records counts once', () => {
  const longPage = createPage(createCustomer('a'), createCustomer('x', { uuid: 'cus-2' }));
  const relations = new Relations<number>(operations, { secret: '', maxRecords: 2 });
  for (const [source, response] of [longPage, b].entries())
    relations.compareAndStore({ ...response, source });
  expect(relations.notCompared).toBe(0);
  relations.compareAndStore({ ...c, source: 2 });
  expect(relations.notCompared).toBe(1);
});

test('a list and a lookup each show the record of a lookup', () => {
  for (const response of [lookedUpA, a]) {
    const relations = new Relations<number>(operations, { secret: '' });
    expect(relations.isRecordStored(lookedUpA)).toBe(false);
    relations.compareAndStore({ ...response, source: 0 });
    expect([relations.isRecordStored(lookedUpA), relations.isRecordStored(a)]).toEqual([true, false]);
  }
});

test('records of an earlier run or of another shard are compared with new responses', () => {
  const earlier = new Relations<number>(operations, { secret: 'secret' });
  const nameless = createCustomer('n', { uuid: null });
  const earlierPage = createPage(createCustomer('x', { uuid: 'cus-2' }), nameless, createCustomer('a'));
  const stored = earlier.compareAndStore({ ...earlierPage, source: 0 }).records;
  const relations = new Relations<number>(operations, { secret: 'secret' });
  relations.compareAndStore({ ...b, source: 1 });
  const comparison = relations.replay(a.operation, stored, 7);
  expect(comparison).toMatchObject({ ruleCounts: { [unique]: { places: 2, requests: 1 } }, duplicates: 0 });
  const [contradiction] = relations.contradictions.all();
  expect(contradiction).toMatchObject({ earlier: { source: 1 }, later: { source: 7 } });
  expect(contradiction?.later.index).toBe(2);
});

/**
 * Compares responses, and repeats the requests of those that contradict each other.
 * @param newResponses responses to the repeated requests, in the order of these requests; any further request gets a server error
 * @returns for each contradiction, the conclusion (`broken`), the indices of its records on their pages, and the indices of the
 *   compared responses; also the indices of `responses` whose requests were repeated
 */
async function confirmResponses(responses: Response[], newResponses: Response[]) {
  const { relations } = compareAll(responses);
  const remainingResponses = [...newResponses];
  const repeatedResponses: number[] = [];
  const repeatRequest = async (responseNumber: number) => {
    repeatedResponses.push(responseNumber);
    const response = remainingResponses.shift() ?? failed;
    return { ...response, source: responseNumber };
  };
  const { concluded } = await concludeContradictions(relations, repeatRequest, { isMock: true });
  return {
    conclusions: concluded.map(({ conclusion }) => conclusion),
    indicesOnPages: concluded.map(({ contradiction: { earlier, later } }) => [earlier.index, later.index]),
    comparedResponses: concluded.map(({ requests }) => requests),
    repeatedResponses,
  };
}

const contradicting = [a, lookedUpB];
function orderRepetitions<T>(first: T, second: T): T[] {
  const firstRound = [first, first, second, second];
  const secondRound = [first, second, first, second];
  return [...firstRound, ...secondRound];
}
const elsewhere = createPage(createCustomer('a', { uuid: 'cus-2' }));
for (const [name, responses, newResponses, conclusion] of [
  ['a lookup that differs each time', contradicting, orderRepetitions(a, lookedUpB), 'broken'],
  [
    'a lookup that shows other values each time',
    contradicting,
    [a, a, createLookup('c'), createLookup('d'), a, createLookup('e'), a, createLookup('f')],
    'broken',
  ],
  ['a list that follows the lookup', contradicting, [b, b, lookedUpB, lookedUpB], 'settled'],
  ['a lookup that follows the list', contradicting, [a, a, lookedUpA, lookedUpA], 'settled'],
  [
    'replicas that take turns',
    contradicting,
    [a, b, lookedUpB, lookedUpA],
    { undecided: undecidedReasons.changes },
  ],
  ['replicas that take turns, the second one first', contradicting, [b, a, lookedUpB, lookedUpA], 'settled'],
  [
    'replicas at random that differ in the first round',
    contradicting,
    [a, a, lookedUpB, lookedUpB, a, lookedUpA, b, lookedUpA],
    { undecided: undecidedReasons.changes },
  ],
  [
    'replicas at random that agree in the end',
    contradicting,
    [a, a, lookedUpB, lookedUpB, b, lookedUpB, b, lookedUpB],
    'settled',
  ],
  [
    'a list that shows the customer only in the first round',
    contradicting,
    [a, a, lookedUpB, lookedUpB, elsewhere],
    { undecided: undecidedReasons.notShown },
  ],
  [
    'a list that no longer shows the customer',
    contradicting,
    [elsewhere],
    { undecided: undecidedReasons.notShown },
  ],
  [
    'a list that shows no comparable value',
    contradicting,
    [createList(5)],
    { undecided: undecidedReasons.notShown },
  ],
  ['a lookup that fails', contradicting, [a, a, failed], { undecided: undecidedReasons.notShown }],
  ['a lookup that is rejected each time', [a, rejected], orderRepetitions(a, rejected), 'broken'],
  ['a lookup that is rejected once', [a, rejected], [a, a, lookedUpA, lookedUpA], 'settled'],
  [
    'a list that a shared cache repeats',
    contradicting,
    orderRepetitions({ ...a, isFromCache: true }, lookedUpB),
    { undecided: undecidedReasons.cached },
  ],
  [
    'a list that a shared cache has repeated, and that then follows the lookup',
    contradicting,
    [
      { ...a, isFromCache: true },
      { ...a, isFromCache: true },
      lookedUpB,
      lookedUpB,
      b,
      lookedUpB,
      b,
      lookedUpB,
    ],
    'settled',
  ],
  ['two records of one key', [a, b], orderRepetitions(a, b), 'broken'],
  ['two records of one key, later on one page', [a, b], Array(8).fill(createList('b', 'a')), 'broken'],
  ['a customer whose number was edited', [a, b], [b, b, b, b], 'settled'],
  ['a card that was edited once', cards.slice(0, 2), [cards[1], cards[1], cards[1], cards[1]], 'settled'],
  ['a card that changes each time', cards.slice(0, 2), [cards[2], cards[0], cards[1], cards[2]], 'broken'],
] as [string, Response[], Response[], unknown][])
  test(`repeated requests conclude about ${name}`, async () => {
    const { conclusions, repeatedResponses, comparedResponses } = await confirmResponses(
      responses,
      newResponses,
    );
    expect(conclusions).toEqual([conclusion]);
    expect(repeatedResponses).toEqual(orderRepetitions(0, 1).slice(0, newResponses.length));
    expect(comparedResponses).toEqual([[0, 1, ...repeatedResponses]]);
  });

const uuids = Array.from({ length: 7 }, (_, index) => `cus-${index + 1}`);
const pageOfAll = (reference: string) =>
  createPage(...uuids.map((uuid) => createCustomer(reference, { uuid })));
const [pageA, pageB] = [pageOfAll('a'), pageOfAll('b')];

test('five contradictions of a rule are repeated: if all five are broken, the other two are broken', async () => {
  const confirming = orderRepetitions(pageA, pageB);
  const open = { undecided: undecidedReasons.notRepeated };
  const allBroken = await confirmResponses([pageA, pageB], Array(5).fill(confirming).flat());
  expect(allBroken.conclusions).toEqual(Array(7).fill('broken'));
  const lastSettled = [...Array(4).fill(confirming).flat(), ...Array(4).fill(pageA)];
  const settled = await confirmResponses([pageA, pageB], lastSettled);
  expect(settled.conclusions).toEqual([...Array(4).fill('broken'), 'settled', open, open]);
  const unanswered = await confirmResponses([pageA, pageB], []);
  expect(unanswered.conclusions.slice(5)).toEqual([open, open]);
});

test('pages that contradict themselves do not count among the five contradictions', async () => {
  const ambiguous = uuids
    .slice(1)
    .flatMap((uuid) => [createCustomer('x', { uuid }), createCustomer('y', { uuid })]);
  const edited = await confirmResponses([createPage(...ambiguous, createCustomer('a')), b], [b, b, b, b]);
  expect(edited.conclusions).toEqual([...Array(6).fill('broken'), 'settled']);
});

test('a page that contradicts itself is not requested again', async () => {
  expect(await confirmResponses([ab], [])).toMatchObject({
    conclusions: ['broken'],
    comparedResponses: [[0]],
  });
});

test('a confirmed contradiction has the places of the last responses', async () => {
  const { indicesOnPages } = await confirmResponses([a, b], Array(8).fill(createList('c', 'a', 'b')));
  expect(indicesOnPages).toEqual([[1, 2]]);
});

test('a key that seems to name two records is compared with no lookup', async () => {
  const responses = [a, createLookup('c'), b];
  const { conclusions } = await confirmResponses(responses, orderRepetitions(a, b));
  expect(conclusions).toEqual(['broken']);
  const edited = await confirmResponses(responses, [b, b, b, b, ...orderRepetitions(a, createLookup('c'))]);
  expect(edited.conclusions).toEqual(['settled', 'broken']);
});
