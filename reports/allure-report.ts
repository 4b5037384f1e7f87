import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../src/client/files.ts';

/**
 * Renders the Allure report of a run beside its `conformance.json` so that it can be read from disk: without analytics, unable
 * to reach for the network, and linked with the contract page. Without results of Allure there is none.
 */
export function renderAllure(reportsDir: string, startedAt: string): void {
  if (!existsSync(path.join(reportsDir, 'allure-results'))) return;
  forget(path.join(reportsDir, 'allure-history.jsonl'), Date.parse(startedAt));
  const args = ['node_modules/allure/cli.js', 'generate', '--config', 'allurerc.mjs'];
  // With the folder in its environment, since Allure reads no other configuration of this suite.
  const env = { ...process.env, REPORTS_DIR: reportsDir };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`allure generate ended with ${status}`);
  const report = path.join(reportsDir, 'allure-report', 'index.html');
  writeWhole(report, closed(readFileSync(report, 'utf8')));
}

/** What Allure keeps of a run, as far as it is read here. */
interface PastRun {
  timestamp: number;
  testResults: Record<string, object>;
}

/**
 * Takes a run out of the history that Allure is about to write it to: it is rendered anew, and did not happen twice. Of the
 * others stays what the trend shows.
 */
function forget(history: string, startedAt: number): void {
  if (!existsSync(history)) return;
  const runs: PastRun[] = readFileSync(history, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const earlier = runs.filter(({ timestamp }) => timestamp < startedAt);
  for (const { testResults } of earlier)
    for (const result of Object.values(testResults)) Object.assign(result, { labels: [], error: undefined });
  writeWhole(history, earlier.map((run) => `${JSON.stringify(run)}\n`).join(''));
}

const policy = [
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; style-src 'unsafe-inline' data:",
  'img-src data: blob:; font-src data:; media-src data: blob:; frame-src data: blob:; connect-src data: blob:',
].join('; ');

/** Allure itself links to the contract page from a test alone. */
const wayBack =
  '<p style="margin:0;padding:.25rem 1rem;color-scheme:light dark;background:Canvas"><a style="color:LinkText" href="../contract.html">Contract page</a></p>';

/**
 * What Allure's page lacks: one scrollbar, below the link back. It has a tab for gates of its own, which are never there. The
 * percentage of its ring counts no skipped test: it reads 100 % where most was not exercised.
 */
const style = `<style>
article:has(> svg [data-chart-tooltip-trigger]) b, [data-testid="nav-tab-qualityGate"] { display: none; }
body { display: flex; flex-direction: column; height: 100vh; overflow: hidden; }
#app { flex: 1; min-height: 0; }
#app > * { height: 100% !important; }
</style>`;

/** An Allure page without analytics; should a later version hide them better, the policy holds them back. */
function closed(page: string): string {
  const analytics =
    /<script async src="https:\/\/www\.googletagmanager[^>]*><\/script>\s*<script>[^<]*<\/script>/;
  return page
    .replace(analytics, '')
    .replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/<body[^>]*>/, (body) => `${body}${wayBack}`)
    .replace('</body>', () => `${style}\n</body>`);
}
