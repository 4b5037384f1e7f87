import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { findSpecs } from './specs.ts';

const browser = findSpecs(/from '[./a-z]+\/browser\.ts'/);
const processes = findSpecs(
  /\b(runSuite|startSuite|runAgainst|watch|fork|runStepScript)\(|\bexecFile\b/,
).filter((name) => !browser.includes(name));
const elsewhere = [...browser, ...processes];
const waiting = /\/self\/runs\/held-folder\.spec\.ts$/;
const wholeRuns = /\/self\/(proof|redaction|relations|runs|verdict)\/.*\.spec\.ts$/;

// Workers create many short-lived objects. A larger young generation of V8 saves them a tenth of their time.
process.execArgv.push('--max-semi-space-size=32');
// Less inlining saves a twelfth of their time. Set here, since V8 ends a process whose limit changes after it began to compile.
process.execArgv.push('--max-inlined-bytecode-size=150', '--max-inlined-bytecode-size-cumulative=200');

export default defineConfig({
  testDir: '.',
  build: { external: ['**/*.{js,cjs,mjs}'] },
  outputDir: '../../reports/out/self',
  snapshotPathTemplate: '{testDir}/{testFileDir}/{arg}{ext}',
  workers: 2 + availableParallelism(),
  // Some tests are whole runs, which take long on a busy machine.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  // Tests that run in the process of a worker share one worker, so that V8 compiles the suite once: three workers would take a
  // third more processor time. Tests of parts have another worker, and tests that start processes run beside both.
  projects: [
    { name: 'whole runs', testMatch: wholeRuns, testIgnore: elsewhere, workers: 1 },
    { name: 'parts', testIgnore: [...elsewhere, wholeRuns], workers: 1 },
    { name: 'browser', testMatch: browser, workers: 1 },
    // Tests that wait for a lock to expire start first, because the machine would be idle if they ran last.
    { name: 'waiting', testMatch: waiting, workers: 1 },
    { name: 'process', testMatch: processes, testIgnore: waiting, fullyParallel: true },
  ],
  // Without a terminal, the line reporter would print a line for each test between the failures.
  reporter: [[process.stdout.isTTY ? 'line' : 'dot'], ['./proof/proof-reporter.ts']],
});
