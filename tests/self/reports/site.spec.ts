import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import type { MockOptions } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import type { PublishedRun } from '../../../reports/pages/history.ts';
import { brokenLinks, issuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, test } from '../harness/browser.ts';
import { altering, status } from '../harness/edits.ts';
import { runScript } from '../harness/in-process-command.ts';
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

const inSite = (...names: string[]) => test.info().outputPath('site', ...names);
const shown = (file: string) => readFileSync(inSite(file), 'utf8');
const historyOf = (folder: string): PublishedRun[] => JSON.parse(shown(`${folder}/history.json`));

/** Publishes folders; what it says when it does not. */
async function publish(...folders: string[]): Promise<string> {
  const args = folders.flatMap((folder) => ['--from', folder]);
  const { status, stderr } = await runScript('site', [...args, '--into', inSite()]);
  expect(status).toBe(stderr ? 2 : 0);
  return stderr;
}

test('a target is added beside those of before, each target, each profile and what was recorded in a folder of its own', async () => {
  const traffic = { sources: ['a.har'], exchanges: 1, judged: 1, skipped: {}, broken: [] };
  const documented = { profile: 'documented' } as const;
  expect(await publish(folderOf())).toBe('');
  expect(await publish(folderOf({ ...documented, target: 'a/b' }), folderOf({}, 'again'))).toBe('');
  expect(await publish(folderOf({ traffic }))).toBe('');
  expect(await publish(folderOf({ ...documented, target: 'a-b' }))).toBe('');
  const folders = [...shown('index.html').matchAll(/class="target" id="([^"]*)"/g)].map(([, id = '']) => id);
  expect(folders).toEqual([
    expect.stringMatching(/^a-b-\w{8}-documented$/),
    'a-b-documented',
    'production-observed',
    'production-observed-recorded-traffic',
  ]);
  expect(folders.map((folder) => historyOf(folder).length)).toEqual([1, 1, 1, 1]);
  expect(historyOf('a-b-documented')).toEqual([expect.objectContaining({ verdicts: {} })]);
  const withReport = folderOf({ ...documented, target: 'a-b' }, 'with-report');
  mkdirSync(path.join(withReport, 'allure-report'));
  writeFileSync(path.join(withReport, 'allure-report/index.html'), '');
  const linksTestReport = async (folder: string) => {
    expect(await publish(folder)).toBe('');
    return shown('index.html').includes('a-b-documented/allure-report');
  };
  for (let times = 0; times < 2; times += 1) expect(await linksTestReport(withReport)).toBe(true);
  expect(await linksTestReport(folderOf({ ...documented, target: 'a-b' }))).toBe(false);
  writeFileSync(inSite('a-b-documented/conformance.json'), JSON.stringify({ ...whole, schemaVersion: 4 }));
  const { stdout } = await runScript('site', ['--from', folderOf(), '--into', inSite()]);
  expect(stdout).toMatch(/a-b-documented\S* was written by an earlier version .*\n3 targets: /);
  expect(shown('index.html')).not.toContain('id="a-b-documented"');
});

test('the newest run is shown; an older one joins the history, each is in it once, and it has an end', async () => {
  const on = (day: string) => ({ startedAt: `2026-03-${day}T03:17:00.000Z`, verdict: 'error' as const });
  for (const day of ['02', '03', '03', '01']) await publish(folderOf(on(day)));
  const days = historyOf('production-observed').map(({ startedAt }) => startedAt.slice(8, 10));
  expect(days).toEqual(['01', '02', '03']);
  expect(JSON.parse(shown('production-observed/conformance.json'))).toMatchObject(on('03'));
  expect(shown('index.html')).toContain('3 runs since 2026-03-01: 3 error');
  expect(shown('index.html')).not.toContain('What has changed');
  const moments = Array.from({ length: 65 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
  const many = moments.map((startedAt) => ({ verdict: 'pass', startedAt }));
  writeFileSync(inSite('production-observed/history.json'), JSON.stringify(many));
  await publish(folderOf(on('03')));
  expect(shown('index.html')).toContain('60 runs since 1970-01-01: 59 pass, 1 error');
});

const night = (day: string) => ({ startedAt: `2026-03-${day}T03:17:00.000Z` });
const blockedEverywhere: MockOptions = { alter: (answer) => ({ ...answer, status: 401 }) };

test('four nights, good, out, out, good: the page of the last judged run stays, and the index says since when the target was out', async () => {
  const out = await judgedRun(blockedEverywhere, { name: 'production' });
  const answering = folderOf(night('02'));
  expect(await publish(answering)).toBe('');
  const files = ['badge.svg', 'conformance.json', 'conformance.md'].map(
    (name) => `production-observed/${name}`,
  );
  const before = files.map(shown);
  for (const day of ['03', '04']) expect(await publish(folderOf({ ...out, ...night(day) }, 'out'))).toBe('');
  expect(files.map(shown)).toEqual(before);
  const sentence =
    /Not checked since 2026-03-03 03:17 UTC \(2 runs\): [^<]*HTTP 401[^<]* The results below are of 2026-03-02 03:17 UTC\./;
  expect(shown('index.html')).toMatch(sentence);
  expect(shown('index.html')).toContain('0 of 1 target passed the latest run, 1 could not be checked');
  expect(shown('index.html')).toContain('Passes since the first run here, 2026-03-02 03:17 UTC');
  expect(shown('production-observed/contract.html')).toMatch(sentence);
  expect(shown('production-observed/contract.html')).toContain('<b>125</b> pass');
  expect(await publish(folderOf(night('05')))).toBe('');
  for (const page of ['index.html', 'production-observed/contract.html'])
    expect(shown(page)).not.toContain('Could not be checked');
  expect(shown('index.html')).toContain('4 runs since 2026-03-02: 2 pass, 2 error');
  expect(JSON.parse(shown('production-observed/conformance.json'))).toMatchObject(night('05'));
});

test('what one fault hides shows its last result with the date; the index says since when the target is broken, and links its runs', async () => {
  const created = altering('getCard', status(201));
  const broken = await judgedRun({ alter: created }, { name: 'production' });
  const link = 'https://ci.example/runs/7';
  await publish(folderOf(night('02')));
  await runScript('site', [
    '--from',
    folderOf({ ...broken, ...night('03') }),
    '--into',
    inSite(),
    '--link',
    link,
  ]);
  await publish(folderOf({ ...broken, ...night('04') }));
  const page = shown('production-observed/contract.html').replaceAll('<wbr>', '');
  const row = (address: string) => page.split(`<tr role="row" id="${address}"`)[1]?.split('</tr>')[0];
  expect(row('getCard/http/status')).toContain('violation');
  expect(row('getCard/data/card/title')).toMatch(
    /not exercised[\s\S]*last judged <time[^>]*>2026-03-02<\/time>: pass \d+ times/,
  );
  expect(row('getCard/data/card/limits/*/status')).toMatch(
    /present \d+ times, absent \d+ times on 2026-03-02/,
  );
  expect(row('getCard/data/card/physical_status')).toMatch(/Idle<\/code>\s*<span class="quiet">seen/);
  expect(page).toContain('This run could not judge 31 requirements of this operation');
  expect(shown('index.html')).toContain('Broken since 2026-03-03 03:17 UTC');
  expect(shown('index.html').match(/href="https:[^"]*"/g)).toEqual([`href="${link}"`]);
});

const wrong: [name: string, folder: () => string, says: RegExp][] = [
  ['no run', () => test.info().outputPath('none'), /none holds no conformance\.json: give REPORTS_DIR/],
  ['a part', () => folderOf({ selection: { selected: 9, total: 999 } }), /is of a part of the contract/],
  ['a shard', () => folderOf({ shard: { current: 1, total: 2 } }), /merge the shards/],
  [
    'a mistake of configuration',
    () => folderOf({ requests: 0, verdict: 'error' }),
    /is of a run that sent no request: ERROR/,
  ],
  ['another contract', () => folderOf({ contract: 'abcdefabcdef' }), /was judged by another contract/],
];
test('what is no whole run of this contract is rejected in one sentence', async () => {
  for (const [name, folder, says] of wrong) {
    expect(await publish(folderOf({}, 'right'), folder()), name).toMatch(says);
    expect(filesBelow(inSite())).toEqual([]);
  }
});

test('each link of the site leads somewhere, and what a target is called is text', async ({ page }) => {
  await publish(folderOf(), folderOf({ target: '<b>"&' }, 'odd'));
  const files = new Set(filesBelow(inSite()).map(({ name }) => name));
  for (const name of [...files].filter((file) => file.endsWith('.html'))) {
    await page.goto(`file://${inSite(name)}`);
    const leadsTo = (href: string) => files.has(path.join(path.dirname(name), href));
    expect((await brokenLinks(page)).filter((href) => !leadsTo(href))).toEqual([]);
  }
  await page.goto(`file://${inSite('index.html')}`);
  await expect(page.getByRole('link', { name: '<b>"&' })).toBeVisible();
  const drawn = page
    .locator('img')
    .evaluateAll((all) => all.map((one) => 'naturalWidth' in one && one.naturalWidth !== 0));
  expect(await drawn).toEqual([true, true]);
  expect(await issuesInViews(page)).toEqual([]);
});
