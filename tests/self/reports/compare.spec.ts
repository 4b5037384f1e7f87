import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { altering, set } from '../../../mock/edits.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { compareRuns, type Differences, sentenceOf } from '../../../reports/comparison/compare-runs.ts';
import { comparisonMarkdown } from '../../../reports/comparison/markdown.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { comparisonPage } from '../../../reports/pages/comparison-page.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { judgedRun } from '../harness/judged-runs.ts';
import { runs, seed } from '../soak.ts';

const { identifiers } = readConfiguration({}, '/nonexistent').target;
const someOf = (variable: string, minLength: number) =>
  fc.shuffledSubarray([...(identifiers[variable] ?? [])], { minLength });

/** How two runs of one target may differ: what they look up, how far, and whether they probe. */
const settings = fc.record({
  identifiers: fc.record({
    CARD_IDS: someOf('CARD_IDS', 1),
    CUSTOMER_IDS: someOf('CUSTOMER_IDS', 0),
    USER_IDS: someOf('USER_IDS', 0),
  }),
  maxPages: fc.integer({ min: 1, max: 4 }),
  probes: fc.boolean(),
});

const idsOf = ({ requirements, behaviour, seen }: Differences) =>
  [...requirements, ...behaviour, ...seen].map(({ id }) => id);

const { questions } = loadContract();

let whole: Conformance;
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  whole = await judgedRun({}, { name: 'production' });
});

test('two runs of one target have no difference, even if they saw different records', async () => {
  for (const one of fc.sample(settings, { seed, numRuns: runs(4) })) {
    const twin = await judgedRun({}, { ...one, name: 'production' });
    expect(idsOf(compareRuns([whole, twin], questions).differences), JSON.stringify(one)).toEqual([]);
    expect(idsOf(compareRuns([twin, whole], questions).differences), JSON.stringify(one)).toEqual([]);
  }
});

const nameless = altering('listCustomers', (answer) => {
  const { customers } = (answer.body as { data: { customers: Record<string, unknown>[] } }).data;
  for (const customer of customers) delete customer.name;
  return answer;
});

const staging = () =>
  judgedRun(
    {
      alter: inTurn(altering('getCard', set('data/card/expiration_date', '1/2')), nameless),
      choices: { repeatedParameter: 'first' },
    },
    { name: 'staging' },
  );

test('a broken rule, another behaviour and a field that is never seen are exactly three differences', async () => {
  const comparison = compareRuns([await staging(), whole], questions);
  expect(comparison.differences).toEqual({
    requirements: [
      {
        id: 'getCard/data/card/expiration_date',
        statement: expect.stringContaining('expiration_date'),
        sides: ['violation in 8 of 8 places, in 8 of 8 requests', 'pass in 8 places'],
      },
    ],
    behaviour: [
      {
        id: 'repeated-parameter',
        statement: 'Which of two values counts when a parameter is repeated?',
        sides: ['the first', 'the last'],
      },
    ],
    seen: [
      {
        id: 'listCustomers/data/customers/*/name present',
        statement: '`name` is there',
        sides: [expect.stringMatching(/^never in \d+$/), expect.stringMatching(/^seen \d+ of \d+ times$/)],
      },
    ],
  });
  expect(idsOf(comparison.undecided)).toEqual([]);
  expect(sentenceOf(comparison)).toBe('3 differences between staging and production');
  for (const text of [comparisonPage(comparison), comparisonMarkdown(comparison)])
    for (const id of idsOf(comparison.differences)) expect(text).toContain(id);
});

test('what a run could not find out is undecided, and of a branch that was not there only the root', () => {
  const run = structuredClone(whole);
  for (const one of run.requirements)
    if (one.address.startsWith('listCustomers/data/customers/*'))
      Object.assign(one, { verdict: 'not exercised', exercised: 0 });
  for (const one of run.observed)
    if (/^unknown-/.test(one.id)) Object.assign(one, { confidence: 'unknown', answer: 'unknown' });
  const { differences, undecided } = compareRuns([run, whole], questions);
  expect(idsOf(differences)).toEqual([]);
  expect(undecided.requirements.map(({ id }) => id)).toEqual(['listCustomers/data/customers/*']);
  expect(undecided.behaviour.map(({ id }) => id)).toContain('unknown-card');
});

test('what could not be compared is counted wherever the outcome is said, and nothing is green', () => {
  const run = { ...structuredClone(whole), target: 'staging' };
  for (const one of run.requirements) Object.assign(one, { verdict: 'not exercised', exercised: 0 });
  const comparison = compareRuns([run, whole], questions);
  const count = idsOf(comparison.undecided).length;
  const sentence = `No difference found between staging and production; ${count} things could not be compared`;
  expect(count).toBeGreaterThan(1);
  expect(sentenceOf(comparison)).toBe(sentence);
  const [page, summary] = [comparisonPage(comparison), comparisonMarkdown(comparison)];
  expect(page).toContain(`<h1>${sentence}</h1>`);
  expect(page).not.toContain('class="verdict pass"');
  expect(summary).toContain(`## ${sentence}\n`);
  for (const text of [page, summary]) expect(text).not.toContain('no differences');
  const twin = compareRuns([{ ...whole, target: 'staging' }, whole], questions);
  expect(sentenceOf(twin)).toBe('No difference between staging and production');
  expect(comparisonPage(twin)).toContain('class="verdict pass"');
});

/** The answer to one question in either run, and whether it is a difference. */
const answers: [id: string, one: string, other: string, differs: boolean][] = [
  ['beyond-the-end', 'an empty list', 'refused as 404', true],
  ['beyond-the-end', 'an empty list', 'no answer', false],
  ['beyond-the-end', 'an empty list', 'refused as 429', false],
  ['beyond-the-end', 'an empty list', 'server error 503', false],
  ['beyond-the-end', 'an empty list', 'server error 500', true],
  ['greatest-page-size', '50', 'not reached by this list', false],
  ['omitted-source', 'those of both', 'those of User, or those of both', false],
  ['sources-disjoint', 'yes', 'no', false],
  ['caching-headers', 'etag', 'age, etag', false],
  ['caching-headers', 'none', 'age, etag', true],
  ['fee-forms', 'a JSON number', '2 decimals as text, an integer as text', true],
];
for (const [id, one, other, differs] of answers) {
  test(`${id}: "${one}" and "${other}" are ${differs ? 'a' : 'no'} difference`, () => {
    const answered = (answer: string) => {
      const run = structuredClone(whole);
      Object.assign(run.observed.find((question) => question.id === id) ?? {}, { answer });
      return run;
    };
    expect(idsOf(compareRuns([answered(one), answered(other)], questions).differences)).toEqual(
      differs ? [id] : [],
    );
  });
}

test('values that happened to be seen differ only where many were seen', () => {
  const answered = (answer: string, count: number) => {
    const run = structuredClone(whole);
    const evidence = [`${count} values at getCard/data/card/status`];
    Object.assign(run.observed.find(({ id }) => id === 'card-statuses') ?? {}, { answer, evidence });
    return run;
  };
  const differences = (count: number) =>
    idsOf(compareRuns([answered('Active', 50), answered('Frozen', count)], questions).differences);
  expect(differences(3)).toEqual([]);
  expect(differences(30)).toEqual(['card-statuses']);
});

test('what limits the comparison is said before all else', () => {
  const other = { ...whole, contract: '0123456789ab', profile: 'documented', verdict: 'error' } as const;
  const shard = { ...other, shard: { current: 1, total: 3 }, requirements: whole.requirements.slice(0, 9) };
  const { caveats } = compareRuns([whole, { ...shard, target: 'staging' }], questions);
  expect(caveats).toEqual([
    expect.stringContaining('different contracts'),
    expect.stringContaining('different profiles: observed and documented'),
    expect.stringContaining('staging is shard 1 of 3'),
    expect.stringContaining('staging ended as error'),
    expect.stringContaining('different numbers of requirements'),
  ]);
  expect(compareRuns([whole, whole], questions).caveats).toEqual(['Both files are of the same run.']);
});

test('no description of a value, place or request of a target is shown, and no text of a file is markup', async () => {
  const run = await staging();
  for (const finding of run.findings)
    Object.assign(finding, {
      actual: 'SECRET1',
      expected: 'SECRET2',
      exchange: 'SECRET3',
      repeat: 'SECRET4',
    });
  for (const one of run.observed) Object.assign(one, { evidence: ['SECRET5'] });
  const comparison = compareRuns([{ ...run, target: '<script>|\n# x' }, whole], questions);
  const [page, summary] = [comparisonPage(comparison), comparisonMarkdown(comparison)];
  for (const text of [page, summary]) expect(text).not.toMatch(/SECRET|<script/);
  expect(summary).not.toMatch(/^# x/m);
  expect(page).toContain("default-src 'none'");
});
