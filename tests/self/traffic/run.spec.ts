import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { checkAndAsk } from '../../run/checked-run.ts';
import { askInProcess, runInProcess } from '../harness/in-process-run.ts';
import { withEnvironment } from '../harness/process-state.ts';
import { startSuite } from '../harness/whole-run.ts';
import { line } from './judging.ts';

const recording = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url));
const outputPath = (name: string) => test.info().outputPath(name);
const text = (folder: string, file: string) => readFileSync(path.join(folder, file), 'utf8');

test('a faulty recording fails, and every report says that it is one, of when, and what was not judged', async () => {
  const TRAFFIC = recording('mitmproxy-faulty.har');
  const { code, output, conformance, reportsDir } = await runInProcess({ TRAFFIC });
  expect(code).toBe(1);
  expect(conformance).toMatchObject({ verdict: 'fail', requests: 0, target: 'recorded traffic' });
  expect(conformance?.traffic).toMatchObject({
    sources: ['[1] mitmproxy-faulty.har'],
    judged: 6,
    broken: [],
  });
  expect(() => checkConformance(conformance, 'conformance.json')).not.toThrow();
  const outputs = ['conformance.md', 'contract.html'].map((file) => text(reportsDir, file));
  for (const report of [output, ...outputs]) {
    expect(report).toContain('RECORDED TRAFFIC');
    expect(report).toMatch(/6 of \d+ recorded exchanges judged, from 20\d\d-\d\d-\d\d/);
    expect(report).toMatch(/not judged: 1, redirect/);
  }
  expect(text(reportsDir, 'badge.svg')).toContain('RECORDED TRAFFIC');
  expect(output).toMatch(/\{card 1\}.*expected a month/);
  expect(output).not.toMatch(/is not set|asking/);
});

test('a conforming recording passes, with nothing read but the file', async () => {
  const TRAFFIC = recording('playwright-embed-conforming.har');
  // A module that no run could load.
  const env = { TRAFFIC, AUTH_MODULE: fileURLToPath(import.meta.url) };
  const { code, conformance } = await runInProcess(env);
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 0, verdict: 'pass' });
  expect(conformance?.observed).toEqual([]);
});

test('a recording that breaks off ends as an error, and keeps what was found', async () => {
  const file = test.info().outputPath('cut.ndjson');
  writeFileSync(file, `${line({ status: 201 })}${line().slice(0, 40)}`);
  const { code, conformance, output } = await runInProcess({ TRAFFIC: file });
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'error' });
  expect(conformance?.notes[0]).toMatch(
    /cut\.ndjson: ends early at byte \d+; only what can be read was judged/,
  );
  const red = conformance?.requirements.filter(({ verdict }) => verdict === 'violation');
  expect(red?.map(({ address }) => address)).toEqual(['listCustomers/http/status']);
  expect(output).toContain('ERROR (RECORDED TRAFFIC)');
});

test('a recording in which nothing can be judged is no pass', async () => {
  const { code, conformance, output } = await runInProcess({ TRAFFIC: recording('old-*.har') });
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict: 'error' });
  const problem = /TRAFFIC, 1 of 1: old-\*\.har: no such file; correct TRAFFIC/;
  expect(conformance?.notes[0]).toMatch(problem);
  expect(output).toMatch(new RegExp(`got none: ${problem.source}. See docs/recorded-traffic.md`));
});

test('a recording without bodies is no pass: it could not be red', async () => {
  const { code, output } = await runInProcess({ TRAFFIC: recording('playwright-omit-conforming.har') });
  expect(code).toBe(1);
  expect(output).toContain(
    'the gate run/target expected responses of the API; got no body that could be judged',
  );
});

test('what needs a target to ask cannot stand beside TRAFFIC', () => {
  const problemsOf = (env: Record<string, string>) =>
    readConfiguration({ TRAFFIC: 'a.har', ...env }, '/nonexistent').problems;
  expect(problemsOf({ CI: '1' })).toEqual([]);
  for (const [name, value] of [
    ['RECORD', '1'],
    ['FUZZ_REQUESTS', '5'],
    ['PROBES', 'on'],
    ['SWEEP', 'all'],
    ['FAIL_ON_DRIFT', '1'],
    ['FAIL_ON_SERVER_ERROR', '1'],
    ['BASE_URL', 'mock'],
  ] as const)
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`TRAFFIC.*${name}`))]);
  expect(problemsOf({ TRAFFIC: ' , ' })).toEqual([expect.stringContaining('names no file')]);
  expect(problemsOf({ TRAFFIC: '-,a.har,-' })).toEqual([expect.stringContaining('twice')]);
});

test('in a process, from standard input, with all other reporters: an error ends the run red, though no test has failed', async () => {
  const named = { PLAYWRIGHT_HTML_OPEN: 'never', PLAYWRIGHT_JSON_OUTPUT_NAME: outputPath('results.json') };
  const reporters = '--reporter=line,json,junit,html,blob';
  const one = ['--grep', '@listCustomers/http/status$'];
  const { child, ended } = startSuite({ TRAFFIC: '-', ...named }, [reporters, ...one]);
  child.stdin?.end(`${line()}${line().slice(0, 40)}`);
  const { code, output } = await ended;
  expect(code).toBe(1);
  expect(output).toMatch(
    /The run does not pass: ERROR \(RECORDED TRAFFIC\) of 1 selected requirement of \d+: .*standard input: ends early at byte \d+/,
  );
  expect(output).not.toMatch(/^ {4}at /m);
  const { stats } = JSON.parse(readFileSync(named.PLAYWRIGHT_JSON_OUTPUT_NAME, 'utf8'));
  expect(stats).toMatchObject({ expected: 1, unexpected: 0 });
});

test('two shards judge the whole recording, and merged say what one run says', async () => {
  const TRAFFIC = recording('mitmproxy-faulty.har');
  const whole = (await runInProcess({ TRAFFIC })).conformance as Conformance;
  const reports: Conformance[] = [];
  for (const current of [1, 2]) {
    const shard = { current, total: 2 };
    const select = (addresses: string[]) => addresses.filter((_, index) => index % 2 === current - 1);
    const run = await askInProcess({ TRAFFIC }, (judge) => judge({ shard, select }), { shard });
    reports.push(run.conformance as Conformance);
  }
  const { verdict, requirements, traffic } = mergeShards(loadContract(), reports);
  expect({ verdict, traffic }).toEqual({ verdict: 'fail', traffic: whole.traffic });
  expect(requirements.map((one) => `${one.address} ${one.verdict}`)).toEqual(
    whole.requirements.map((one) => `${one.address} ${one.verdict}`),
  );
});

test('a run in UI mode says that it has no standard input to read from', async () => {
  const asked = withEnvironment({ TRAFFIC: '-' }, () => checkAndAsk(undefined, false));
  await expect(asked).rejects.toThrow(/TRAFFIC=- reads standard input, which runs in UI mode .* name a file/);
});
