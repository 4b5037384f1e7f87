import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { contractOrProblem } from '../schemas/contract/contract.ts';
import { readConfiguration } from '../tests/configuration/target.ts';
import { diskFailure, writeWhole } from '../tests/run/whole-file.ts';
import { tidyResults } from './allure-results.ts';
import type { Conformance } from './conformance.ts';
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
  writeReports(contractOrProblem(), conformance, { reportsDir });
}

/** Takes a run out of the history that Allure is about to write it to: it is rendered anew, and did not happen twice. */
function forget(history: string, startedAt: number): void {
  if (!existsSync(history)) return;
  const earlier = (line: string) => {
    try {
      const { testResults }: { testResults: Record<string, { start?: number }> } = JSON.parse(line);
      return Object.values(testResults).every(({ start = 0 }) => start < startedAt);
    } catch {
      // A line that was cut short.
      return false;
    }
  };
  const lines = readFileSync(history, 'utf8').split('\n').filter(Boolean);
  writeWhole(
    history,
    lines
      .filter(earlier)
      .map((line) => `${line}\n`)
      .join(''),
  );
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
  '<p style="margin:0;padding:.25rem 1rem;background:#fff"><a style="color:#0b57b7" href="../contract.html">Contract page</a></p>';

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
  if (!existsSync(file)) throw new Error(`there is no run in ${reportsDir}: npx playwright test makes one`);
  try {
    const run = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(run.requirements) && Array.isArray(run.findings)) return run;
  } catch {
    // Reported below, like JSON of something else.
  }
  throw new Error(`${file} is no report of a run: npx playwright test makes one`);
}

const { reportsDir } = readConfiguration().target;
try {
  render(reportsDir, readRun(reportsDir));
} catch (error) {
  const disk = diskFailure(error);
  const reason = error instanceof Error ? error.message : 'the report could not be rendered';
  process.stderr.write(`render: ${disk ? `REPORTS_DIR cannot be written: ${disk}` : reason}\n`);
  process.exitCode = 1;
}
