import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { PopulationOptions } from '../../../mock/population.ts';
import { startMock } from '../../../mock/server.ts';
import { lockOf } from '../../../src/run/reports-dir.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { passedBefore, runSuite, startSuite, targetOf } from '../harness/whole-run.ts';
import { planted } from '../proof/named-faults.ts';

test.setTimeout(120_000);

const phone = 'listCustomers/data/customers/*/phone';

/** A target of so many customers that stops answering, at once or later, until it is released: something is done to a run meanwhile. */
async function waitingMock(population: PopulationOptions, stops = () => true) {
  let release = () => {};
  const released = new Promise<void>((go) => {
    release = go;
  });
  const mock = await startMock({
    population,
    alter: (answer) => (stops() ? released.then(() => answer) : answer),
  });
  const asked = expect.poll(() => mock.requests.length, { intervals: [25], timeout: 60_000 });
  return { mock, release, asked: () => asked.toBeGreaterThan(0) };
}

const journalIn = (reportsDir: string) => path.join(reportsDir, 'sweep/listCustomers.ndjson');

/** Pages that the journal of a sweep holds, beside its head and its plan. */
function written(reportsDir: string): number {
  const journal = journalIn(reportsDir);
  return existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 3 : 0;
}

test('a second run is rejected in one sentence, and leaves the folder and the root alone; SIGTERM ends the first with a report of what it has found', async () => {
  const REPORTS_DIR = passedBefore();
  const faults = [planted('customer: phone is null', 101)];
  const { mock } = await waitingMock({ customers: 2000, faults }, () => written(REPORTS_DIR) > 5);
  const env = { ...targetOf(mock.url), REPORTS_DIR, REQUEST_TIMEOUT_MS: '90000', SWEEP: 'all' };
  const first = startSuite(env);
  await expect.poll(() => written(REPORTS_DIR), { timeout: 60_000 }).toBeGreaterThan(5);
  const listed = (folder: string) => readdirSync(folder).filter((name) => name !== 'test-results');
  const [held, root] = [REPORTS_DIR, '.'].map((folder) => () => listed(folder).sort());
  const before = [held?.(), root?.()];
  const second = await runSuite(env);
  expect(second).toMatchObject({ code: 1, conformance: undefined });
  expect(second.output).toMatch(/another run is writing to .*: wait for it, or set REPORTS_DIR/);
  expect(second.output).not.toMatch(/^ {4}at /m);
  const early = await runSuite(env, ['--global-timeout=1']);
  expect(early).toMatchObject({ conformance: undefined, output: expect.stringContaining('another run') });
  expect([held?.(), root?.()]).toEqual(before);
  first.child.kill('SIGTERM');
  const { code, conformance, output } = await first.ended;
  expect(code).toBe(130);
  expect(conformance).toMatchObject({
    verdict: 'error',
    notes: ['the run was interrupted before its end: the same line with RESUME=1 goes on with the sweep'],
    sweeps: [{ stopped: 'the run was interrupted' }],
  });
  const [judged = 0] = conformance?.sweeps?.map((sweep) => sweep.judged) ?? [];
  expect(judged).toBeGreaterThan(500);
  const left = [{ from: judged + 1, reason: 'the run was interrupted' }];
  expect(conformance?.sweeps?.[0]?.blocked).toEqual(left);
  const broken = Math.floor(judged / 101);
  const swept = { judged, broken, first: [101, 202, 303, 404, 505].slice(0, broken) };
  expect(conformance?.requirements.filter(({ verdict }) => verdict === 'violation')).toMatchObject([
    { address: phone, swept },
  ]);
  expect(existsSync(path.join(REPORTS_DIR, 'previous'))).toBe(false);
  expect(output).toContain('ERROR: the run was interrupted before its end');
  expect(output).not.toContain('AUTH_MODULE');
  expect(existsSync(lockOf(REPORTS_DIR))).toBe(false);
  await mock.close();
});

test('a sweep that is killed in the middle goes on at once where RESUME=1, and its counts are exact', async () => {
  const faults = [planted('customer: phone is null', 101)];
  const REPORTS_DIR = test.info().outputPath('reports');
  // The sweep stands still in its middle.
  const { mock, release } = await waitingMock({ customers: 2000, faults }, () => written(REPORTS_DIR) > 5);
  const env = { ...targetOf(mock.url), REPORTS_DIR, SWEEP: 'all', PROBES: 'off' };
  const first = startSuite(env);
  await expect.poll(() => written(REPORTS_DIR), { intervals: [25], timeout: 60_000 }).toBeGreaterThan(5);
  first.child.kill('SIGKILL');
  expect((await first.ended).code).not.toBe(0);
  const lines = readFileSync(journalIn(REPORTS_DIR), 'utf8').match(/.*"offset":\d+.*\n/g) ?? [];
  // A page that shows a form of customers first is requested again to look one of them up.
  const done = lines.flatMap((line) =>
    line.includes('"shapes"') ? [] : (/"offset":(\d+)/.exec(line)?.[1] ?? []),
  );
  expect(done.length).toBeGreaterThan(0);
  release();
  mock.requests.length = 0;
  const second = await runInProcess({ ...env, RESUME: '1' });
  expect(second).toMatchObject({
    code: 1,
    conformance: { sweeps: [{ judged: 2000, population: 2000, pages: 20 }], notes: [] },
  });
  const broken = second.conformance?.requirements.find(({ address }) => address === phone);
  expect(broken?.swept).toMatchObject({ judged: 2000, broken: 19, first: [101, 202, 303, 404, 505] });
  const asked = mock.requests.flatMap(({ path: sent }) => /limit=100&offset=(\d+)/.exec(sent)?.[1] ?? []);
  expect(asked).toContain('1900');
  expect(asked.filter((offset) => done.includes(offset))).toEqual([]);
  await mock.close();
});

test('a run that lost its lock while it was suspended leaves everything to the other run', async () => {
  const { mock, asked, release } = await waitingMock({ customers: 60 });
  const REPORTS_DIR = passedBefore();
  const run = runInProcess({ ...targetOf(mock.url), REPORTS_DIR });
  await asked();
  // As another run takes it over: its lock has another time.
  const { mkdir, rm, utimes } = await import('node:fs/promises');
  await rm(lockOf(REPORTS_DIR), { recursive: true });
  await mkdir(lockOf(REPORTS_DIR));
  await utimes(lockOf(REPORTS_DIR), new Date(0), new Date(0));
  writeFileSync(path.join(REPORTS_DIR, 'conformance.json'), '{"verdict":"fail"}');
  // The next sign of life finds it.
  await new Promise((later) => setTimeout(later, 2500));
  release();
  const { code, output } = await run;
  expect(code).toBe(1);
  expect(output).toContain('ERROR: another run has taken over REPORTS_DIR while this one was suspended');
  expect(readFileSync(path.join(REPORTS_DIR, 'conformance.json'), 'utf8')).toBe('{"verdict":"fail"}');
  expect(readdirSync(REPORTS_DIR).sort()).toEqual(['conformance.json', 'observations', 'run.lock']);
  await mock.close();
});
