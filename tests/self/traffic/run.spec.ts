import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readConfiguration } from '../../../src/run/target.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { startSuite } from '../harness/whole-run.ts';
import { line } from './judging.ts';

const recording = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url));
const outputPath = (name: string) => test.info().outputPath(name);
const text = (folder: string, file: string) => readFileSync(path.join(folder, file), 'utf8');

test('a faulty recording fails, and every report says that it is one, of when, and what was not judged', async () => {
  // A module that no run could load.
  const env = { TRAFFIC: recording('mitmproxy-faulty.har'), AUTH_MODULE: fileURLToPath(import.meta.url) };
  const { code, output, conformance, reportsDir } = await runInProcess(env);
  expect(code).toBe(1);
  const facts = { verdict: 'fail', requests: 0, target: 'recorded traffic', observed: [] };
  expect(conformance).toMatchObject(facts);
  expect(conformance?.traffic).toMatchObject({ sources: ['[1] ….har'], judged: 6, broken: [] });
  const outputs = ['conformance.md', 'contract.html'].map((file) => text(reportsDir, file));
  for (const report of [output, ...outputs]) {
    expect(report).toContain('RECORDED TRAFFIC');
    expect(report).toMatch(/6 of \d+ recorded exchanges judged, from 20\d\d-\d\d-\d\d/);
    expect(report).toMatch(/not judged: 1, redirect/);
    // Its name is said on one's own terminal alone.
    expect(
      report.includes(
        '[1] tests/self/traffic/recordings/mitmproxy-faulty.har: exchanges of any host; nothing is sent',
      ),
    ).toBe(report === output);
  }
  expect(text(reportsDir, 'badge.svg')).toContain('RECORDED TRAFFIC');
  expect(output).toMatch(/\{card 1\}\n.+\n +expected +a month/);
  expect(output).not.toMatch(/is not set|asking/);
});

test('a recording without bodies is no pass: it could not be red', async () => {
  const TRAFFIC = recording('playwright-omit-conforming.har');
  const { code, output, conformance } = await runInProcess({ TRAFFIC });
  expect(code).toBe(1);
  const { judged = 0, withoutBody } = conformance?.traffic ?? {};
  expect(withoutBody).toBe(judged);
  expect(output).toContain(`bodies not judged: ${judged}, which the recording lacks`);
  expect(output).toContain('ERROR (RECORDED TRAFFIC): no body that could be judged');
});

test('what needs a target to ask cannot stand beside TRAFFIC', () => {
  const problemsOf = (env: Record<string, string>) =>
    readConfiguration({ TRAFFIC: '-', ...env }, '/nonexistent').problems;
  expect(problemsOf({ CI: '1' })).toEqual([]);
  const asking = { PROBES: 'on', SWEEP: 'all', FAIL_ON: 'undeclared,drift' };
  for (const [name, value] of Object.entries(asking))
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`TRAFFIC.*${name}`))]);
  expect(problemsOf({ TRAFFIC: ' , ' })).toEqual([expect.stringContaining('names no file')]);
});

test('a file that does not exist is named before anything runs, as it was typed', () => {
  const folder = recording('playwright-attach-faulty');
  const TRAFFIC = `maria.har,old-*.har,${folder},${recording('mitm*.har')},${recording('mitmproxy-faulty.har')}`;
  expect(readConfiguration({ TRAFFIC }, '/nonexistent').problems).toEqual([
    'TRAFFIC names maria.har, and there is no such file',
    'TRAFFIC names old-*.har, and no file has such a name',
    `TRAFFIC names ${folder}, which is a folder: name its files, as ${folder}/*.har`,
  ]);
});

test('in a process, from standard input, with other reporters: an error ends the run red, though no test has failed', async () => {
  const named = { PLAYWRIGHT_JSON_OUTPUT_NAME: outputPath('results.json') };
  const reporters = '--add-reporter=line,json';
  const one = ['--grep', '@listCustomers/http/status$|@getCard/requests'];
  const { child, ended } = startSuite({ TRAFFIC: '-', ...named }, [reporters, ...one]);
  child.stdin?.end(`${line()}${line().slice(0, 40)}`);
  const { code, output } = await ended;
  expect(code).toBe(1);
  expect(output).toMatch(
    /ERROR \(RECORDED TRAFFIC\) of 1 selected requirement of \d+: .*standard input: ends early at byte \d+/,
  );
  expect(output).not.toMatch(/^ {4}at /m);
  const { stats } = JSON.parse(readFileSync(named.PLAYWRIGHT_JSON_OUTPUT_NAME, 'utf8'));
  expect(stats).toMatchObject({ expected: 1, skipped: 1, unexpected: 0 });
});
