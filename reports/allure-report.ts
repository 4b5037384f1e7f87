import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Status } from 'allure-js-commons';
import { createDefaultWriter, ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import { writeAtomically } from '../src/client/files.ts';
import { describeGate, type GateResult } from '../src/verdict/gates.ts';

/**
 * Renders the Allure results of a run as one file, `allure-report/index.html`. Does nothing if there are no Allure results.
 * First removes this run and later runs from `allure-history.jsonl`. Allure then adds this run to the file. Without the removal, a
 * run that is rendered again would be in the file twice.
 * @param startedAt start of the run (ISO 8601)
 * @throws an `Error` if Allure fails
 */
export function renderAllure(reportsDir: string, startedAt: string): void {
  if (!existsSync(path.join(reportsDir, 'allure-results'))) return;
  pruneHistory(path.join(reportsDir, 'allure-history.jsonl'), Date.parse(startedAt));
  const args = ['node_modules/allure/cli.js', 'generate', '--config', 'allurerc.mjs'];
  // Allure loads `allurerc.mjs` in a process of its own, so the folder is passed as a variable.
  const env = { ...process.env, REPORTS_DIR: reportsDir };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`allure generate ended with ${status}`);
  const report = path.join(reportsDir, 'allure-report', 'index.html');
  writeAtomically(report, replaceAnalyticsByLink(readFileSync(report, 'utf8')));
}

/** Adds a failed test to the Allure results for each gate that did not pass. */
export function addFailedGates(reportsDir: string, gates: GateResult[]): void {
  const resultsDir = path.join(reportsDir, 'allure-results');
  if (!existsSync(resultsDir)) return;
  const runtime = new ReporterRuntime({ writer: createDefaultWriter({ resultsDir }) });
  // The results are of shards, which skip the tests of gates.
  for (const gate of gates.filter(({ verdict }) => verdict !== 'pass')) {
    const id = runtime.startTest({
      name: gate.statement,
      fullName: gate.address,
      labels: [{ name: 'suite', value: 'tests/contract/run.spec.ts' }],
      status: Status.FAILED,
      statusDetails: { message: `FailedGate: ${describeGate(gate)}` },
    });
    runtime.stopTest(id);
    runtime.writeTest(id);
  }
}

function pruneHistory(historyFile: string, startedAtMs: number): void {
  if (!existsSync(historyFile)) return;
  const historyLines = readFileSync(historyFile, 'utf8').split('\n').filter(Boolean);
  const runs = historyLines.flatMap(parseHistoryLine);
  // If the present run was rendered before, the history has that run already, and `allure generate` would add a second copy.
  const earlierRuns = runs.filter(({ timestamp }) => timestamp < startedAtMs);
  const earlierResults = earlierRuns.flatMap(({ testResults }) => Object.values(testResults));
  // No trend shows labels and errors, which make the history large.
  for (const result of earlierResults) {
    result.labels = [];
    result.error = undefined;
  }
  const prunedLines = earlierRuns.map((run) => `${JSON.stringify(run)}\n`);
  writeAtomically(historyFile, prunedLines.join(''));
}

function parseHistoryLine(line: string): AllureRun[] {
  try {
    return [JSON.parse(line)];
  } catch {
    // The line was cut off, for example.
    return [];
  }
}

/** Line of `allure-history.jsonl`, about one run. */
interface AllureRun {
  timestamp: number;
  testResults: Record<string, { labels?: unknown[]; error?: unknown }>;
}

/** HTML link to the contract page. The link is inserted into Allure's page, because Allure has no setting for links. */
const contractPageLink =
  '<a style="position:fixed;left:1rem;bottom:.75rem" href="../contract.html">Contract page</a>';

function replaceAnalyticsByLink(page: string): string {
  // Allure writes an analytics script into each page (allure3 issue 476).
  const analyticsPattern =
    /<script async src="https:\/\/www\.googletagmanager[^>]*><\/script>\s*<script>[^<]*<\/script>/;
  return page.replace(analyticsPattern, '').replace('</body>', `${contractPageLink}\n</body>`);
}
