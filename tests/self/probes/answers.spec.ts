import { expect, test } from '@playwright/test';
import { identifiers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { mayBeSame, notReached } from '../../probes/evidence.ts';
import { behaviourOf, drifted } from '../harness/observing.ts';
import { answerCases } from './answer-cases.ts';
import { defaultAnswers } from './default-answers.ts';
import { joinedCases } from './joined-cases.ts';
import { pagingAnswerCases } from './paging-answer-cases.ts';
import { withheld } from './withheld.ts';

test.describe.configure({ mode: 'parallel' });

const ofRecords = new Set(loadContract().questions.flatMap(({ id, records }) => (records ? id : [])));

/** Answers that the list of questions does not foresee. */
function unforeseen(answers: Record<string, string>): string[] {
  const fits = (id: string, foreseen: string) =>
    new RegExp(`^${foreseen.replaceAll('…', '.+')}$`).test(answers[id] ?? '');
  return loadContract()
    .questions.filter(({ id }) => !['unknown', notReached].includes(answers[id] ?? ''))
    .filter(({ id, answers: foreseen }) => !foreseen.some((one) => fits(id, one)))
    .map(({ id }) => `${id}: ${answers[id]}`);
}

test('every question is answered, and rightly', async () => {
  const { answers, observed, findings, notes } = await behaviourOf();
  expect(answers).toEqual(defaultAnswers);
  expect(unforeseen(answers)).toEqual([]);
  const unaskable = loadContract().questions.filter((question) => question.unaskable);
  const open = observed.filter(({ confidence }) => confidence === 'unknown').map(({ id }) => id);
  expect(open.filter((id) => id !== 'greatest-page-size')).toEqual(unaskable.map(({ id }) => id));
  expect(observed.filter(({ evidence }) => evidence.length === 0)).toEqual([]);
  expect({ findings, notes }).toEqual({ findings: [], notes: [] });
});

test('each probe is a GET of its own, and there are at most 40', async () => {
  const { requests, extra } = await behaviourOf();
  const asked = requests.map(({ method, path }) => `${method} ${path}`);
  expect(asked.filter((one) => !one.startsWith('GET '))).toEqual([]);
  // The same address with other headers is another request.
  const business = (one: string) => one.endsWith('fee_rule?type=business');
  const twice = asked.filter((one, index) => asked.indexOf(one) !== index);
  // Each configured card is requested again, to see whether it stays as it is, and so is the longest list.
  const cards = identifiers.CARD_IDS.map((id) => `GET /svc/ts/api/v1/openapi/cards/${id}`);
  const list = expect.stringMatching(/customers\?limit=\d+$/);
  expect(twice.filter((one) => !business(one)).sort()).toEqual([list, ...cards.sort()]);
  expect(asked.filter(business)).toHaveLength(3);
  expect(extra).toBeLessThanOrEqual(40);
});

test('without probes the ordinary answers are read all the same', async () => {
  const { answers, extra, observed } = await behaviourOf({}, { probes: false });
  expect(extra).toBe(0);
  expect(answers).toMatchObject({ 'offset-unit': 'records', 'card-types': defaultAnswers['card-types'] });
  expect(answers).toMatchObject({ 'limit-zero': 'unknown', 'missing-user-id': 'refused as 400' });
  const zero = observed.find(({ id }) => id === 'limit-zero');
  expect(zero).toMatchObject({ confidence: 'unknown', evidence: ['not asked: PROBES is off'] });
});

for (const [name, options, answers] of joinedCases([...answerCases, ...pagingAnswerCases, ...withheld])) {
  test(`${name}: exactly these answers follow`, async () => {
    const run = await behaviourOf(options, {}, defaultAnswers);
    expect(run.answers).toEqual({ ...defaultAnswers, ...answers });
    expect(unforeseen(run.answers)).toEqual([]);
    // What is unknown today is no change.
    const known = Object.keys(answers).filter((id) => !['unknown', notReached].includes(answers[id] ?? ''));
    const changed = known.filter(
      (id) => !ofRecords.has(id) && !mayBeSame(answers[id] ?? '', defaultAnswers[id] ?? ''),
    );
    // Other records, or a list that has become shorter, are no change.
    expect(drifted(run).sort()).toEqual(changed.sort());
    expect(run.findings.map(({ kind, exchange }) => `${kind} ${exchange}`).sort()).toEqual(
      changed.map((id) => `drift ${id}`).sort(),
    );
  });
}

test('a list that is empty without a source is not told to hold the same as both sources', async () => {
  const { observed } = await behaviourOf({
    alter: (answer, { operation, parameters }) => {
      const isEmpty =
        operation === 'listCustomers' && !parameters.linked_source_type && answer.status === 200;
      return isEmpty ? { ...answer, body: { code: 200, data: { customers: [] } } } : answer;
    },
  });
  const omitted = observed.find(({ id }) => id === 'omitted-source');
  expect(omitted).toMatchObject({ answer: 'unknown' });
  expect(omitted?.evidence[0]).toBe('the list without a source is empty');
});
