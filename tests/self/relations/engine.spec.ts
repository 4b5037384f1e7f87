import { expect, test } from '@playwright/test';
import { loadContract, type Operation, type Rule } from '../../../schemas/contract/contract.ts';
import { confirmAll, undecided } from '../../../src/relations/confirm.ts';
import type { IsLater } from '../../../src/relations/contradictions.ts';
import { Relations } from '../../../src/relations/relations.ts';
import type { Seen } from '../../../src/relations/shown.ts';

/* What responses say beside each other: letters are values of `reference_number`, all of one customer unless said. */

const isKnown = ({ address }: Rule) => /\/(uuid-is|listed-is|same-as|token-as|card-is|id-is)-/.test(address);
const operations = loadContract().operations.map((one) => ({ ...one, rules: one.rules.filter(isKnown) }));
const operation = (id: string) => operations.find((one) => one.id === id) as Operation;

type Shows = Omit<Seen<number>, 'source'>;
type Customer = Record<string, unknown>;

const token = { token_type: 'AlipayAutoDebit', token: 'tok', state: 'Active', default: true };
const customer = (reference: unknown, more: Customer = {}): Customer => ({
  uuid: 'cus-1',
  dial_code: '+1',
  reference_number: reference,
  ...more,
});
const success = (id: string, parameters: Record<string, string>, data: object): Shows => ({
  operation: operation(id),
  parameters,
  kind: 'success',
  body: { code: 200, message: 'ok', data },
});
const page = (...customers: Customer[]) => success('listCustomers', {}, { customers });
const list = (...references: unknown[]) => page(...references.map((one) => customer(one)));
const lookup = (reference: unknown, more?: Customer) =>
  success('getCustomer', { id: 'cus-1' }, { customer: customer(reference, more) });
const card = (reference: string) =>
  success('getCard', { id: 'card-1' }, { card: { id: 'card-1', reference_id: reference } });
const uuid = (n: number) => `7c0f3a52-5d0e-4a43-9d5b-00000000000${n}`;
const rejected: Shows = { ...lookup('a'), kind: 'rejection', body: {} };
const failed: Shows = { ...lookup('a'), kind: 'server error', body: {} };

const [unique, found, same, presentAs, constant] = [
  'listCustomers/rules/uuid-is-unique',
  'getCustomer/rules/listed-is-found',
  'getCustomer/rules/same-as-listed',
  'getCustomer/rules/token-as-listed',
  'getCard/rules/card-is-constant',
] as const;

/** What is known once all were seen: rules that were kept, and how often, and contradictions by their rules. */
function seenAll(responses: Shows[], isLater?: IsLater<number>) {
  const relations = new Relations<number>(operations, { secret: 'secret', ...(isLater ? { isLater } : {}) });
  const all = responses.map((one, source) => relations.see({ ...one, source }));
  const kept: Record<string, number> = {};
  for (const one of all)
    for (const [address, { places }] of Object.entries(one.kept))
      kept[address] = (kept[address] ?? 0) + places;
  const found = relations.contradictions.all();
  const told = (list: typeof found) =>
    list.map(({ rule, first, second }) => [rule.address, first.source, second.source]);
  return {
    relations,
    kept,
    broken: told(found.filter(({ isBroken }) => isBroken)),
    open: told(found.filter(({ isBroken }) => !isBroken)),
  };
}

type Told = [address: string, first: number, second: number][];

const [a, b, c] = [list('a'), list('b'), list('c')];
const ab = list('a', 'b');
const [lookedUpA, lookedUpB] = [lookup('a'), lookup('b')];
const cards = [1, 2, 3].map((n) => card(uuid(n))) as [Shows, Shows, Shows];
const [once, twice, agreed] = [
  { [unique]: 1 },
  { [unique]: 2 },
  { [unique]: 1, [found]: 1, [same]: 1, [presentAs]: 1 },
];
const withToken = lookup('a', { default_payment_token: token });
const tokenAnd = (more: string) => page(customer('a', { default_payment_token: token }), customer(more));
const otherWithToken = lookup('b', { default_payment_token: token });
const onlyToken = page(customer(5, { default_payment_token: token }));
const capitals = list(uuid(7).toUpperCase());
const rejectedCard: Shows = { ...card(''), kind: 'rejection' };
const another = { ...lookup('b'), parameters: { id: 'cus-2' } };

for (const [name, responses, kept, open = [], broken = []] of [
  ['a list and a lookup that agree', [a, lookedUpA], agreed],
  ['a lookup before the list', [lookedUpA, a], once],
  ['a listed record that is rejected', [a, rejected], once, [[found, 0, 1]]],
  ['a record that is listed after it was rejected', [rejected, a], once, [[found, 0, 1]]],
  ['a lookup that fails', [a, failed], once],
  ['another number, and no token', [a, otherWithToken], { ...once, [found]: 1 }, [[same, 0, 1]]],
  [
    'a number that breaks its own rule, after another',
    [a, onlyToken, otherWithToken],
    { ...once, [found]: 1 },
    [[same, 1, 2]],
  ],
  ['a token only in the lookup', [a, withToken], { ...once, [found]: 1, [same]: 1 }, [[presentAs, 0, 1]]],
  ['another customer than the one that was requested', [a, another], once],
  ['two numbers of one key, on two pages', [a, b, b], { [unique]: 3 }, [[unique, 0, 1]]],
  ['two numbers of one key, on one page', [ab], twice, [], [[unique, 0, 0]]],
  ['two on two pages, then on one', [a, b, ab], { [unique]: 4 }, [], [[unique, 2, 2]]],
  ['a key of two, beside a lookup', [ab, lookup('c')], twice, [], [[unique, 0, 0]]],
  ['one record twice on a page', [list('a', 'a')], twice],
  ['twice on a page, once without its token', [withToken, tokenAnd('a')], twice, [[presentAs, 0, 1]]],
  ['a token that is listed no longer', [tokenAnd('a'), lookedUpA], { ...agreed, ...twice }],
  ['a number that breaks its own rule', [list(5)], {}],
  ['a card with that key, rejected', [a, { ...rejectedCard, parameters: { id: 'cus-1' } }], once],
  ['a UUID in either letter case', [capitals, lookup(uuid(7))], agreed],
  ['a card again', [cards[0], cards[0], cards[0]], { [constant]: 2 }],
  ['another card', [cards[0], cards[1]], {}, [[constant, 0, 1]]],
  ['a card that is rejected in between', [cards[0], rejectedCard, cards[0]], { [constant]: 1 }],
] as [string, Shows[], Record<string, number>, Told?, Told?][])
  test(`${name}`, () => {
    const { relations: _, ...all } = seenAll(responses);
    expect(all).toEqual({ kept, open, broken });
  });

test('of more contradictions than 10,000 the first are kept', () => {
  const all = (letter: string) =>
    page(...Array.from({ length: 10_050 }, (_, n) => customer(letter, { uuid: `cus-${n}` })));
  const { open, broken } = seenAll([all('a'), all('b')]);
  expect([open.length, broken]).toEqual([10_000, []]);
});

const later: IsLater<number> = (one, other) => one > other;
const backwards: IsLater<number> = (one, other) => one < other;
const aside: IsLater<number> = () => false;
const laterThanSecond: IsLater<number> = (one, other) => one > other && other > 0;

for (const [name, responses, broken, isLater = later] of [
  ['a list that changes', [a, b, lookedUpB, b, c], []],
  ['two records of one key, on a page each', [a, b, b, a], [unique]],
  ['the same from the end of the recording', [a, b, b, a], [], backwards],
  ['the same side by side', [a, b, b, a], [], aside],
  ['first side by side, then one after the other', [a, b, a, b], [unique], laterThanSecond],
  ['first side by side, and then once', [a, b, a], [], laterThanSecond],
  ['a lookup that differs', [a, lookedUpB, a], []],
  ['a lookup that differs again', [a, lookedUpB, a, lookedUpB], [same]],
  ['a lookup that agrees in between', [a, lookedUpB, a, lookedUpA, lookedUpB], []],
  ['a lookup before the list, that differs again', [lookedUpB, a, lookedUpB, a], [same]],
  ['a list that shows what the lookup has shown', [a, lookedUpB, b, lookedUpB], []],
  ['a card that changes once', [cards[0], cards[1], cards[1]], []],
  ['a card that changes back', [cards[0], cards[1], cards[0]], [constant]],
] as [string, Shows[], string[], IsLater<number>?][])
  test(`of a recording: ${name}`, () => {
    expect(seenAll(responses, isLater).broken.map(([address]) => address)).toEqual(broken);
  });

test('records beyond what is kept, or shown by too many responses, are counted', () => {
  const other = page(customer('x', { uuid: 'cus-2' }));
  const two = page(customer('a'), customer('x', { uuid: 'cus-2' }));
  const relations = new Relations<number>(operations, { secret: '', maxRecords: 1 });
  const all = [two, b, other, a].map((one, source) => relations.see({ ...one, source }));
  expect(all.map(({ kept }) => kept[unique]?.places)).toEqual([1, undefined, undefined, 1]);
  expect(relations.notCompared).toBe(3);
});

test('a response that shows several records counts once', () => {
  const two = page(customer('a'), customer('x', { uuid: 'cus-2' }));
  const relations = new Relations<number>(operations, { secret: '', maxRecords: 2 });
  for (const [source, response] of [two, b].entries()) relations.see({ ...response, source });
  expect(relations.notCompared).toBe(0);
  relations.see({ ...c, source: 2 });
  expect(relations.notCompared).toBe(1);
});

test('a record is shown by a lookup, or by a list', () => {
  for (const one of [lookedUpA, a]) {
    const relations = new Relations<number>(operations, { secret: '' });
    expect(relations.isShown(lookedUpA)).toBe(false);
    relations.see({ ...one, source: 0 });
    expect([relations.isShown(lookedUpA), relations.isShown(a)]).toEqual([true, false]);
  }
});

test('what was seen in an earlier run, or by another shard, is held against what is seen now', () => {
  const before = new Relations<number>(operations, { secret: 'secret' });
  const nameless = customer('n', { uuid: null });
  const ofPage = page(customer('x', { uuid: 'cus-2' }), nameless, customer('a'));
  const { shown } = before.see({ ...ofPage, source: 0 });
  const relations = new Relations<number>(operations, { secret: 'secret' });
  relations.see({ ...b, source: 1 });
  const related = relations.replay(a.operation, shown, 7);
  expect(related).toMatchObject({ kept: { [unique]: { places: 2, requests: 1 } }, repeated: 0 });
  const [contradiction] = relations.contradictions.all();
  expect(contradiction).toMatchObject({ first: { source: 1 }, second: { source: 7 } });
  expect(contradiction?.second.index).toBe(2);
});

/** Confirms what is open once all were seen; requests are answered in order. */
async function confirmed(responses: Shows[], answers: Shows[]) {
  const { relations } = seenAll(responses);
  const left = [...answers];
  const asked: number[] = [];
  const ask = async (source: number) => {
    asked.push(source);
    return { ...(left.shift() ?? failed), source };
  };
  const { confirmed: all } = await confirmAll(relations, ask, { isMock: true });
  const indices = all.map(({ contradiction: { first, second } }) => [first.index, second.index]);
  const conclusions = all.map(({ conclusion }) => conclusion);
  return { conclusions, indices, asked, sent: all.map(({ sent }) => sent) };
}

const contradicting = [a, lookedUpB];
const elsewhere = page(customer('a', { uuid: 'cus-2' }));
for (const [name, seen, answers, conclusion] of [
  ['four that agree', contradicting, [a, a, lookedUpB, lookedUpB], 'broken'],
  ['a lookup that shows a third value', contradicting, [a, a, lookup('c'), lookup('d')], 'broken'],
  ['a list that follows the lookup', contradicting, [b, b, lookedUpB, lookedUpB], 'settled'],
  ['a lookup that follows the list', contradicting, [a, a, lookedUpA, lookedUpA], 'settled'],
  ['replicas in turn', contradicting, [a, b, lookedUpB, lookedUpA], { undecided: undecided.changes }],
  ['replicas in turn, the other first', contradicting, [b, a, lookedUpB, lookedUpA], 'settled'],
  ['a list that no longer shows it', contradicting, [elsewhere], { undecided: undecided.notShown }],
  ['a list that shows nothing to compare', contradicting, [list(5)], { undecided: undecided.notShown }],
  ['a lookup that fails', contradicting, [a, a, failed], { undecided: undecided.notShown }],
  ['rejected again', [a, rejected], [a, a, rejected, rejected], 'broken'],
  ['found then', [a, rejected], [a, a, lookedUpA, lookedUpA], 'settled'],
  ['two records of one key', [a, b], [a, a, b, b], 'broken'],
  ['two records of one key, on one page by now', [a, b], Array(4).fill(list('b', 'a')), 'broken'],
  ['a customer who was edited', [a, b], [b, b, b, b], 'settled'],
  ['a card that has changed once', cards.slice(0, 2), [cards[1], cards[1], cards[1], cards[1]], 'settled'],
  ['a card that changes each time', cards.slice(0, 2), [cards[2], cards[0], cards[1], cards[2]], 'broken'],
] as [string, Shows[], Shows[], unknown][])
  test(`asked again: ${name}`, async () => {
    const { conclusions, asked, sent } = await confirmed(seen, answers);
    expect(conclusions).toEqual([conclusion]);
    expect([0, 0, 1, 1]).toEqual(expect.arrayContaining(asked));
    expect(sent).toEqual([[0, 1, ...asked]]);
  });

const uuids = Array.from({ length: 7 }, (_, n) => `cus-${n + 1}`);
const both = (one: string, other: string) =>
  [one, other].map((reference) => page(...uuids.map((uuid) => customer(reference, { uuid }))));

test('of the contradictions of a rule five are confirmed: if all five are broken, the others are believed', async () => {
  const [first, second] = both('a', 'b') as [Shows, Shows];
  const agreeing = [first, first, second, second];
  const open = { undecided: undecided.notAsked };
  const each = await confirmed([first, second], Array(5).fill(agreeing).flat());
  expect(each.conclusions).toEqual(Array(7).fill('broken'));
  const settled = await confirmed(
    [first, second],
    [...Array(4).fill(agreeing).flat(), ...Array(4).fill(first)],
  );
  expect(settled.conclusions).toEqual([...Array(4).fill('broken'), 'settled', open, open]);
  const none = await confirmed([first, second], []);
  expect(none.conclusions.slice(5)).toEqual([open, open]);
  // What a page shows by itself says nothing of what only two responses show.
  const shared = uuids.slice(1).flatMap((uuid) => [customer('x', { uuid }), customer('y', { uuid })]);
  const edited = await confirmed([page(...shared, customer('a')), b], [b, b, b, b]);
  expect(edited.conclusions).toEqual([...Array(6).fill('broken'), 'settled']);
});

test('two of one key on a page are asked for no more; on two pages, they are told where they were seen last', async () => {
  expect(await confirmed([ab], [])).toMatchObject({ conclusions: ['broken'], sent: [[0]] });
  const { indices } = await confirmed([a, b], Array(4).fill(list('c', 'a', 'b')));
  expect(indices).toEqual([[1, 2]]);
});

test('a key that names two records, as far as is known, is held against no lookup', async () => {
  const seen = [a, lookup('c'), b];
  const { conclusions } = await confirmed(seen, [a, a, b, b]);
  expect(conclusions).toEqual(['broken']);
  const edited = await confirmed(seen, [b, b, b, b, a, a, lookup('c'), lookup('c')]);
  expect(edited.conclusions).toEqual(['settled', 'broken']);
});
