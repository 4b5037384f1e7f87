import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { maxRuns, type PublishedRun, withRun } from '../../../reports/site/history.ts';
import { publish } from '../../../reports/site/publish.ts';
import { trendText } from '../../../reports/site/trend.ts';
import { browserOptions, needBrowser, test } from '../harness/browser.ts';
import { judgedRun } from '../harness/judged-runs.ts';
import { filesBelow } from '../harness/whole-run.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });

let whole: Conformance;
test.beforeAll(async () => {
  whole = await judgedRun({}, { name: 'production' });
});

/** A folder of reports that holds the run, with some of it otherwise. */
function folderOf(change: Partial<Conformance> = {}, name = 'reports'): string {
  const folder = test.info().outputPath(name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify({ ...whole, ...change }));
  return folder;
}

const siteFolder = () => test.info().outputPath('site');
const shown = (file: string) => readFileSync(path.join(siteFolder(), file), 'utf8');
const on = (day: string): Partial<Conformance> => ({ startedAt: `2026-03-${day}T03:17:00.000Z` });

test('a target is added beside those of before, each target, each profile and what was recorded in a folder of its own', () => {
  publish([folderOf()], siteFolder());
  publish([folderOf({ target: 'a/b', profile: 'documented' }), folderOf({}, 'again')], siteFolder());
  const traffic = { sources: ['a.har'], exchanges: 1, judged: 1, skipped: {}, broken: [] };
  publish([folderOf({ traffic })], siteFolder());
  const folders = publish([folderOf({ target: 'a-b', profile: 'documented' })], siteFolder());
  expect(folders.map(({ run, history }) => [run.target, history.length])).toEqual([
    ['a/b', 1],
    ['a-b', 1],
    ['production', 1],
    ['production', 1],
  ]);
  expect(new Set(folders.map(({ folder }) => folder)).size).toBe(4);
});

test('the newest run is shown; an older one joins the history, and each is in it once', () => {
  for (const day of ['02', '03', '03', '01'])
    publish([folderOf({ ...on(day), verdict: 'error' })], siteFolder());
  const history: PublishedRun[] = JSON.parse(shown('production-observed/history.json'));
  expect(history.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['01', '02', '03']);
  expect(JSON.parse(shown('production-observed/conformance.json')).startedAt).toBe(on('03').startedAt);
  expect(shown('index.html')).toContain('3 runs since 2026-03-01: 3 error');
});

test('a history has an end', () => {
  const run = { verdict: 'pass', coverage: 100, violations: 0 } as const;
  const moments = Array.from({ length: maxRuns + 5 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
  const history = moments.reduce<PublishedRun[]>((all, startedAt) => withRun(all, { ...run, startedAt }), []);
  expect(history.map(({ startedAt }) => startedAt)).toEqual(moments.slice(-maxRuns));
  expect(trendText(history)).toBe(`${maxRuns} runs since 1970-01-01: ${maxRuns} pass`);
});

const wrong: [name: string, folder: () => string, says: RegExp][] = [
  [
    'no run',
    () => test.info().outputPath('none'),
    /there is no conformance\.json in .*none: give REPORTS_DIR/,
  ],
  [
    'a part',
    () => folderOf({ selection: { selected: whole.requirements.length, total: 999 } }),
    /is of a part of the contract/,
  ],
  [
    'a verdict that its requirements contradict',
    () => folderOf({ verdict: 'fail' }),
    /conformance\.json contradicts itself: its verdict is fail, but .* come to pass; judge the target again$/,
  ],
  [
    'a part that does not say so',
    () => folderOf({ schemaVersion: 1, requirements: whole.requirements.slice(1) }),
    /is of a part of the contract/,
  ],
  ['a shard', () => folderOf({ shard: { current: 1, total: 2 } }), /merge the shards/],
  [
    'a run of a time that is to come',
    () => folderOf({ startedAt: '9999-01-01T00:00:00.000Z' }),
    /is of 9999-.*, which is to come/,
  ],
  ...[
    '2026-01-22T12:00:00+02:00',
    '2026-01-22t12:00:00z',
    '2016-12-31T23:59:60Z',
    '2026-02-30T12:00:00Z',
  ].map((startedAt): (typeof wrong)[number] => [
    `a run of ${startedAt}`,
    () => folderOf({ startedAt }),
    /\/startedAt must be a time in UTC/,
  ]),
  ['a name with control characters', () => folderOf({ target: '\u001b[31mgreen' }), /\/target must match/],
  ['another contract', () => folderOf({ contract: 'abcdefabcdef' }), /was judged by another contract/],
];
for (const [name, folder, says] of wrong)
  test(`${name} is not published, and nothing of the other folders is`, () => {
    expect(() => publish([folderOf({}, 'right'), folder()], siteFolder())).toThrow(says);
    expect(filesBelow(siteFolder())).toEqual([]);
  });

const future = '{"startedAt":"9999-01-01T00:00:00Z","verdict":"pass","coverage":1,"violations":0}';
for (const text of [
  '{',
  '[{}]',
  `[${future}]`,
  '[{"startedAt":"<b>","verdict":"pass","coverage":1,"violations":0}]',
])
  test(`a history that holds ${text} is rejected in one sentence`, () => {
    publish([folderOf()], siteFolder());
    writeFileSync(path.join(siteFolder(), 'production-observed/history.json'), text);
    expect(() => publish([folderOf()], siteFolder())).toThrow(/is no history of a site: remove it/);
  });

test('a link in place of the Allure report is not followed, and a long name of a target has a file', () => {
  const folder = folderOf({ target: 'x'.repeat(5000) });
  mkdirSync(path.join(folder, 'allure-report'));
  symlinkSync(path.join(folder, 'conformance.json'), path.join(folder, 'allure-report/index.html'));
  const [target] = publish([folder], siteFolder());
  expect(target).toMatchObject({ testReport: false });
  expect(existsSync(path.join(siteFolder(), target?.folder ?? '', 'allure-report'))).toBe(false);
});

test('each link of the site leads somewhere, and what a target is called is text', async ({ page }) => {
  publish([folderOf(), folderOf({ target: '<b>"&' }, 'odd')], siteFolder());
  const files = new Set(filesBelow(siteFolder()).map(({ name }) => name));
  for (const name of [...files].filter((file) => file.endsWith('.html'))) {
    await page.goto(`file://${path.join(siteFolder(), name)}`);
    const hrefs = await page.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
    const ids = new Set(await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => `#${id}`)));
    const known = (href: string) => ids.has(href) || files.has(path.join(path.dirname(name), href));
    expect(hrefs.filter((href) => !known(href))).toEqual([]);
  }
  await page.goto(`file://${path.join(siteFolder(), 'index.html')}`);
  await expect(page.getByRole('link', { name: '<b>"&' })).toBeVisible();
  expect(
    await page
      .locator('img')
      .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth > 0)),
  ).toEqual([true, true]);
});
