import { expect, test } from '@playwright/test';
import { success } from '../../../mock/answers.ts';
import type { Alter, MockOptions } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { ProbeAnswer } from '../../../src/questions/answers.ts';
import { json } from '../harness/examples.ts';
import { customersUpTo, type ListOptions, listProvider } from '../harness/list-provider.ts';
import { behaviourOf, briefBehaviourOf, drifted, oneOfEach } from '../harness/observing.ts';
import { expectAskedOnce } from '../harness/whole-run.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { answerCases, defaultAnswers } from './answer-cases.ts';

test.describe.configure({ mode: 'parallel' });

const [shortList, ignored] = ['not reached by this list', 'as if it were not there'];

/** Answers that the list of questions does not foresee. */
function unforeseen(answers: Record<string, string>): string[] {
  const fits = (id: string, foreseen: string) =>
    new RegExp(`^${foreseen.replaceAll('…', '.+')}$`).test(answers[id] ?? '');
  return loadContract()
    .questions.filter(({ id }) => !['unknown', shortList].includes(answers[id] ?? ''))
    .filter(({ id, answers: foreseen }) => !foreseen.some((one) => fits(id, one)))
    .map(({ id }) => `${id}: ${answers[id]}`);
}

/** Answers to questions, how sure they are, and what shows them. */
const told = (observed: ProbeAnswer[], ids = defaultAnswers) =>
  observed
    .filter(({ id }) => Object.hasOwn(ids, id))
    .flatMap(({ id, answer, confidence, evidence }) => [`${id}: ${answer}, ${confidence}`, ...evidence, ''])
    .join('\n');

test('every question is answered, and rightly, by 34 requests of their own', async () => {
  const { answers, observed, findings, notes, comparable, requests, extra, probed } = await behaviourOf();
  expect(told(observed)).toMatchSnapshot(['evidence', 'usual.txt']);
  expect(unforeseen(answers)).toEqual([]);
  const unaskable = loadContract().questions.flatMap((one) => (one.unaskable ? one.id : []));
  const open = observed.filter(({ confidence }) => confidence === 'unknown').map(({ id }) => id);
  expect(open.filter((id) => id !== 'greatest-page-size')).toEqual(unaskable);
  // The question itself says why.
  expect(observed.flatMap(({ id, evidence }) => (evidence.length === 0 ? id : []))).toEqual(unaskable);
  const counts = { comparable: 0, extra: 34, probed: 34 };
  expect({ findings, notes, comparable, extra, probed }).toEqual({ findings: [], notes: [], ...counts });
  // The same address with other headers is another request; both lists are requested again at the end.
  const once = requests.filter(({ path }) => !/(type=business|\/customers|limit=\d+)$/.test(path));
  expectAskedOnce([...once, ...requests.filter(({ method }) => method !== 'GET')]);
});

test('without probes the ordinary answers are read all the same', async () => {
  const { answers, extra, observed } = await behaviourOf({}, { probes: false });
  expect(extra).toBe(0);
  expect(answers).toMatchObject({ 'offset-unit': 'records', 'card-types': defaultAnswers['card-types'] });
  expect(answers).toMatchObject({ 'limit-zero': 'unknown', 'missing-user-id': 'refused as 400' });
  const zero = observed.find(({ id }) => id === 'limit-zero');
  expect(zero).toMatchObject({ confidence: 'unknown', evidence: ['not asked: PROBES is off'] });
});

for (const [name, choices, ...alters] of answerCases)
  test(`only answers that are the work of it differ of ${name}`, async () => {
    const run = await behaviourOf({ choices, alter: inTurn(...alters) }, {}, defaultAnswers);
    const others = run.observed.filter(({ id, answer }) => answer !== defaultAnswers[id]);
    expect(told(others)).toMatchSnapshot(['evidence', `${name}.txt`]);
    expect(unforeseen(run.answers)).toEqual([]);
    // An answer that is withheld or unknown today is no change.
    const changed = others
      .filter(({ answer }) => !/shaped "|withheld|^unknown$/.test(answer))
      .map(({ id }) => id);
    expect(drifted(run)).toEqual(changed);
    expect(run.findings.map(({ kind, question }) => `${kind} ${question}`).sort()).toEqual(
      changed.map((id) => `drift ${id}`).sort(),
    );
  });

const listed = (options: Partial<ListOptions>): MockOptions => ({
  choices: { trailingSlash: 'accepted' },
  alter: listProvider({ population: 75, maxLimit: 2000, ...options }).alter,
});
const isOdd = (place: number, source: string) => place % 2 === (source === 'User' ? 0 : 1);
const many = { population: 1500, isLinked: isOdd };
const unknown = (ids: string) => Object.fromEntries(ids.split(' ').map((id) => [id, 'unknown']));

const size = (text: string) => ({ 'greatest-page-size': text });
const fiveOnOnePage = { population: 5, offset: 'pages', pastEnd: 'rejected' } as const;
const firstUsers = (place: number, source: string) => (source === 'User') === place < 20;
const growing: ListOptions['moving'] = (now) => customersUpTo(now.length + 1).reverse();
const rotated: ListOptions['order'] = (now, ordinal) => [...now.slice(ordinal), ...now.slice(0, ordinal)];
const oneWithoutUuid = customersUpTo(75).map((one, index) => (index === 0 ? { ...one, uuid: '' } : one));
const fifties = { limit: 'rejected below', defaultLimit: 50, maxLimit: 50 } as const;
const atFifty: ListOptions['failing'] = ({ offset }) => (offset === 50 ? json(500, {}) : undefined);
const moved = 'offset-unit unknown-parameter';
const paged = { 'default-page-size': '20', 'limit-honoured': 'yes', 'offset-unit': 'records' };
const ofNobody =
  'unknown-parameter long-request limit-honoured limit-zero limit-huge beyond-the-end default-page-size ' +
  'greatest-page-size offset-unit repeated-parameter trailing-slash';

/** What lists show, by how they are paged. Where several providers may have shown it, the answer is unknown. */
const ofLists: [what: string, options: Partial<ListOptions>, answers: Record<string, string>][] = [
  ['limits above 100 rejected', { ...many, limit: 'rejected above', maxLimit: 100 }, size('100')],
  ['pages of 100 at most', { ...many, maxLimit: 100 }, size('100')],
  ['pages of any length', many, size('1000')],
  ['a limit that is raised', { limit: 'raised', defaultLimit: 5 }, unknown('limit-honoured')],
  ['each page with the beginning of it', { offset: 'page starts' }, unknown('offset-unit')],
  ['one customer at a time', { population: 5, maxLimit: 1 }, unknown('order-stability')],
  ['pages of 50 alone, of which one is broken', { ...fifties, failing: atFifty }, {}],
  ['pages', { offset: 'pages', pastEnd: 'rejected' }, { 'offset-unit': 'pages' }],
  ['one page, and an end that is rejected', fiveOnOnePage, unknown('offset-unit')],
  ['both sources alike', {}, { ...unknown('omitted-source source-letter-case'), 'default-page-size': '20' }],
  ['customers of both sources', { isLinked: isOdd }, { 'omitted-source': 'those of both' }],
  ['one source first, then the other', { isLinked: firstUsers, maxLimit: 20 }, unknown('omitted-source')],
  ['nobody', { population: 0 }, unknown(ofNobody)],
  ['eight customers', { population: 8 }, { 'default-page-size': shortList, 'unknown-parameter': ignored }],
  ['a customer more at each request', { moving: growing }, unknown(`${moved} default-page-size`)],
  ['another order at each request', { order: rotated }, { 'order-stability': 'no', ...unknown(moved) }],
  ['customers without a uuid', { population: oneWithoutUuid }, paged],
];

for (const [what, options, answers] of ofLists)
  test(`a list that shows ${what}`, async () => {
    const run = await behaviourOf(listed(options), { identifiers: oneOfEach });
    expect(run.answers).toMatchObject(answers);
    const asked = run.requests.slice(0, -run.extra).flatMap(({ path }) => path.split('customers?')[1] ?? []);
    expect([told(run.observed, answers), ...asked.sort()].join('\n')).toMatchSnapshot([
      'evidence',
      `${what}.txt`,
    ]);
  });

const backwards: ListOptions['failing'] = ({ query }) =>
  query.has('offset') ? customersUpTo(75).reverse() : undefined;
const inAnyCase: ListOptions['isLinked'] = (place, source) => source === 'store' || isOdd(place, source);
const noRules: Alter = (answer, { operation, parameters: { user_id } }) =>
  operation === 'getFeeRules' && user_id ? success({ fee_rules: [] }) : answer;
const ofNoRules = { 'user-id-with-business': 'unknown', 'unknown-user': 'an empty list' };
const nothing: Alter = () => success({ fee_rules: [], customers: [] });
const ofNothing = 'unknown-user fee-forms payment-methods credit-card-presence';
const whole: MockOptions = { choices: { limitIgnored: true }, population: { customers: 8 } };
const reachable = { limit: 'rejected above', population: 20, offset: 'pages' } as const;

/** What is easily taken for another answer. */
const mistakable: [what: string, options: MockOptions, answers: Record<string, string>][] = [
  ['a user without rules', { alter: noRules }, ofNoRules],
  ['no record', { alter: nothing }, unknown(ofNothing)],
  ['a list that any offset turns', listed({ failing: backwards }), unknown('offset-unit')],
  ['an ignored letter case', listed({ isLinked: inAnyCase }), { 'source-letter-case': ignored }],
  ['a limit that is ignored by a short list', whole, unknown('limit-negative')],
  ['two customers', listed({ population: 2 }), { 'limit-honoured': 'yes', ...unknown('repeated-parameter') }],
  ['three customers', listed({ population: 3 }), { 'repeated-parameter': 'the first' }],
  ['one page that is all', listed(reachable), { 'offset-unit': 'pages' }],
];

for (const [what, options, answers] of mistakable)
  test(`what is shown by ${what}`, async () => {
    expect((await behaviourOf(options, { identifiers: oneOfEach })).answers).toMatchObject(answers);
  });

const failing = (status: number, isFailing: (path: string) => boolean): MockOptions => ({
  alter: (answer, { operation, path }) =>
    operation === 'listCustomers' && isFailing(path)
      ? { ...answer, status, body: { code: status, message: 'no', data: null } }
      : answer,
});

const noPages = 'default-page-size limit-zero omitted-source';
const ofNoList = { ...unknown(noPages), 'unknown-card': 'refused as 404' };
const ofOther = { ...unknown('offset-unit unknown-parameter'), 'limit-not-numeric': 'refused as 400' };
const serverError = { 'limit-honoured': 'server error 500' };

type Moment = [what: string, options: MockOptions, answers: Record<string, string>];
const moments: Moment[] = [
  ...[401, 503].map((status): Moment => {
    return [`each list answered with ${status}`, failing(status, () => true), ofNoList];
  }),
  ['one list answered with 503', failing(503, (path) => !path.includes('?')), ofOther],
  ['a limit of 1 answered with 500', failing(500, (path) => path.endsWith('limit=1')), serverError],
];

for (const [what, options, answers] of moments)
  test(`${what}: nothing is said of what may pass, and that is no change`, async () => {
    const run = await briefBehaviourOf(options, {}, { ...defaultAnswers, ...serverError });
    expect(told(run.observed, answers)).toMatchSnapshot(['evidence', `${what}.txt`]);
    expect(run.answers).toMatchObject(answers);
    expect(run.findings.filter(({ question = '' }) => question in answers)).toEqual([]);
  });

test('objects that pretend to have methods stand in the place of values', async () => {
  const odd = { toString: 1, valueOf: 1, toJSON: 1, length: -1 };
  const { answers } = await behaviourOf({
    alter: (answer, { operation }) => {
      if (answer.status >= 400) return { ...answer, body: { code: odd, message: odd } };
      const data =
        operation === 'getCard'
          ? { card: { status: odd } }
          : { customer: { default_payment_token: { token_type: odd } } };
      return operation === 'listCustomers' ? answer : { ...answer, body: { code: 200, message: odd, data } };
    },
  });
  expect(answers).toMatchObject({
    'card-statuses': 'an object with 4 fields',
    'credit-card-presence': expect.stringContaining('another type never'),
    'offset-unit': 'records',
    'refusal-form': 'HTTP 4xx with JSON of code, message',
  });
});
