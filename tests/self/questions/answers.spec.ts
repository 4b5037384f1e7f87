import { expect, test } from '@playwright/test';
import { success } from '../../../mock/responses.ts';
import type { Alter, MockOptions } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { ProbeAnswer } from '../../../src/questions/answers.ts';
import { applyInOrder } from '../harness/edits.ts';
import { json } from '../harness/examples.ts';
import { customersUpTo, type ListOptions, listProvider } from '../harness/list-provider.ts';
import { answerQuestions, answerQuestionsBriefly, listDrift, oneOfEach } from '../harness/observing.ts';
import { expectRequestedOnce } from '../harness/whole-run.ts';
import { createPopulation } from '../mock/population.ts';
import { answerCases, defaultAnswers } from './answer-cases.ts';

test.describe.configure({ mode: 'parallel' });

const [shortList, asIfAbsent] = ['not reached by this list', 'as if it were not there'];
const undecidedAnswers = ['unknown', shortList];

function listUnforeseenAnswers(answersByQuestion: Record<string, string>): string[] {
  const unforeseenAnswers: string[] = [];
  for (const { id, answers: possibleAnswers } of loadContract().questions) {
    const answer = answersByQuestion[id] ?? '';
    // A possible answer such as `refused as …` stands for any text in place of `…`.
    const patterns = possibleAnswers.map((text) => new RegExp(`^${text.replaceAll('…', '.+')}$`));
    const isForeseen = undecidedAnswers.includes(answer) || patterns.some((pattern) => pattern.test(answer));
    if (!isForeseen) unforeseenAnswers.push(`${id}: ${answer}`);
  }
  return unforeseenAnswers;
}

function formatAnswers(observed: ProbeAnswer[], questionIds = Object.keys(defaultAnswers)): string {
  const selectedAnswers = observed.filter(({ id }) => questionIds.includes(id));
  const lines = selectedAnswers.flatMap(({ id, answer, confidence, evidence }) => [
    `${id}: ${answer}, ${confidence}`,
    ...evidence,
    '',
  ]);
  return lines.join('\n');
}

test('33 probes answer every question correctly', async () => {
  const { answers, observed, errorResponses, findings, notes, comparable, requests, extraCount, probed } =
    await answerQuestions();
  expect(formatAnswers(observed)).toMatchSnapshot(['evidence', 'usual.txt']);
  expect(listUnforeseenAnswers(answers)).toEqual([]);
  expect(errorResponses).toEqual(
    [
      { operation: 'getFeeRules', statuses: [400, 404], responses: 6 },
      { operation: 'listCustomers', statuses: [400], responses: 7 },
      { operation: 'getCustomer', statuses: [404], responses: 2 },
      { operation: 'getCard', statuses: [404], responses: 2 },
    ].map((summary) => ({ ...summary, body: 'JSON of `code` integer, `data` null, `message` string' })),
  );
  const unaskable = loadContract().questions.flatMap((question) => (question.unaskable ? question.id : []));
  const unknownIds = observed.filter(({ confidence }) => confidence === 'unknown').map(({ id }) => id);
  expect(unknownIds.filter((id) => id !== 'greatest-page-size')).toEqual(unaskable);
  // The key `unaskable` of the question says why no request answers it.
  expect(observed.flatMap(({ id, evidence }) => (evidence.length === 0 ? id : []))).toEqual(unaskable);
  const counts = { comparable: 0, extraCount: 33, probed: 33 };
  expect({ findings, notes, comparable, extraCount, probed }).toEqual({ findings: [], notes: [], ...counts });
  // A path may be requested twice with different headers, and the run requests both lists again at its end.
  const uniqueRequests = requests.filter(({ path }) => !/(type=business|\/customers|limit=\d+)$/.test(path));
  expectRequestedOnce([...uniqueRequests, ...requests.filter(({ method }) => method !== 'GET')]);
});

test('without probes, the ordinary responses answer some questions', async () => {
  const { answers, extraCount, observed } = await answerQuestions({}, { probes: false });
  expect(extraCount).toBe(0);
  expect(answers).toMatchObject({ 'offset-unit': 'records', 'card-types': defaultAnswers['card-types'] });
  expect(answers).toMatchObject({ 'limit-zero': 'unknown', 'missing-user-id': 'refused as 400' });
  const zero = observed.find(({ id }) => id === 'limit-zero');
  expect(zero).toMatchObject({ confidence: 'unknown', evidence: ['not sent: PROBES is off'] });
});

for (const [name, choices, ...alters] of answerCases)
  test(`a provider with ${name} changes only the answers that follow from its choices`, async () => {
    const run = await answerQuestions({ choices, alter: applyInOrder(...alters) }, {}, defaultAnswers);
    const changedAnswers = run.observed.filter(({ id, answer }) => answer !== defaultAnswers[id]);
    expect(formatAnswers(changedAnswers)).toMatchSnapshot(['evidence', `${name}.txt`]);
    expect(listUnforeseenAnswers(run.answers)).toEqual([]);
    // An answer that is withheld or unknown counts as unchanged.
    const changedIds = changedAnswers
      .filter(({ answer }) => !/shaped "|withheld|^unknown$/.test(answer))
      .map(({ id }) => id);
    expect(listDrift(run)).toEqual(changedIds);
    expect(run.findings.map(({ kind, question }) => `${kind} ${question}`).sort()).toEqual(
      changedIds.map((id) => `drift ${id}`).sort(),
    );
  });

const serveList = (options: Partial<ListOptions>): MockOptions => ({
  choices: { trailingSlash: 'accepted' },
  alter: listProvider({ population: 75, maxLimit: 2000, ...options }).alter,
});
const isLinkedByParity = (place: number, source: string) => place % 2 === (source === 'User' ? 0 : 1);
const longList = { population: 1500, isLinked: isLinkedByParity };
const createUnknownAnswers = (ids: string) => Object.fromEntries(ids.split(' ').map((id) => [id, 'unknown']));

const createSizeAnswer = (text: string) => ({ 'greatest-page-size': text });
const fiveOnOnePage = { population: 5, offset: 'pages', pastEnd: 'rejected' } as const;
const isLinkedByHalf = (place: number, source: string) => (source === 'User') === place < 20;
const growList: ListOptions['changeList'] = (customers) => customersUpTo(customers.length + 1).reverse();
const rotateList: ListOptions['sortList'] = (customers, requestNumber) => [
  ...customers.slice(requestNumber),
  ...customers.slice(0, requestNumber),
];
const customersWithOneWithoutUuid = customersUpTo(75).map((customer, index) =>
  index === 0 ? { ...customer, uuid: '' } : customer,
);
const pagesOfFifty = { limit: 'rejected below', defaultLimit: 50, maxLimit: 50 } as const;
const failAtOffset50: ListOptions['createFaultyPage'] = ({ offset }) =>
  offset === 50 ? json(500, {}) : undefined;
const limitPagesOf1000: ListOptions['createFaultyPage'] = ({ limit }) =>
  limit === 1000 ? json(429, {}) : undefined;
function failRepetitions(): NonNullable<ListOptions['createFaultyPage']> {
  const earlierQueries = new Set<string>();
  return ({ query }) => {
    if (earlierQueries.has(`${query}`)) return json(503, {});
    earlierQueries.add(`${query}`);
    return undefined;
  };
}
const answersLostByMoving = 'offset-unit unknown-parameter';
const pagingAnswers = { 'default-page-size': '20', 'limit-honoured': 'yes', 'offset-unit': 'records' };
const answersLostByEmptyList =
  'unknown-parameter long-request limit-honoured limit-zero limit-huge beyond-the-end default-page-size ' +
  'greatest-page-size offset-unit repeated-parameter trailing-slash';

/** Behaviour of the customers list and expected answers: `{ offset: 'pages' }`, `{ 'offset-unit': 'pages' }`. */
const listRows: [what: string, options: Partial<ListOptions>, answers: Record<string, string>][] = [
  [
    'limits above 100 rejected',
    { ...longList, limit: 'rejected above', maxLimit: 100 },
    createSizeAnswer('at least 100, below 1000'),
  ],
  ['pages of 100 at most', { ...longList, maxLimit: 100 }, createSizeAnswer('100')],
  ['pages of any length', longList, createSizeAnswer('1000')],
  [
    'no page of 1000 because of a rate limit',
    { ...longList, createFaultyPage: limitPagesOf1000 },
    createSizeAnswer('unknown'),
  ],
  ['a limit that is raised', { limit: 'raised', defaultLimit: 5 }, createUnknownAnswers('limit-honoured')],
  [
    'five customers for any limit',
    { createFaultyPage: ({ query }) => (query.has('limit') ? customersUpTo(5) : undefined) },
    createUnknownAnswers('limit-honoured'),
  ],
  ['each page with the beginning of it', { offset: 'page starts' }, createUnknownAnswers('offset-unit')],
  ['one customer at a time', { population: 5, maxLimit: 1 }, createUnknownAnswers('order-stability')],
  ['pages of 50 alone, of which one is broken', { ...pagesOfFifty, createFaultyPage: failAtOffset50 }, {}],
  ['pages', { offset: 'pages', pastEnd: 'rejected' }, { 'offset-unit': 'pages' }],
  ['one page, and an end that is rejected', fiveOnOnePage, createUnknownAnswers('offset-unit')],
  [
    'both sources alike',
    {},
    { ...createUnknownAnswers('omitted-source source-letter-case'), 'default-page-size': '20' },
  ],
  ['customers of both sources', { isLinked: isLinkedByParity }, { 'omitted-source': 'those of both' }],
  [
    'one source first, then the other',
    { isLinked: isLinkedByHalf, maxLimit: 20 },
    createUnknownAnswers('omitted-source'),
  ],
  ['each page once', { createFaultyPage: failRepetitions() }, pagingAnswers],
  ['nobody', { population: 0 }, createUnknownAnswers(answersLostByEmptyList)],
  ['eight customers', { population: 8 }, { 'default-page-size': shortList, 'unknown-parameter': asIfAbsent }],
  [
    'a customer more at each request',
    { changeList: growList },
    createUnknownAnswers(`${answersLostByMoving} default-page-size`),
  ],
  [
    'another order at each request',
    { sortList: rotateList },
    { 'order-stability': 'no', ...createUnknownAnswers(answersLostByMoving) },
  ],
  ['customers without a uuid', { population: customersWithOneWithoutUuid }, pagingAnswers],
];

for (const [what, options, answers] of listRows)
  test(`a list that shows ${what}`, async () => {
    const run = await answerQuestions(serveList(options), { identifiers: oneOfEach });
    expect(run.answers).toMatchObject(answers);
    const queries = run.requests
      .slice(0, -run.extraCount)
      .flatMap(({ path }) => path.split('customers?')[1] ?? []);
    expect([formatAnswers(run.observed, Object.keys(answers)), ...queries.sort()].join('\n')).toMatchSnapshot(
      ['evidence', `${what}.txt`],
    );
  });

const reverseIfOffset: ListOptions['createFaultyPage'] = ({ query }) =>
  query.has('offset') ? customersUpTo(75).reverse() : undefined;
const isLinkedInAnyCase: ListOptions['isLinked'] = (place, source) =>
  source === 'store' || isLinkedByParity(place, source);
const answerUsersWithoutRules: Alter = (answer, { operation, parameters: { user_id } }) =>
  operation === 'getFeeRules' && user_id ? success({ fee_rules: [] }) : answer;
const answersWithoutRules = { 'user-id-with-business': 'unknown', 'unknown-user': 'an empty list' };
const answerUsersWithNull: Alter = (answer, { operation, parameters: { type } }) =>
  operation === 'getFeeRules' && type === 'user'
    ? { ...answer, status: 200, body: { code: 200, success: false, data: null } }
    : answer;
const answersWithoutData = { 'missing-user-id': 'no list', 'unknown-user': 'no list' };
const answerLimit0WithNull: Alter = (answer, { operation, parameters: { limit } }) =>
  operation === 'listCustomers' && limit === '0' ? success({ customers: null }) : answer;
const answerWithoutRecords: Alter = () => success({ fee_rules: [], customers: [] });
const answersLostWithoutRecords = 'unknown-user fee-forms payment-methods credit-card-presence';
const ignoredLimit: MockOptions = {
  choices: { limitIgnored: true },
  store: createPopulation({ customers: 8 }),
};
const onePage = { limit: 'rejected above', population: 20, offset: 'pages' } as const;

const ignoreOffsetWithoutLimit: ListOptions['createFaultyPage'] = ({ query }) =>
  query.has('limit') ? undefined : customersUpTo(20);
const countLimitAbove30As10: ListOptions['createFaultyPage'] = ({ query }) =>
  Number(query.get('limit')) > 30 ? customersUpTo(10) : undefined;

/** Misleading provider and the correct answers: `null in place of a list`, `{ 'limit-zero': 'no list' }`. */
const mistakableRows: [what: string, options: MockOptions, answers: Record<string, string>][] = [
  ['a user without rules', { alter: answerUsersWithoutRules }, answersWithoutRules],
  ['null in place of fee rules', { alter: answerUsersWithNull }, answersWithoutData],
  ['null in place of a list', { alter: answerLimit0WithNull }, { 'limit-zero': 'no list' }],
  ['no record', { alter: answerWithoutRecords }, createUnknownAnswers(answersLostWithoutRecords)],
  [
    'a list that any offset turns',
    serveList({ createFaultyPage: reverseIfOffset }),
    createUnknownAnswers('offset-unit'),
  ],
  [
    'an ignored letter case',
    serveList({ isLinked: isLinkedInAnyCase }),
    { 'source-letter-case': asIfAbsent },
  ],
  ['a limit that is ignored by a short list', ignoredLimit, createUnknownAnswers('limit-negative')],
  [
    'two customers',
    serveList({ population: 2 }),
    { 'limit-honoured': 'yes', ...createUnknownAnswers('repeated-parameter') },
  ],
  ['three customers', serveList({ population: 3 }), { 'repeated-parameter': 'the first' }],
  [
    'an offset that needs a limit',
    serveList({ createFaultyPage: ignoreOffsetWithoutLimit }),
    createUnknownAnswers('offset-unit'),
  ],
  [
    'a limit above 30 that is rejected',
    serveList({ limit: 'rejected above', maxLimit: 30 }),
    createSizeAnswer('at least 20, below 50'),
  ],
  [
    'a limit above 30 that counts as 10',
    serveList({ createFaultyPage: countLimitAbove30As10 }),
    createSizeAnswer('at least 20, below 50'),
  ],
  ['a maximum of 30 that is applied', serveList({ maxLimit: 30 }), createSizeAnswer('30')],
  ['one page that is all', serveList(onePage), { 'offset-unit': 'pages' }],
];

for (const [what, options, answers] of mistakableRows)
  test(`${what} is not taken for another answer`, async () => {
    expect((await answerQuestions(options, { identifiers: oneOfEach })).answers).toMatchObject(answers);
  });

const failList = (status: number, isFailing: (path: string) => boolean): MockOptions => ({
  alter: (response, { operation, path }) => {
    if (operation !== 'listCustomers' || !isFailing(path)) return response;
    return { ...response, status, body: { code: status, message: 'no', data: null } };
  },
});

const answersLostWithoutPages = 'default-page-size limit-zero omitted-source';
const answersWithoutList = {
  ...createUnknownAnswers(answersLostWithoutPages),
  'unknown-card': 'refused as 404',
};
const answersOfOtherLists = {
  ...createUnknownAnswers('offset-unit unknown-parameter'),
  'limit-not-numeric': 'refused as 400',
};
const serverError = { 'limit-honoured': 'server error 500' };

type TransientRow = [what: string, options: MockOptions, answers: Record<string, string>];
const isEveryList = () => true;
const transientRows: TransientRow[] = [
  ['each list answered with 401', failList(401, isEveryList), answersWithoutList],
  ['each list answered with 503', failList(503, isEveryList), answersWithoutList],
  ['one list answered with 503', failList(503, (path) => !path.includes('?')), answersOfOtherLists],
  ['a limit of 1 answered with 500', failList(500, (path) => path.endsWith('limit=1')), serverError],
];

for (const [what, options, answers] of transientRows)
  test(`${what}: questions without a lasting answer are unknown and unchanged`, async () => {
    const run = await answerQuestionsBriefly(options, {}, { ...defaultAnswers, ...serverError });
    expect(formatAnswers(run.observed, Object.keys(answers))).toMatchSnapshot(['evidence', `${what}.txt`]);
    expect(run.answers).toMatchObject(answers);
    expect(run.findings.filter(({ question = '' }) => question in answers)).toEqual([]);
  });

test('an object whose fields are named like methods is read as a value', async () => {
  const misleadingObject = { toString: 1, valueOf: 1, toJSON: 1, length: -1 };
  const { answers } = await answerQuestions({
    alter: (answer, { operation }) => {
      if (answer.status >= 400)
        return { ...answer, body: { code: misleadingObject, message: misleadingObject } };
      const data =
        operation === 'getCard'
          ? { card: { status: misleadingObject } }
          : { customer: { default_payment_token: { token_type: misleadingObject } } };
      return operation === 'listCustomers'
        ? answer
        : { ...answer, body: { code: 200, message: misleadingObject, data } };
    },
  });
  expect(answers).toMatchObject({
    'card-statuses': 'an object with 4 fields',
    'credit-card-presence': expect.stringContaining('another type never'),
    'offset-unit': 'records',
    'refusal-form': 'HTTP 4xx with JSON of `code` object, `message` object',
  });
});
