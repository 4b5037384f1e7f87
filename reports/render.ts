import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contractOrProblem } from '../schemas/contract/contract.ts';
import { writeWhole } from '../src/client/files.ts';
import { readConfiguration } from '../src/run/target.ts';
import { printError } from '../src/run/terminal.ts';
import { fillOutput } from './output.ts';
import { readConformance } from './read-conformance.ts';
import { writeReports } from './write.ts';

/*
 * `npm run render`: renders the Allure report of the last run so that it can be read from disk: without analytics, unable to
 * reach for the network, and linked with the contract page.
 */

const { reportsDir, callersLedger } = readConfiguration().target;
const below = (...names: string[]) => path.join(reportsDir, ...names);

function renderAllure(startedAt: number): void {
  if (!existsSync(below('allure-results'))) return;
  forget(below('allure-history.jsonl'), startedAt);
  const args = ['node_modules/allure/cli.js', 'generate', '--config', 'allurerc.mjs'];
  // With the folder in its environment, since Allure reads no other configuration of this suite.
  const env = { ...process.env, REPORTS_DIR: reportsDir };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`allure generate ended with ${status}`);
  const report = below('allure-report', 'index.html');
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

/** An Allure page without analytics; should a later version hide them better, the policy holds them back. */
function closed(page: string): string {
  const analytics =
    /<script async src="https:\/\/www\.googletagmanager[^>]*><\/script>\s*<script>[^<]*<\/script>/;
  const script = readFileSync(new URL('pages/allure.js', import.meta.url), 'utf8');
  return page
    .replace(analytics, '')
    .replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/<body[^>]*>/, (body) => `${body}${wayBack}`)
    .replace('</body>', () => `<script>${script}</script>\n</body>`);
}

// Behind a run, with its status: one that could not begin has said why.
process.exitCode = Number(process.argv[2] ?? 0);
try {
  const file = below('conformance.json');
  if (!existsSync(file) && process.exitCode !== 0) process.exit();
  if (!existsSync(file)) throw new Error(`there is no run in ${reportsDir}: npx playwright test makes one`);
  const run = readConformance(file);
  fillOutput({ option: 'REPORTS_DIR', folder: reportsDir }, () => {
    renderAllure(Date.parse(run.startedAt));
    writeReports(contractOrProblem(callersLedger), run, { reportsDir });
  });
} catch (error) {
  printError('render', error);
  process.exitCode = 1;
}
