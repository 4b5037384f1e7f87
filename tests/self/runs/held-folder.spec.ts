import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { getLockFile } from '../../../src/run/reports-dir.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { configureTarget, runSuite, startSuite, writePassedReports } from '../harness/whole-run.ts';
import { createPopulation, type PopulationOptions } from '../mock/population.ts';
import { createPlantedFault } from '../proof/named-faults.ts';

test.setTimeout(120_000);

const phoneAddress = 'listCustomers/data/customers/*/phone';

async function startWaitingMock(population: PopulationOptions, shouldWait = () => true) {
  const { promise: released, resolve: release } = createDeferred();
  const mock = await startMock({
    store: createPopulation(population),
    alter: async (response) => {
      if (shouldWait()) await released;
      return response;
    },
  });
  const waitForRequest = () =>
    expect.poll(() => mock.requests.length, { intervals: [25], timeout: 60_000 }).toBeGreaterThan(0);
  return { mock, release, waitForRequest };
}

/** Creates a promise and the function that resolves it, because Node 20 lacks `Promise.withResolvers`. */
function createDeferred() {
  let resolve = () => {};
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

const locateJournal = (reportsDir: string) => path.join(reportsDir, 'sweep/listCustomers.ndjson');

function countWrittenPages(reportsDir: string): number {
  const journal = locateJournal(reportsDir);
  if (!existsSync(journal)) return 0;
  // The first two lines are about the whole sweep. The last element is the empty text after the last line break.
  const [_head, _plan, ...pageLines] = readFileSync(journal, 'utf8').split('\n');
  return pageLines.length - 1;
}

test('a second run is rejected in one sentence and changes no file, and SIGTERM ends the first run with a report of its findings', async () => {
  const REPORTS_DIR = writePassedReports();
  const faults = [createPlantedFault('customer: phone is null', 101)];
  const { mock } = await startWaitingMock(
    { customers: 2000, faults },
    () => countWrittenPages(REPORTS_DIR) > 5,
  );
  const env = { ...configureTarget(mock.url), REPORTS_DIR, REQUEST_TIMEOUT_MS: '90000', SWEEP: 'all' };
  const firstRun = startSuite(env);
  await expect.poll(() => countWrittenPages(REPORTS_DIR), { timeout: 60_000 }).toBeGreaterThan(5);
  const listFiles = (folder: string) => readdirSync(folder).filter((name) => name !== 'test-results');
  const [listReportFiles, listRootFiles] = [REPORTS_DIR, '.'].map((folder) => () => listFiles(folder).sort());
  const filesBefore = [listReportFiles?.(), listRootFiles?.()];
  const secondRun = await runSuite(env);
  expect(secondRun).toMatchObject({ code: 1, conformance: undefined });
  expect(secondRun.output).toMatch(/another run is writing to .*: wait for it, or set REPORTS_DIR/);
  expect(secondRun.output).not.toMatch(/^ {4}at /m);
  const earlyRun = await runSuite(env, ['--global-timeout=1']);
  expect(earlyRun).toMatchObject({ conformance: undefined, output: expect.stringContaining('another run') });
  expect([listReportFiles?.(), listRootFiles?.()]).toEqual(filesBefore);
  firstRun.child.kill('SIGTERM');
  const { code, conformance, output } = await firstRun.ended;
  expect(code).toBe(130);
  // Responses that had not arrived when the run was interrupted are not counted.
  const receivedCount = conformance?.requests ?? 0;
  expect(receivedCount).toBeLessThanOrEqual(mock.requests.length);
  expect(receivedCount).toBeGreaterThan(countWrittenPages(REPORTS_DIR));
  expect(conformance).toMatchObject({
    verdict: 'error',
    notes: ['the run was interrupted before its end: the same command with RESUME=1 continues the sweep'],
    sweeps: [{ stopped: 'the run was interrupted' }],
  });
  const [judgedCount = 0] = conformance?.sweeps?.map((sweep) => sweep.judged) ?? [];
  expect(judgedCount).toBeGreaterThan(500);
  const remainingRanges = [{ from: judgedCount + 1, reason: 'the run was interrupted' }];
  expect(conformance?.sweeps?.[0]?.blocked).toEqual(remainingRanges);
  const brokenCount = Math.floor(judgedCount / 101);
  const sweepShare = {
    judged: judgedCount,
    broken: brokenCount,
    first: [101, 202, 303, 404, 505].slice(0, brokenCount),
  };
  expect(conformance?.requirements.filter(({ verdict }) => verdict === 'violation')).toMatchObject([
    { address: phoneAddress, swept: sweepShare },
  ]);
  expect(existsSync(path.join(REPORTS_DIR, 'previous'))).toBe(false);
  expect(output).toContain('ERROR: the run was interrupted before its end');
  expect(output).not.toContain('AUTH_MODULE');
  expect(existsSync(getLockFile(REPORTS_DIR))).toBe(false);
  await mock.close();
});

test('a killed sweep continues at once with RESUME=1, and its counts are exact', async () => {
  const faults = [createPlantedFault('customer: phone is null', 101)];
  const REPORTS_DIR = test.info().outputPath('reports');
  // The mock stops the sweep after its first pages.
  const { mock, release } = await startWaitingMock(
    { customers: 2000, faults },
    () => countWrittenPages(REPORTS_DIR) > 5,
  );
  const env = { ...configureTarget(mock.url), REPORTS_DIR, SWEEP: 'all', PROBES: 'off' };
  const firstRun = startSuite(env);
  await expect
    .poll(() => countWrittenPages(REPORTS_DIR), { intervals: [25], timeout: 60_000 })
    .toBeGreaterThan(5);
  firstRun.child.kill('SIGKILL');
  expect((await firstRun.ended).code).not.toBe(0);
  const lines = readFileSync(locateJournal(REPORTS_DIR), 'utf8').match(/.*"offset":\d+.*\n/g) ?? [];
  // A page with a new shape of customers is requested again, because the sweep looks up one of these customers.
  const finishedOffsets = lines.flatMap((line) =>
    line.includes('"shapes"') ? [] : (/"offset":(\d+)/.exec(line)?.[1] ?? []),
  );
  expect(finishedOffsets.length).toBeGreaterThan(0);
  release();
  mock.requests.length = 0;
  const secondRun = await runInProcess({ ...env, RESUME: '1' });
  expect(secondRun).toMatchObject({
    code: 1,
    conformance: { sweeps: [{ judged: 2000, population: 2000, pages: 20 }], notes: [] },
  });
  const phoneResult = secondRun.conformance?.requirements.find(({ address }) => address === phoneAddress);
  expect(phoneResult?.swept).toMatchObject({ judged: 2000, broken: 19, first: [101, 202, 303, 404, 505] });
  const requestedOffsets = mock.requests.flatMap(
    ({ path: requestPath }) => /limit=100&offset=(\d+)/.exec(requestPath)?.[1] ?? [],
  );
  expect(requestedOffsets).toContain('1900');
  expect(requestedOffsets.filter((offset) => finishedOffsets.includes(offset))).toEqual([]);
  await mock.close();
});

test('a run that lost its lock while it was suspended does not write over the reports of the other run', async () => {
  const { mock, waitForRequest, release } = await startWaitingMock({ customers: 60 });
  const REPORTS_DIR = writePassedReports();
  const run = runInProcess({ ...configureTarget(mock.url), REPORTS_DIR });
  await waitForRequest();
  // Another run would take over the lock with another modification time.
  const { mkdir, rm, utimes } = await import('node:fs/promises');
  await rm(getLockFile(REPORTS_DIR), { recursive: true });
  await mkdir(getLockFile(REPORTS_DIR));
  await utimes(getLockFile(REPORTS_DIR), new Date(0), new Date(0));
  writeFileSync(path.join(REPORTS_DIR, 'conformance.json'), '{"verdict":"fail"}');
  // The first run notices it at the next update of its lock.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  release();
  const { code, output } = await run;
  expect(code).toBe(1);
  expect(output).toContain('ERROR: another run has taken over REPORTS_DIR while this one was suspended');
  expect(readFileSync(path.join(REPORTS_DIR, 'conformance.json'), 'utf8')).toBe('{"verdict":"fail"}');
  expect(readdirSync(REPORTS_DIR).sort()).toEqual(['conformance.json', 'observations', 'run.lock']);
  await mock.close();
});
