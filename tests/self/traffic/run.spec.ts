import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { startSuite } from '../harness/whole-run.ts';
import { createExchangeLine } from './judging.ts';

const getRecordingPath = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url));
const outputPath = (name: string) => test.info().outputPath(name);
const readReport = (folder: string, file: string) => readFileSync(path.join(folder, file), 'utf8');

test('a faulty recording fails, and every report shows that it is a recording, its time, and what was not judged', async () => {
  // A module that cannot be loaded.
  const env = {
    TRAFFIC: getRecordingPath('mitmproxy-faulty.har'),
    AUTH_MODULE: fileURLToPath(import.meta.url),
  };
  const { code, output, conformance, reportsDir } = await runInProcess(env);
  expect(code).toBe(1);
  const facts = { verdict: 'fail', requests: 0, target: 'recorded traffic', observed: [] };
  expect(conformance).toMatchObject(facts);
  expect(conformance?.traffic).toMatchObject({ sources: ['[1] ….har'], judged: 6, broken: [] });
  const outputs = ['conformance.md', 'contract.html'].map((file) => readReport(reportsDir, file));
  for (const report of [output, ...outputs]) {
    expect(report).toContain('RECORDED TRAFFIC');
    expect(report).toMatch(/6 of \d+ recorded exchanges judged, from 20\d\d-\d\d-\d\d/);
    expect(report).toMatch(/not judged: 1, redirect/);
    // The name of the recording appears only on a local terminal.
    expect(
      report.includes(
        '[1] tests/self/traffic/recordings/mitmproxy-faulty.har: exchanges of any host; nothing is sent',
      ),
    ).toBe(report === output);
  }
  expect(readReport(reportsDir, 'badge.svg')).toContain('RECORDED TRAFFIC');
  expect(output).toMatch(/\{card 1\}\n.+\n +expected +a month/);
  expect(output).not.toMatch(/is not set|asking/);
});

test('a recording without bodies does not pass, because it could not fail', async () => {
  const TRAFFIC = getRecordingPath('playwright-omit-conforming.har');
  const { code, output, conformance } = await runInProcess({ TRAFFIC });
  expect(code).toBe(1);
  const { judged: judgedCount = 0, withoutBody } = conformance?.traffic ?? {};
  expect(withoutBody).toBe(judgedCount);
  expect(output).toContain(`bodies not judged: ${judgedCount}, because the recording lacks them`);
  expect(output).toContain('ERROR (RECORDED TRAFFIC): no body that could be judged');
});

test('settings that need a running target are rejected beside TRAFFIC', () => {
  const listProblems = (env: Record<string, string>) =>
    readConfiguration({ TRAFFIC: '-', ...env }, '/nonexistent').problems;
  expect(listProblems({ CI: '1' })).toEqual([]);
  const sendingSettings = { PROBES: 'on', SWEEP: 'all', FAIL_ON: 'undeclared,drift' };
  for (const [name, value] of Object.entries(sendingSettings))
    expect(listProblems({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`TRAFFIC.*${name}`))]);
  expect(listProblems({ PROBES: '0', SWEEP: '0' })).toEqual([]);
  expect(listProblems({ PROBES: '05' })).toEqual([expect.stringContaining('but PROBES needs requests')]);
  expect(listProblems({ TRAFFIC: ' , ' })).toEqual([expect.stringContaining('names no file')]);
});

test('a missing file is named as typed before anything runs', () => {
  const folder = getRecordingPath('playwright-attach-faulty');
  const TRAFFIC = `maria.har,old-*.har,${folder},${getRecordingPath('mitm*.har')},${getRecordingPath('mitmproxy-faulty.har')}`;
  const longName = 'x'.repeat(300);
  const longNames = { TRAFFIC: longName, CUSTOM_TESTS: longName };
  expect(readConfiguration(longNames, '/nonexistent').problems).toEqual([
    `TRAFFIC names ${longName}, a file that cannot be read (ENAMETOOLONG)`,
    `CUSTOM_TESTS names ${longName}, which is not a folder: name the folder of your tests`,
  ]);
  expect(readConfiguration({ TRAFFIC }, '/nonexistent').problems).toEqual([
    'TRAFFIC names maria.har, a file that does not exist',
    'TRAFFIC names old-*.har, which no file matches',
    `TRAFFIC names ${folder}, which is a folder: name its files, as ${folder}/*.har`,
  ]);
});

test('an error in a recording from standard input ends the run red with other reporters, although no test failed', async () => {
  const jsonOutput = { PLAYWRIGHT_JSON_OUTPUT_NAME: outputPath('results.json') };
  const reporters = '--add-reporter=line,json';
  const grepTwoTests = ['--grep', '@listCustomers/http/status$|@getCard/requests'];
  const { child, ended } = startSuite({ TRAFFIC: '-', ...jsonOutput }, [reporters, ...grepTwoTests]);
  child.stdin?.end(`${createExchangeLine()}${createExchangeLine().slice(0, 40)}`);
  const { code, output } = await ended;
  expect(code).toBe(1);
  expect(output).toMatch(
    /ERROR \(RECORDED TRAFFIC\) of 1 selected requirement of \d+: .*standard input: ends early at byte \d+/,
  );
  expect(output).not.toMatch(/^ {4}at /m);
  const { stats } = JSON.parse(readFileSync(jsonOutput.PLAYWRIGHT_JSON_OUTPUT_NAME, 'utf8'));
  expect(stats).toMatchObject({ expected: 1, skipped: 1, unexpected: 0 });
});
