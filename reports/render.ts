import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfiguration } from '../tests/client/target.ts';
import { tidyResults } from './allure-results.ts';
import type { Conformance } from './conformance.ts';
import { writeReports } from './write.ts';

/**
 * Renders the Allure report of the last run so that it can be read from disk: in the order of the contract, without
 * analytics, unable to reach for the network, and linked with the contract page.
 */
function render(reportsDir: string): void {
  const below = (...names: string[]) => path.join(reportsDir, ...names);
  const conformance: Conformance = JSON.parse(readFileSync(below('conformance.json'), 'utf8'));
  if (existsSync(below('allure-results'))) {
    const addresses = conformance.requirements.map(({ address }) => address);
    tidyResults(below('allure-results'), addresses);
    forget(below('allure-history.jsonl'), Date.parse(conformance.startedAt));
    generate();
    const report = below('allure-report', 'index.html');
    writeFileSync(report, closed(readFileSync(report, 'utf8')));
  }
  writeReports(conformance, { reportsDir });
}

/** Takes a run out of the history that Allure is about to write it to: it is rendered anew, and did not happen twice. */
function forget(history: string, startedAt: number): void {
  if (!existsSync(history)) return;
  const earlier = (line: string) => {
    const { testResults }: { testResults: Record<string, { start?: number }> } = JSON.parse(line);
    return Object.values(testResults).every(({ start = 0 }) => start < startedAt);
  };
  const lines = readFileSync(history, 'utf8').split('\n').filter(Boolean);
  writeFileSync(
    history,
    lines
      .filter(earlier)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function generate(): void {
  const args = ['node_modules/allure/cli.js', 'generate', '--config', 'allurerc.mjs'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
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

/** An Allure page without analytics; should a later version hide them better, the policy holds them back. */
function closed(page: string): string {
  return page
    .replace(
      /<script async src="https:\/\/www\.googletagmanager[^>]*><\/script>\s*<script>[^<]*<\/script>/,
      '',
    )
    .replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace('</body>', () => `<script>${script}</script>\n</body>`);
}

const { reportsDir } = readConfiguration().target;
if (existsSync(path.join(reportsDir, 'conformance.json'))) render(reportsDir);
else {
  process.stderr.write(`render: there is no run in ${reportsDir}: npx playwright test makes one\n`);
  process.exitCode = 1;
}
