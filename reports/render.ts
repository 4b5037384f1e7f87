import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contractOrProblem } from '../schemas/contract/contract.ts';
import { isRecord } from '../schemas/json/read.ts';
import { readRegularFile } from '../tests/configuration/regular-file.ts';
import { readConfiguration } from '../tests/configuration/target.ts';
import { printError } from '../tests/run/terminal.ts';
import { writeWhole } from '../tests/run/whole-file.ts';
import type { Conformance } from './conformance.ts';
import { fillOutput } from './output.ts';
import { ReportError, readConformance } from './read-conformance.ts';
import { tidyResults } from './tidy-results.ts';
import { wholeRunBeside } from './whole-run.ts';
import { writeReports } from './write.ts';

/**
 * Renders the Allure report of the last run so that it can be read from disk: in the order of the contract, without
 * analytics, unable to reach for the network, and linked with the contract page.
 */
function render(reportsDir: string, conformance: Conformance): void {
  const below = (...names: string[]) => path.join(reportsDir, ...names);
  if (existsSync(below('allure-results'))) {
    const addresses = conformance.requirements.map(({ address }) => address);
    tidyResults(below('allure-results'), addresses);
    forget(below('allure-history.jsonl'), Date.parse(conformance.startedAt));
    generate(reportsDir);
    const report = below('allure-report', 'index.html');
    writeWhole(report, closed(readFileSync(report, 'utf8')));
  }
  writeReports(contractOrProblem(), conformance, { reportsDir }, wholeRunBeside(conformance, reportsDir));
}

/** Takes a run out of the history that Allure is about to write it to: it is rendered anew, and did not happen twice. */
function forget(history: string, startedAt: number): void {
  if (!existsSync(history)) return;
  const earlier = (line: string) => {
    try {
      const { testResults }: { testResults: Record<string, { start?: number }> } = JSON.parse(line);
      return isRecord(testResults) && Object.values(testResults).every(({ start = 0 }) => start < startedAt);
    } catch {
      // A line that was cut short.
      return false;
    }
  };
  const lines = readHistory(history).split('\n').filter(Boolean);
  writeWhole(
    history,
    lines
      .filter(earlier)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function readHistory(file: string): string {
  try {
    return readRegularFile(file).toString('utf8');
  } catch {
    throw new ReportError(`${file} cannot be read: remove it, and the trend begins anew`);
  }
}

/** With the folder in its environment, since Allure reads no other configuration of this suite. */
function generate(reportsDir: string): void {
  const args = ['node_modules/allure/cli.js', 'generate', '--config', 'allurerc.mjs'];
  const env = { ...process.env, REPORTS_DIR: reportsDir };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`allure generate ended with ${status}`);
}

const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' data: blob:",
  "style-src 'unsafe-inline' data:",
  'img-src data: blob:',
  'font-src data:',
  'media-src data: blob:',
  'frame-src data: blob:',
  'connect-src data: blob:',
].join('; ');

const script = readFileSync(new URL('pages/allure.js', import.meta.url), 'utf8');

/** Allure itself links to the contract page from a test alone. */
const wayBack =
  '<p style="margin:0;padding:.25rem 1rem;color-scheme:light dark;background:Canvas"><a style="color:LinkText" href="../contract.html">Contract page</a></p>';

/** An Allure page without analytics; should a later version hide them better, the policy holds them back. */
function closed(page: string): string {
  return page
    .replace(
      /<script async src="https:\/\/www\.googletagmanager[^>]*><\/script>\s*<script>[^<]*<\/script>/,
      '',
    )
    .replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/<body[^>]*>/, (body) => `${body}${wayBack}`)
    .replace('</body>', () => `<script>${script}</script>\n</body>`);
}

/** The run to render. @throws an error for people when there is none. */
function readRun(reportsDir: string): Conformance {
  const file = path.join(reportsDir, 'conformance.json');
  if (existsSync(file)) return readConformance(file);
  throw new ReportError(`there is no run in ${reportsDir}: npx playwright test makes one`);
}

const { reportsDir } = readConfiguration().target;
try {
  const run = readRun(reportsDir);
  fillOutput({ option: 'REPORTS_DIR', folder: reportsDir }, () => render(reportsDir, run));
} catch (error) {
  printError('render', error);
  process.exitCode = 1;
}
