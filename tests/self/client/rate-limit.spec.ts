import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { maxRequests } from '../../exchanges/ask-everything.ts';
import { announcedTime } from '../../run/announced-time.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { cleanEnvironment, type Environment, targetOf } from '../harness/whole-run.ts';

test.setTimeout(120_000);

const { target } = readConfiguration({}, '/nonexistent');

/** The most requests that arrived within any one second. */
const densest = (times: number[]) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1000).length));

test('MAX_RPS holds for all runs of this machine together', async () => {
  const times: number[] = [];
  const alter: Alter = (answer) => {
    times.push(Date.now());
    return answer;
  };
  const mock = await startMock({ alter });
  const few = {
    CARD_IDS: target.identifiers.CARD_IDS?.[0] ?? '',
    CUSTOMER_IDS: '',
    USER_IDS: '',
    MAX_PAGES: '1',
  };
  const env = { ...targetOf(mock.url), ...few, MAX_RPS: '20' };
  const other = askInOther({ ...env, REPORTS_DIR: below('other') });
  await expect.poll(() => times.length, { intervals: [10], timeout: 60_000 }).toBeGreaterThan(0);
  const [own, code] = await Promise.all([runInProcess({ ...env, REPORTS_DIR: below('own') }), other]);
  await mock.close();
  expect({ own: own.code, other: code }).toEqual({ own: 0, other: 0 });
  expect(own.output).toMatch(/asking .*: at most \d+ requests, 20 a second/);
  const [first = 0, last = 0] = [Math.min(...times), Math.max(...times)];
  // Both ask the same.
  expect(times.length).toBe(2 * (own.conformance?.requests ?? 0));
  // Some arrive late and together on a busy machine; without a common limit there would be 40.
  expect(densest(times)).toBeLessThanOrEqual(30);
  expect(last - first).toBeGreaterThan((times.length - 2) * 50);
});

/** Asks as a run does, in a process of its own. */
async function askInOther(env: Environment): Promise<number | null> {
  const file = fileURLToPath(new URL('../../run/ask-process.ts', import.meta.url));
  const execArgv = ['--import', 'tsx'];
  const child = fork(file, {
    execArgv,
    env: { ...cleanEnvironment(), ...env, CONFORMANCE_RUN: 'other' },
    silent: true,
  });
  const [code] = await once(child, 'exit');
  return code;
}

const below = (name: string) => test.info().outputPath(name);

test('the time of a run is announced as MAX_RPS and REQUEST_TIMEOUT_MS allow it', () => {
  const target = { ...readConfiguration({}, '/nonexistent').target, maxRps: 10, timeoutMs: 10_000 };
  const after = (requests: number, overrides = {}) => announcedTime(requests, { ...target, ...overrides });
  expect(after(129)).toBe('about 13 s, at most about 7 min with a slow target');
  expect(after(8, { timeoutMs: 1000 })).toBe('about 1 s, at most about 67 s with a slow target');
  expect(after(600, { maxRps: 1, timeoutMs: 1 })).toBe(
    'about 10 min, at most about 12 min with a slow target',
  );
});

const settings: Record<string, string>[] = [
  {},
  { MAX_PAGES: '1' },
  { MAX_PAGES: '7', CUSTOMER_IDS: '', CARD_IDS: '' },
];

for (const own of settings) {
  test(`no more is sent than was announced ${JSON.stringify(own)}`, async () => {
    const env = { ...own, MAX_RPS: '1000' };
    const mock = await startMock({ choices: { maxLimit: 2, defaultLimit: 2 } });
    const settled = readConfiguration({ ...targetOf(mock.url), ...env }, '/nonexistent').target;
    await mock.close();
    const run = await runInProcessAgainst({ choices: { maxLimit: 2, defaultLimit: 2 } }, env);
    const announced = Number(/at most (\d+) requests/.exec(run.output)?.[1]);
    expect(announced).toBe(await maxRequests(loadContract(), settled));
    expect(run.output).toMatch(/, 1000 a second: about 1 s, at most about \d+ (s|min) with a slow target$/m);
    expect(run.requests.length).toBeLessThanOrEqual(announced);
    expect(run.requests.length).toBeGreaterThan(10);
  });
}
