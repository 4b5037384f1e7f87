import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import type { MockOptions } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import type { PublishedRun } from '../../../reports/pages/history.ts';
import { findBrokenLinks, findIssuesInViews } from '../harness/accessibility.ts';
import { browserOptions, needBrowser, test } from '../harness/browser.ts';
import { altering, setStatus } from '../harness/edits.ts';
import { runScript } from '../harness/in-process-command.ts';
import { judgeMock } from '../harness/judge-mock.ts';
import { readFilesBelow } from '../harness/whole-run.ts';

needBrowser();
test.use(browserOptions);
test.describe.configure({ mode: 'default' });

let whole: Conformance;
test.beforeAll(async () => {
  whole = await judgeMock({}, { name: 'production' });
});

function createFolder(change: Partial<Conformance> = {}, name = 'reports'): string {
  const folder = test.info().outputPath(name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify({ ...whole, ...change }));
  return folder;
}

const inSite = (...names: string[]) => test.info().outputPath('site', ...names);
const readPage = (file: string) => readFileSync(inSite(file), 'utf8');
const readHistory = (folder: string): PublishedRun[] => JSON.parse(readPage(`${folder}/history.json`));

async function publish(...folders: string[]): Promise<string> {
  const args = folders.flatMap((folder) => ['--from', folder]);
  const { status, stderr } = await runScript('site', [...args, '--into', inSite()]);
  expect(status).toBe(stderr ? 2 : 0);
  return stderr;
}

test('a site has a folder for each target, for each profile, and for recorded traffic, and keeps earlier ones', async () => {
  const traffic = { sources: ['a.har'], exchanges: 1, judged: 1, skipped: {}, broken: [] };
  const documented = { profile: 'documented' } as const;
  expect(await publish(createFolder())).toBe('');
  expect(await publish(createFolder({ ...documented, target: 'a/b' }), createFolder({}, 'again'))).toBe('');
  expect(await publish(createFolder({ traffic }))).toBe('');
  expect(await publish(createFolder({ ...documented, target: 'a-b' }))).toBe('');
  const folders = [...readPage('index.html').matchAll(/class="target" id="([^"]*)"/g)].map(
    ([, id = '']) => id,
  );
  expect(folders).toEqual([
    expect.stringMatching(/^a-b-\w{8}-documented$/),
    'a-b-documented',
    'production-observed',
    'production-observed-recorded-traffic',
  ]);
  expect(folders.map((folder) => readHistory(folder).length)).toEqual([1, 1, 1, 1]);
  const withReport = createFolder({ ...documented, target: 'a-b' }, 'with-report');
  mkdirSync(path.join(withReport, 'allure-report'));
  writeFileSync(path.join(withReport, 'allure-report/index.html'), '');
  const linksTestReport = async (folder: string) => {
    expect(await publish(folder)).toBe('');
    return readPage('index.html').includes('a-b-documented/allure-report');
  };
  for (let times = 0; times < 2; times += 1) expect(await linksTestReport(withReport)).toBe(true);
  expect(await linksTestReport(createFolder({ ...documented, target: 'a-b' }))).toBe(false);
  writeFileSync(inSite('a-b-documented/conformance.json'), JSON.stringify({ ...whole, schemaVersion: 4 }));
  const { stdout } = await runScript('site', ['--from', createFolder(), '--into', inSite()]);
  expect(stdout).toMatch(/a-b-documented\S* was written by an earlier version .*\n3 targets: /);
  expect(readPage('index.html')).not.toContain('id="a-b-documented"');
});

test('a site shows the newest run, and its history has each run once, up to 60 runs', async () => {
  const on = (day: string) => ({ startedAt: `2026-03-${day}T03:17:00.000Z`, verdict: 'error' as const });
  for (const day of ['02', '03', '03', '01']) await publish(createFolder(on(day)));
  const days = readHistory('production-observed').map(({ startedAt }) => startedAt.slice(8, 10));
  expect(days).toEqual(['01', '02', '03']);
  expect(JSON.parse(readPage('production-observed/conformance.json'))).toMatchObject(on('03'));
  expect(readPage('index.html')).toContain('3 runs since 2026-03-01: 3 error');
  const moments = Array.from({ length: 65 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
  const earlierRuns = moments.map((startedAt) => ({ verdict: 'pass', startedAt }));
  writeFileSync(inSite('production-observed/history.json'), JSON.stringify(earlierRuns));
  await publish(createFolder(on('03')));
  expect(readPage('index.html')).toContain('60 runs since 1970-01-01: 59 pass, 1 error');
});

const night = (day: string) => ({ startedAt: `2026-03-${day}T03:17:00.000Z` });
const blockedEverywhere: MockOptions = { alter: (response) => ({ ...response, status: 401 }) };

test('the page of the last judged run stays during an outage, and the index says since when the target was not checked', async () => {
  const out = await judgeMock(blockedEverywhere, { name: 'production' });
  const answering = createFolder(night('02'));
  expect(await publish(answering)).toBe('');
  const files = ['badge.svg', 'conformance.json', 'conformance.md'].map(
    (name) => `production-observed/${name}`,
  );
  const before = files.map(readPage);
  for (const day of ['03', '04'])
    expect(await publish(createFolder({ ...out, ...night(day) }, 'out'))).toBe('');
  expect(files.map(readPage)).toEqual(before);
  const sentence =
    /Could not be checked since 2026-03-03 03:17 UTC \(2 runs\): [^<]*HTTP 401[^<]* The results below are of 2026-03-02 03:17 UTC\./;
  expect(readPage('index.html')).toMatch(sentence);
  expect(readPage('index.html')).toContain('0 of 1 target passed the latest run, 1 could not be checked');
  expect(readPage('index.html')).toContain('Passes since the first run here, 2026-03-02 03:17 UTC');
  expect(readPage('production-observed/contract.html')).toMatch(sentence);
  const passCount = whole.requirements.filter(({ verdict }) => verdict === 'pass').length;
  expect(readPage('production-observed/contract.html')).toContain(`<b>${passCount}</b> pass`);
  expect(await publish(createFolder(night('05')))).toBe('');
  for (const page of ['index.html', 'production-observed/contract.html'])
    expect(readPage(page)).not.toContain('Not checked');
  expect(readPage('index.html')).toContain('4 runs since 2026-03-02: 2 pass, 2 error');
  expect(JSON.parse(readPage('production-observed/conformance.json'))).toMatchObject(night('05'));
});

test('a requirement that a fault hides shows its last result with the date, and the index says since when the target is broken', async () => {
  const created = altering('getCard', setStatus(201));
  const broken = await judgeMock({ alter: created }, { name: 'production' });
  const link = 'https://ci.example/runs/7';
  await publish(createFolder(night('02')));
  await runScript('site', [
    '--from',
    createFolder({ ...broken, ...night('03') }),
    '--into',
    inSite(),
    '--link',
    link,
  ]);
  await publish(createFolder({ ...broken, ...night('04') }));
  const page = readPage('production-observed/contract.html').replaceAll('<wbr>', '');
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
  expect(readPage('index.html')).toContain('Broken since 2026-03-03 03:17 UTC');
  expect(readPage('index.html').match(/href="https:[^"]*"/g)).toEqual([`href="${link}"`]);
});

const rejectedRuns: [name: string, createRun: () => string, message: RegExp][] = [
  ['no run', () => test.info().outputPath('none'), /none holds no conformance\.json: give REPORTS_DIR/],
  [
    'a part',
    () => createFolder({ selection: { selected: 9, total: 999 } }),
    /covers only a part of the contract/,
  ],
  ['a shard', () => createFolder({ shard: { current: 1, total: 2 } }), /merge the shards/],
  [
    'a mistake of configuration',
    () => createFolder({ requests: 0, verdict: 'error' }),
    /holds a run that sent no request: ERROR/,
  ],
  ['another contract', () => createFolder({ contract: 'abcdefabcdef' }), /was judged by another contract/],
];
test('a site rejects anything but a whole run of this contract in one sentence', async () => {
  for (const [name, createRun, message] of rejectedRuns) {
    expect(await publish(createFolder({}, 'right'), createRun()), name).toMatch(message);
    expect(readFilesBelow(inSite())).toEqual([]);
  }
});

test('each link of a site has a target, and the name of a target is text', async ({ page }) => {
  await publish(createFolder(), createFolder({ target: '<b>"&' }, 'odd'));
  const files = new Set(readFilesBelow(inSite()).map(({ name }) => name));
  for (const name of [...files].filter((file) => file.endsWith('.html'))) {
    await page.goto(`file://${inSite(name)}`);
    const exists = (href: string) => files.has(path.join(path.dirname(name), href));
    expect((await findBrokenLinks(page)).filter((href) => !exists(href))).toEqual([]);
  }
  await page.goto(`file://${inSite('index.html')}`);
  await expect(page.getByRole('link', { name: '<b>"&' })).toBeVisible();
  const isDrawn = page
    .locator('img')
    .evaluateAll((images) => images.map((image) => 'naturalWidth' in image && image.naturalWidth !== 0));
  expect(await isDrawn).toEqual([true, true]);
  expect(await findIssuesInViews(page)).toEqual([]);
});
