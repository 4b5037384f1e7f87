import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { specsWith } from './specs.ts';

const browser = specsWith(/from '[./a-z]+\/browser\.ts'/);
const processes = specsWith(
  /\b(runSuite|startSuite|runAgainst|watch|fork|runStepScript)\(|\bexecFile\b/,
).filter((name) => !browser.includes(name));
const elsewhere = [...browser, ...processes];
const waiting = /\/self\/runs\/held-folder\.spec\.ts$/;
const wholeRuns = /\/self\/(proof|redaction|relations|runs|verdict)\/.*\.spec\.ts$/;

// For the workers: a run leaves much behind that is short-lived, and looking through it costs a tenth of their time.
process.execArgv.push('--max-semi-space-size=32');
// With less inlining they take a twelfth less. From the start only: V8 ends a process that has begun to compile by another limit.
process.execArgv.push('--max-inlined-bytecode-size=150', '--max-inlined-bytecode-size-cumulative=200');

export default defineConfig({
  testDir: '.',
  build: { external: ['**/*.{js,cjs,mjs}'] },
  outputDir: '../../reports/out/self',
  snapshotPathTemplate: '{testDir}/{testFileDir}/{arg}{ext}',
  workers: 2 + availableParallelism(),
  // Some tests are whole runs; on a machine that is busy with other things they may take their time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  // What is in a worker's own process shares one worker, so that V8 compiles the suite once for all of it: three workers
  // would take a third more processor time in all. Tests of parts have another one; what starts processes runs beside them.
  projects: [
    { name: 'whole runs', testMatch: wholeRuns, testIgnore: elsewhere, workers: 1 },
    { name: 'parts', testIgnore: [...elsewhere, wholeRuns], workers: 1 },
    { name: 'browser', testMatch: browser, workers: 1 },
    // What waits for a lock to be taken over: at the end, the machine would wait with it.
    { name: 'waiting', testMatch: waiting, workers: 1 },
    { name: 'process', testMatch: processes, testIgnore: waiting, fullyParallel: true },
  ],
  // Where lines are not written over, one for each test would stand between the failures.
  reporter: [[process.stdout.isTTY ? 'line' : 'dot'], ['./proof/proof-reporter.ts']],
});
