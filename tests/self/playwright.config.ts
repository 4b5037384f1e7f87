import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { noBrowser } from '../no-browser.ts';
import { specsWith } from './specs.ts';

const browser = specsWith(/from '[./a-z]+\/browser\.ts'/);
const processes = specsWith(
  /\b(runSuite|startSuite|runAgainst|watch|fork|runStepScript)\(|\bexecFile\b/,
).filter((name) => !browser.includes(name));
const elsewhere = [...browser, ...processes];
const wholeRuns = /\/self\/(probes|proof|redaction|relations|runs|sweep|verdict)\/.*\.spec\.ts$/;

// For the workers: a run leaves much behind that is short-lived, and looking through it costs a tenth of their time.
process.execArgv.push('--max-semi-space-size=32');
// The optimizing compiler of V8 takes a quarter of a worker's processor time. With less inlining the tests of a worker take a
// twelfth less in all. From the start of a process only: V8 ends one that has begun to compile by another limit.
process.execArgv.push('--max-inlined-bytecode-size=150', '--max-inlined-bytecode-size-cumulative=200');

export default defineConfig({
  testDir: '.',
  // As in a run.
  build: { external: ['**/*.{js,cjs,mjs}'] },
  outputDir: '../../reports/out/self',
  snapshotPathTemplate: '{testDir}/{testFileDir}/{arg}{ext}',
  // Many tests wait for a process, or for time to pass.
  workers: 2 + availableParallelism(),
  // Some tests are whole runs; on a machine that is busy with other things they may take their time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  // What is in a worker's own process shares one worker, so that V8 compiles the suite once for all of it: three workers
  // would take a third more processor time in all. Tests of parts have another one; what starts processes runs beside them.
  projects: [
    { name: 'whole runs', testMatch: wholeRuns, testIgnore: elsewhere, use: noBrowser, workers: 1 },
    { name: 'parts', testIgnore: [...elsewhere, wholeRuns], use: noBrowser, workers: 1 },
    { name: 'browser', testMatch: browser, workers: 1 },
    { name: 'process', testMatch: processes, use: noBrowser, fullyParallel: true },
  ],
  reporter: [[process.env.CI ? 'dot' : 'line'], ['./proof/proof-reporter.ts']],
});
