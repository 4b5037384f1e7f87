import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Status } from 'allure-js-commons';
import { createDefaultWriter, ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import { writeAtomically } from '../src/client/files.ts';
import { describeGate, type GateResult } from '../src/verdict/gates.ts';

/**
 * Renders the Allure report of a run beside its `conformance.json`: one file that opens from disk and makes no request. Renders
 * nothing without `allure-results`.
 */
export function renderAllure(reportsDir: string, startedAt: string): void {
  if (!existsSync(path.join(reportsDir, 'allure-results'))) return;
  keepEarlierRuns(path.join(reportsDir, 'allure-history.jsonl'), Date.parse(startedAt));
  const args = ['node_modules/allure/cli.js', 'generate', '--config', 'allurerc.mjs'];
  // `allurerc.mjs` reads `REPORTS_DIR`, because Allure loads it outside of the suite.
  const env = { ...process.env, REPORTS_DIR: reportsDir };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`allure generate ended with ${status}`);
  const report = path.join(reportsDir, 'allure-report', 'index.html');
  writeAtomically(report, adaptPage(readFileSync(report, 'utf8')));
}

/**
 * Adds a failed test for each gate that did not pass to the Allure results of merged shards, which skip gates. Without these tests
 * the report could be green although the merged run is no `pass`.
 */
export function addFailedGates(reportsDir: string, gates: GateResult[]): void {
  const resultsDir = path.join(reportsDir, 'allure-results');
  if (!existsSync(resultsDir)) return;
  const runtime = new ReporterRuntime({ writer: createDefaultWriter({ resultsDir }) });
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

/** Line of Allure's history, with the keys that this file reads. */
interface PastRun {
  timestamp: number;
  testResults: Record<string, object>;
}

/**
 * Keeps only the runs before this one in Allure's history, because Allure adds this run when it is rendered. Of earlier runs, keeps
 * what the trend shows.
 */
function keepEarlierRuns(history: string, startedAt: number): void {
  if (!existsSync(history)) return;
  const runs: PastRun[] = readFileSync(history, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const earlier = runs.filter(({ timestamp }) => timestamp < startedAt);
  for (const { testResults } of earlier)
    for (const result of Object.values(testResults)) Object.assign(result, { labels: [], error: undefined });
  writeAtomically(history, earlier.map((run) => `${JSON.stringify(run)}\n`).join(''));
}

/** Link from Allure's page back to the contract page. Allure can link from a test, but not from its page. */
const contractPageLink =
  '<a style="position:fixed;left:1rem;bottom:.75rem" href="../contract.html">Contract page</a>';

/** Removes the analytics that Allure writes into each page (allure3 issue 476), and adds the link to the contract page. */
function adaptPage(page: string): string {
  const analytics =
    /<script async src="https:\/\/www\.googletagmanager[^>]*><\/script>\s*<script>[^<]*<\/script>/;
  return page.replace(analytics, '').replace('</body>', () => `${contractPageLink}\n</body>`);
}
