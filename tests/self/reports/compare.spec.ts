import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import fc from 'fast-check';
import { altering, set } from '../../../mock/edits.ts';
import {
  type Comparison,
  compareRuns,
  comparisonMarkdown,
  comparisonPage,
} from '../../../reports/comparison.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { issuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, showAs, test, views } from '../harness/browser.ts';
import { runScript } from '../harness/in-process-command.ts';
import { judgedRun } from '../harness/judged-runs.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { runs, seed } from '../soak.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });

const { identifiers } = readConfiguration({}, '/nonexistent').target;
const someOf = (variable: string, minLength: number) =>
  fc.shuffledSubarray([...(identifiers[variable] ?? [])], { minLength });

/** How two runs of one target may differ: what they look up, how far, and whether they probe. */
const settings = fc.record({
  identifiers: fc.record({ CARD_IDS: someOf('CARD_IDS', 1), CUSTOMER_IDS: someOf('CUSTOMER_IDS', 0) }),
  maxPages: fc.integer({ min: 1, max: 4 }),
  probes: fc.boolean(),
});

const { questions } = loadContract();
const compared = (one: Conformance, other: Conformance) => compareRuns([one, other], questions);
const rowsOf = ({ tables }: Comparison, ...ids: string[]) =>
  tables.filter(({ id }) => ids.includes(id)).map(({ rows }) => rows);
/** What differs between the targets. */
const differing = (comparison: Comparison) =>
  rowsOf(comparison, 'requirements', 'behaviour').flatMap((rows) => rows.map(({ id }) => id));

let whole: Conformance;
let staging: Conformance;
test.beforeAll(async () => {
  whole = await judgedRun({}, { name: 'production' });
  const nameless = altering('listCustomers', (answer) => {
    const { customers } = (answer.body as { data: { customers: Record<string, unknown>[] } }).data;
    for (const customer of customers) delete customer.name;
    return answer;
  });
  const alter = inTurn(altering('getCard', set('data/card/expiration_date', '1/2')), nameless);
  staging = await judgedRun({ alter, choices: { repeatedParameter: 'first' } }, { name: 'staging' });
});

test('two runs of one target have no difference, even if they saw different records', async () => {
  for (const one of fc.sample(settings, { seed, numRuns: runs(4) })) {
    const twin = await judgedRun({}, { ...one, name: 'production' });
    expect(differing(compared(whole, twin)), JSON.stringify(one)).toEqual([]);
    expect(differing(compared(twin, whole)), JSON.stringify(one)).toEqual([]);
  }
  expect(compared({ ...whole, target: 'staging' }, whole).sentence).toBe(
    'No difference between staging and production',
  );
});

test('a broken rule and another behaviour are differences; a field that one run never saw is told beside them', () => {
  const comparison = compared(staging, whole);
  const { sentence } = comparison;
  expect(rowsOf(comparison, 'requirements', 'behaviour')).toEqual([
    [
      {
        id: 'getCard/data/card/expiration_date',
        statement: expect.stringContaining('expiration_date'),
        sides: ['violation in 8 of 8 places, in 8 of 8 requests', 'pass in 8 places'],
      },
    ],
    [
      {
        id: 'repeated-parameter',
        statement: 'Which of two values counts when a parameter is repeated?',
        sides: ['the first', 'the last'],
      },
    ],
  ]);
  expect(rowsOf(comparison, 'seen')[0]).toContainEqual({
    id: 'listCustomers/data/customers/*/name present',
    statement: '`name` is there',
    sides: [expect.stringMatching(/^never in \d+$/), expect.stringMatching(/^seen \d+ of \d+ times$/)],
  });
  expect(sentence).toMatch(
    /^2 differences between staging and production; \d+ things? that only one run saw$/,
  );
  for (const text of [comparisonPage(comparison), comparisonMarkdown(comparison)])
    for (const { id } of rowsOf(comparison, 'requirements', 'behaviour', 'seen').flat())
      expect(text).toContain(id);
});

test('what a run did not judge is no difference, and nothing is green then', () => {
  const run = { ...structuredClone(whole), target: 'staging' };
  for (const one of run.requirements) Object.assign(one, { verdict: 'not exercised', exercised: 0 });
  const comparison = compared(run, whole);
  expect(differing(comparison)).toEqual([]);
  expect(comparison.caveats).toEqual([
    `${whole.requirements.length} requirements could not be compared, judged by one run alone.`,
  ]);
  expect(comparisonPage(comparison)).not.toContain('class="verdict pass"');
  expect(comparisonPage(compared({ ...whole, target: 'a' }, whole))).toContain('class="verdict pass"');
});

/** The answer to one question in either run, and whether it is a difference. */
const answers: [id: string, one: string, other: string, differs: boolean][] = [
  ['beyond-the-end', 'an empty list', 'refused as 404', true],
  ['beyond-the-end', 'an empty list', 'unknown', false],
  ['omitted-source', 'those of both', 'those of User', true],
  ['card-statuses', 'Active', 'Frozen', false],
  ['fee-forms', 'a JSON number', '2 decimals as text, an integer as text', false],
];
for (const [id, one, other, differs] of answers)
  test(`${id}: "${one}" and "${other}" are ${differs ? 'a' : 'no'} difference`, () => {
    const [first, second] = [one, other].map((answer) => {
      const run = structuredClone(whole);
      const confidence = answer === 'unknown' ? 'unknown' : 'certain';
      Object.assign(run.observed.find((question) => question.id === id) ?? {}, { answer, confidence });
      return run;
    }) as [Conformance, Conformance];
    expect(differing(compared(first, second))).toEqual(differs ? [id] : []);
  });

test('what limits the comparison is said before all else', () => {
  const other = { ...whole, contract: '0123456789ab', profile: 'documented', verdict: 'error' } as const;
  const shard = { ...other, shard: { current: 1, total: 3 }, requirements: whole.requirements.slice(0, 9) };
  expect(compared(whole, { ...shard, target: 'staging' }).caveats).toEqual([
    expect.stringContaining('different contracts'),
    expect.stringContaining('different profiles: observed and documented'),
    expect.stringContaining('staging is shard 1 of 3'),
    expect.stringContaining('staging ended as error'),
    expect.stringMatching(/^\d+ requirements could not be compared/),
  ]);
  expect(compared(whole, whole).caveats).toEqual(['Both files are of the same run.']);
});

test('no description of a value, place or request of a target is shown, and no text of a file is markup', () => {
  const run = structuredClone(staging);
  const secrets = { actual: 'SECRET1', expected: 'SECRET2', exchange: 'SECRET3', repeat: 'SECRET4' };
  for (const finding of run.findings) Object.assign(finding, secrets);
  for (const one of run.observed) Object.assign(one, { evidence: ['SECRET5'] });
  const comparison = compared({ ...run, target: '<script>|\n# x' }, whole);
  const [page, summary] = [comparisonPage(comparison), comparisonMarkdown(comparison)];
  for (const text of [page, summary]) expect(text).not.toMatch(/SECRET|<script/);
  expect(summary).not.toMatch(/^# x/m);
  expect(page).toContain("default-src 'none'");
});

test('the command writes a page and a summary, 0 for any difference, and 2 with one sentence otherwise', async () => {
  const output = test.info().outputPath('out/compare');
  const files = ['staging.json', 'production.json'].map((name) => test.info().outputPath(name));
  for (const [index, file] of files.entries()) writeFileSync(file, JSON.stringify([staging, whole][index]));
  const { status, stdout } = await runScript('compare', [...files, '--output', output]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('2 differences between') });
  expect(readFileSync(`${output}/compare.md`, 'utf8')).toContain('## 2 differences');
  expect(readFileSync(`${output}/compare.html`, 'utf8')).toContain('<h1>2 differences');
  for (const [args, says] of [
    [[files[0] ?? ''], /^compare: usage: npm run compare/],
    [
      ['package.json', files[0] ?? '', '--output', output],
      /^compare: package\.json is no conformance\.json.*\n$/,
    ],
    [[...files, '--output', 'package.json'], /^compare: --output \(package\.json\) cannot be written: .*\n$/],
    [[...files, '--output', '/proc/a/b'], /^compare: --output \(\S+\) cannot be written: .*\n$/],
  ] as const)
    expect(await runScript('compare', [...args])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(says),
    });
});

test('the page reads without barriers on a desktop, on a phone and in the dark', async ({ page }) => {
  const partial = await judgedRun({}, { name: 'production', probes: false, identifiers: { USER_IDS: [] } });
  const file = test.info().outputPath('compare.html');
  writeFileSync(file, comparisonPage(compared(staging, partial)));
  await page.goto(`file://${file}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('between staging and production');
  const links = page.locator('nav a[href^="#"]');
  for (const href of await links.evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? '')))
    await expect(page.locator(href), href).toHaveCount(1);
  for (const [view, options] of Object.entries(views)) {
    await showAs(page, options);
    // Where the head of a table is not in sight, each cell says which run it is of.
    const cells = page.locator('#runs tbody tr').first().locator('td');
    const said = await cells.evaluateAll((all) =>
      all.map((cell) => getComputedStyle(cell, '::before').content),
    );
    expect(said, view).toEqual(view === 'phone' ? ['"staging: "', '"production: "'] : ['none', 'none']);
  }
  expect(await issuesInViews(page)).toEqual([]);
});

test('what the rows of a long table have twice, or refer to in vain, is found', async ({ page }) => {
  const row = '<tr><td><span id="a">x</span><label for="b">y</label></td></tr>';
  await page.setContent(`<table>${row.repeat(3)}</table>`);
  const issues = await issuesInViews(page);
  expect(issues).toEqual(expect.arrayContaining(['the id a is there twice', 'for="b" refers to nothing']));
});
