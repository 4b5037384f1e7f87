import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { altering, set } from '../harness/edits.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { root } from '../harness/project-files.ts';
import {
  againstMock,
  cleanEnvironment,
  type Environment,
  type MockedRun,
  readConformance,
  runAgainst,
  runSuite,
  startSuite,
  writePassedReports,
  writeTestFile,
} from '../harness/whole-run.ts';

test.setTimeout(180_000);

const readTestersPage = () => readFileSync(path.join(root, 'docs/testers.md'), 'utf8');
const reporterArg = '--reporter=./reports/reporter.ts';
const wrongTitle = { alter: altering('getCard', set('data/card/title', 7)) };

const run = (args: string[], env: Environment = {}, mock = {}) =>
  runAgainst(mock, { PROBES: 'off', ...env }, args);

function listRequestedKinds({ requests }: MockedRun): string[] {
  const pathPatterns = { cards: /\/cards\//, customers: /\/customers\//, rules: /\/fee_rule/ };
  const requestedKinds = Object.entries(pathPatterns).filter(([, pattern]) =>
    requests.some((request) => pattern.test(request.path)),
  );
  return requestedKinds.map(([kind]) => kind);
}

test('--grep-invert leaves out the operation that it names, and sends none of its requests', async () => {
  const result = await run([reporterArg, '--grep-invert', '@getCard|@run/|@questions', 'tests/contract/']);
  expect(result).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(listRequestedKinds(result)).toEqual(['customers', 'rules']);
});

test('file:line, as docs/testers.md has it, runs the test at that line with the requests of its operation', async () => {
  const [, place = ''] = /playwright test (tests\/contract\/\S+:\d+)/.exec(readTestersPage()) ?? [];
  const result = await run([reporterArg, place]);
  expect(result).toMatchObject({ code: 0, conformance: { verdict: 'pass', requirements: [{}] } });
  expect(listRequestedKinds(result)).toEqual(['cards']);
  const emptyRun = await run([reporterArg, 'tests/contract/getCard.spec.ts:9999']);
  expect(emptyRun).toMatchObject({ code: 1, requests: [] });
  expect(emptyRun.output).toContain(
    'no test was selected: tests/contract/getCard.spec.ts:9999 leaves only tests',
  );
});

test('tests/custom/, and --project=custom for another folder, select custom tests, which send only their own requests', async () => {
  const result = await run([reporterArg, 'tests/custom/']);
  expect(result).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(result.requests.length).toBeLessThanOrEqual(3);
  expect(result.output).toContain(': about 1 request, and those of your own tests');
  expect(result.output).toContain(
    'PASS of selected tests: 1 custom test passed; no requirement was selected',
  );
  // The request that checks the target reaches a third of the schema nodes of the mock.
  expect(result.output).not.toContain('coverage');
  const misconfigured = await run([reporterArg, '--project=custom'], { CUSTOM_TESTS: '/nowhere' });
  expect(misconfigured).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error' } });
  expect(misconfigured.output).toContain('CUSTOM_TESTS names /nowhere, which is not a folder');
});

test('--project without CUSTOM_TESTS is refused in one sentence, and the reports of the last run stay', async () => {
  for (const args of [['--project=custom'], ['--project', 'contract', '--reporter=list']]) {
    const refused = await run(args, { REPORTS_DIR: writePassedReports() });
    expect(refused).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'pass' } });
    expect(refused.output).toMatch(/^--project needs CUSTOM_TESTS, .*\n$/);
  }
});

test('--last-failed runs what failed, and a sentence says so if nothing did', async () => {
  const REPORTS_DIR = test.info().outputPath('reports');
  const args = [reporterArg, 'tests/contract/', '--grep', '@getCard/(code|data/card/title)$'];
  expect(await run(args, { REPORTS_DIR }, wrongTitle)).toMatchObject({ code: 1 });
  const repeated = await run([reporterArg, '--last-failed'], { REPORTS_DIR });
  expect(repeated).toMatchObject({ code: 0, conformance: { verdict: 'pass', requirements: [{}] } });
  const emptyRun = await run([reporterArg, '--last-failed'], { REPORTS_DIR });
  expect(emptyRun).toMatchObject({ code: 1, requests: [] });
  expect(emptyRun.output).toContain('--last-failed leaves only tests that failed in the last run');
});

test('--list with the conformance reporter is refused, and the reports of the last run stay', async () => {
  const result = await run([reporterArg, '--list'], { REPORTS_DIR: writePassedReports() });
  expect(result).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'pass' } });
  expect(result.output).toContain('--list has no effect with the conformance reporter: leave out --reporter');
});

function commitFiles(...leftOutFiles: string[]): Environment {
  const GIT_DIR = test.info().outputPath(`git-${leftOutFiles.length}`);
  // Git sets `GIT_INDEX_FILE` while it runs a hook.
  const env = { ...process.env, GIT_DIR, GIT_WORK_TREE: root, GIT_INDEX_FILE: undefined };
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  };
  git('init', '--quiet');
  git('add', '--all', 'tests', 'src', 'schemas', 'spec/', 'mock', 'reports', 'commands', '*.ts', '*.json');
  for (const file of leftOutFiles) git('rm', '--cached', '--quiet', file);
  git('commit', '--quiet', '--message', 'files');
  return { GIT_DIR, GIT_WORK_TREE: root };
}

test('--only-changed runs the tests of changed files, and a sentence says so if there are none', async () => {
  const changedEnv = commitFiles('tests/contract/getFeeRules.spec.ts');
  const result = await run([reporterArg, '--only-changed'], changedEnv);
  expect(result).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(listRequestedKinds(result)).toEqual(['rules']);
  const env = { ...commitFiles(), REPORTS_DIR: writePassedReports() };
  const emptyRun = await run([reporterArg, '--only-changed'], env);
  expect(emptyRun).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'pass' } });
  expect(emptyRun.output).toContain('--only-changed leaves only tests of changed files');
});

test('--debug runs as usual, without a browser', async () => {
  const result = await run([reporterArg, '--debug', '--grep', '@getFeeRules/code$']);
  expect(result).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(listRequestedKinds(result)).toEqual(['rules']);
});

test('--add-reporter=json leaves nothing but JSON on standard output', async () => {
  let stdout = '';
  const args = ['--add-reporter=json', '--grep', '@getFeeRules/code$'];
  const result = await againstMock({}, { PROBES: 'off' }, (env) => {
    const started = startSuite(env, args);
    started.child.stdout?.on('data', (text: string) => {
      stdout += text;
    });
    return started.ended;
  });
  expect(JSON.parse(stdout)).toMatchObject({ stats: { expected: 1, unexpected: 0 } });
  expect(result.output).toContain('PASS');
});

test('no test of the contract has a time limit, because REQUEST_TIMEOUT_MS limits each request, and a custom test has that of Playwright', async () => {
  const reporterFile = writeTestFile(
    'limits.mjs',
    `export default class {
      onBegin(config, suite) {
        const limitedTests = suite.allTests().filter(({ timeout }) => timeout !== 0);
        console.log(JSON.stringify(limitedTests.map(({ title, timeout }) => [title, timeout])));
      }
    }`,
  );
  const { output } = await run(['--list', `--reporter=${reporterFile}`]);
  expect(JSON.parse(output)).toEqual([['the title of a card is one line', 30_000]]);
});

test('-x (--max-failures=1) stops at the failure, and the reports say that it left out requests', async () => {
  const result = await run([reporterArg, '-x', 'tests/contract/'], {}, wrongTitle);
  expect(result).toMatchObject({ code: 1, conformance: { verdict: 'fail', incomplete: true } });
  expect(listRequestedKinds(result)).toEqual(['cards']);
  const rules = result.conformance?.requirements.filter(({ operation }) => operation === 'getFeeRules');
  expect(new Set(rules?.map(({ verdict }) => verdict))).toEqual(new Set(['not exercised']));
  expect(result.conformance?.notes).toEqual(['the run stopped at its first failure (-x)']);
  expect(result.output).toContain(
    'no response of getFeeRules judged: not requested, because the run stopped at its first failure (-x)',
  );
  expect(result.output).not.toContain('no request of');
});

test('-x at a failed test of the team keeps the annotation that names the test', async () => {
  const file = writeTestFile(
    'failing.spec.mts',
    `import { expect, test } from ${JSON.stringify(path.join(root, 'tests/fixtures.ts'))};
    test('is never green', async ({ send }) => expect((await send('listCustomers', {})).status).toBe(201));\n`,
  );
  const env = { CUSTOM_TESTS: path.dirname(file), GITHUB_ACTIONS: 'true' };
  const stopped = await run([reporterArg, '-x', '--project=custom'], env);
  expect(stopped.output).toMatch(/^::error title=run\/custom-tests.*is never green/m);
});

test('a forgotten test.only is an error if CI is set, because it would leave out the contract', async () => {
  const file = writeTestFile(
    'only.spec.mts',
    `import { test } from ${JSON.stringify(path.join(root, 'tests/fixtures.ts'))};
    test.only('is the only test', async ({ send }) => void (await send('listCustomers', {})));\n`,
  );
  const result = await run([reporterArg], { CUSTOM_TESTS: path.dirname(file), CI: '1' });
  expect(result).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error' } });
  expect(result.output).toMatch(/ERROR: item focused with '\.only' is not allowed .*is the only test/);
});

test('--retries runs a failed test again on the same responses, and a flaky test of the team is no failure', async () => {
  const CUSTOM_TESTS = path.dirname(
    writeTestFile(
      'flaky.spec.mts',
      `import { expect, test } from ${JSON.stringify(path.join(root, 'tests/fixtures.ts'))};
      test('is green at the second try', async ({ send }, { retry }) => {
        expect((await send('listCustomers', { limit: '1' })).status).toBe(retry === 0 ? 201 : 200);
      });\n`,
    ),
  );
  const args = [reporterArg, '--retries=1'];
  const repeated = await run([...args, '--grep', '@getCard/(requests|data/card/title)$'], {}, wrongTitle);
  expect(repeated).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  expect(repeated.requests).toHaveLength(17);
  const flaky = await run([...args, '--project=custom'], { CUSTOM_TESTS });
  expect(flaky).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
});

test('with --retries, a skipped test of the team is reported, and test.fail() turns failing into passing', async () => {
  const CUSTOM_TESTS = path.dirname(
    writeTestFile(
      'expected.spec.mts',
      `import { expect, test } from ${JSON.stringify(path.join(root, 'tests/fixtures.ts'))};
      test.skip('is skipped', () => {});
      test.fail('fails as expected', () => expect(1).toBe(2));
      test.fail('passes unexpectedly', () => {});\n`,
    ),
  );
  const { code, conformance, output } = await run([reporterArg, '--retries=1', '--project=custom'], {
    CUSTOM_TESTS,
  });
  expect(code).toBe(1);
  expect(output).toContain('the test passed, although it was expected to fail (test.fail)');
  expect(conformance?.customTests).toEqual([
    { title: expect.stringContaining('is skipped'), failed: false, skipped: true },
    { title: expect.stringContaining('fails as expected'), failed: false },
    { title: expect.stringContaining('passes unexpectedly'), failed: true },
  ]);
});

test('with --retries, a test of the team that first was skipped after a failure is reported once', async () => {
  const CUSTOM_TESTS = path.dirname(
    writeTestFile(
      'serial.spec.mts',
      `import { expect, test } from ${JSON.stringify(path.join(root, 'tests/fixtures.ts'))};
      test.describe.configure({ mode: 'serial' });
      test('is green at the second try', ({ api }, { retry }) => expect(retry).toBe(1));
      test('follows', () => {});\n`,
    ),
  );
  const { conformance } = await run([reporterArg, '--retries=1', '--project=custom'], { CUSTOM_TESTS });
  expect(conformance?.customTests).toEqual([
    { title: expect.stringContaining('follows'), failed: false },
    { title: expect.stringContaining('is green at the second try'), failed: false },
  ]);
});

test('--shard divides the tests of an ordinary run, and npm run merge makes one verdict of them', async () => {
  const createPath = (name: string) => test.info().outputPath(name);
  const args = [reporterArg, 'tests/contract/'];
  const runShards = async (env: Environment) => {
    for (const shard of ['1', '2'])
      await runSuite({ ...env, REPORTS_DIR: createPath(shard) }, [...args, `--shard=${shard}/2`]);
    return runSuite({ ...env, REPORTS_DIR: createPath('whole') }, args);
  };
  const whole = await againstMock(wrongTitle, { PROBES: 'off' }, runShards);
  const merged = await runCommand('reports/merge.ts', [
    createPath('1'),
    createPath('2'),
    '--output',
    createPath('merged'),
  ]);
  expect(merged).toMatchObject({ status: 1, stderr: '' });
  const report = readConformance(createPath('merged'));
  expect(report?.observed).toEqual(whole.conformance?.observed);
  const readVerdicts = (of: typeof report) =>
    of?.requirements.map(({ address, verdict }) => [address, verdict]);
  expect(readVerdicts(report)).toEqual(readVerdicts(whole.conformance));
});

test('--shard divides single tests, and a shard without a test is an error that says so', async () => {
  const args = [reporterArg, '--grep', '@getFeeRules/(code|message)$'];
  expect(await run([...args, '--shard=2/2'])).toMatchObject({ code: 0 });
  const empty = await run([...args, '--shard=3/3']);
  expect(empty).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
  expect(empty.output).toContain('--shard=3/3 has no test: 2 selected tests in all');
});

test('merge-reports with the conformance reporter names the command that merges shards, and writes nothing', async () => {
  const PLAYWRIGHT_BLOB_OUTPUT_DIR = test.info().outputPath('blobs');
  const args = ['--reporter=blob', '--grep', '@getFeeRules/code$'];
  expect(await run(args, { PLAYWRIGHT_BLOB_OUTPUT_DIR })).toMatchObject({ code: 0 });
  const merging = ['merge-reports', '--reporter', './reports/reporter.ts', PLAYWRIGHT_BLOB_OUTPUT_DIR];
  const REPORTS_DIR = writePassedReports();
  const env = { ...cleanEnvironment(), BASE_URL: 'mock', REPORTS_DIR };
  const { stdout } = spawnSync('npx', ['playwright', ...merging], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  expect(stdout).toContain('npm run merge -- DIR... --output DIR');
  expect(readConformance(REPORTS_DIR)?.verdict).toBe('pass');
});

function listDocumentedOptions(): string[] {
  // The rows below the head of the table and its line of dashes.
  const tableBody = /\| option of Playwright \|.*\n\|.*\n((?:\|.*\n)+)/;
  const [, rows = ''] = tableBody.exec(readTestersPage()) ?? [];
  const firstCells = rows.split('\n').map((row) => row.split('|')[1] ?? '');
  // A cell such as `--shard=1/3` has the name before the equals sign.
  const optionName = /`([^`=]+)[^`]*`/g;
  return [...firstCells.join('\n').matchAll(optionName)].map(([, name = '']) => name);
}

test('each option that docs/testers.md lists has a test', () => {
  const files = spawnSync('grep', ['-rhE', "^ *(test\\()?['`]", 'tests/self'], {
    cwd: root,
    encoding: 'utf8',
  });
  const titles = files.stdout.split('\n');
  const untested = listDocumentedOptions().filter(
    (option) => !titles.some((title) => title.includes(option)),
  );
  expect(listDocumentedOptions().length).toBeGreaterThan(12);
  expect(untested).toEqual([]);
});
