import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { altering, applyInOrder, set, setStatus } from '../harness/edits.ts';
import { root } from '../harness/project-files.ts';
import { type MockedRun, runAgainst, runSuite, writeTestFile } from '../harness/whole-run.ts';

test.setTimeout(120_000);

function countRequests({ requests }: MockedRun) {
  const countMatching = (pattern: RegExp) =>
    requests.filter(({ path: requestPath }) => pattern.test(requestPath)).length;
  return {
    list: countMatching(/\/customers(\?|$)/),
    cards: countMatching(/\/cards\//),
    customers: countMatching(/\/customers\//),
    rules: countMatching(/\/fee_rule/),
  };
}

function writeCustomTests(testsText: string, folderName = 'custom'): string {
  const folder = test.info().outputPath(folderName);
  mkdirSync(folder, { recursive: true });
  const fixtures = new URL('../../fixtures.ts', import.meta.url).pathname;
  const importText = `import { expect, test } from ${JSON.stringify(fixtures)};`;
  writeFileSync(`${folder}/own.spec.mts`, importText + testsText);
  return folder;
}

const [anyNumber, noRequests] = [expect.any(Number), 0];

for (const [grep, expected] of [
  ['@getCard/', { list: 1, cards: 16, customers: noRequests, rules: noRequests }],
  ['@getCard/data/card/limits/\\*/period$', { list: 1, cards: 16, customers: noRequests, rules: noRequests }],
  ['@getCustomer/http/status$', { list: 27, cards: noRequests, customers: anyNumber, rules: noRequests }],
  ['@getFeeRules/code$', { list: 1, cards: noRequests, customers: noRequests, rules: 5 }],
] as const)
  test(`--grep ${grep} sends only the requests that it needs`, async () => {
    const run = await runAgainst({}, { PROBES: 'off' }, ['--grep', grep, '--reporter=./reports/reporter.ts']);
    expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
    expect(countRequests(run)).toEqual(expected);
  });

test('three failed tests send no more requests than passed tests', async () => {
  const fields = ['title', 'type', 'status'].map((name) => altering('getCard', set(`data/card/${name}`, 7)));
  const args = ['tests/contract/', '--reporter=./reports/reporter.ts'];
  const env = { PROBES: 'off' };
  const [passedRun, failedRun] = [
    await runAgainst({}, env, args),
    await runAgainst({ alter: applyInOrder(...fields) }, env, args),
  ];
  expect([passedRun.code, failedRun.code]).toEqual([0, 1]);
  expect(failedRun.conformance?.requirements.filter(({ verdict }) => verdict === 'violation')).toHaveLength(
    3,
  );
  expect(countRequests(failedRun)).toEqual(countRequests(passedRun));
});

for (const [description, change, outcome] of [
  ['with an empty title, which the contract allows', set('data/card/title', ''), {}],
  ['without data, which a requirement reports', set('data', null), {}],
  ['with HTTP 500, which a requirement reports', setStatus(500), { skipped: true }],
] as const)
  test(`the example of a custom test does not fail for a card ${description}`, async () => {
    const run = await runAgainst({ alter: altering('getCard', change) }, { PROBES: 'off' }, [
      'tests/custom/',
      '--reporter=./reports/reporter.ts',
    ]);
    const title = expect.stringContaining('(example.spec.ts:3)');
    expect(run.conformance?.customTests).toEqual([{ title, failed: false, ...outcome }]);
  });

test('--workers=2 sends each request once', async () => {
  const args = ['--workers=2', 'tests/contract/', '--reporter=./reports/reporter.ts'];
  const run = await runAgainst({}, { PROBES: 'off' }, args);
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(run.requests).toHaveLength(58);
});

test('an error response to a custom request is judged, also if the first request of the run was about its operation', async () => {
  const CUSTOM_TESTS = writeCustomTests(`
    test('conforms', async ({ send }) => { await expect(await send('listCustomers', { limit: '7' })).toConform(); });
    test('takes numbers', async ({ send }) => {
      const parameters = { limit: 5, offset: undefined } as never;
      expect((await send('listCustomers', parameters)).body.data.customers).toHaveLength(5);
    });
    test('has an id', async ({ send }) => { await send('getCard'); });
    test('has a name', async ({ send }) => { await send('getCards' as never, {} as never); });
    test('has a limit', async ({ send }) => { await send('listCustomers', { limits: '3' } as never); });`);
  const alter: Alter = (response, { parameters }) =>
    parameters.limit === '7' ? { ...response, status: 500 } : response;
  const args = ['--project=custom', '--reporter=./reports/reporter.ts'];
  const { output } = await runAgainst({ alter }, { PROBES: 'off', CUSTOM_TESTS }, args);
  expect(output).toContain('actual    HTTP 500');
  expect(output).not.toContain('cannot be judged');
  expect(output).toContain('getCard needs the parameter id');
  expect(output).toContain(
    '  the contract has no operation getCards: did you mean getCard? (own.spec.mts:8)\n',
  );
  expect(output).toContain('  listCustomers has no parameter limits: did you mean limit? (own.spec.mts:9)\n');
  expect(output).not.toMatch(/^ +at /m);
  expect(output).not.toContain('takes numbers');
});

const onlyConformance = '--reporter=./reports/reporter.ts';

test('--retries turns no custom request without a response into a pass', async () => {
  const CUSTOM_TESTS = writeCustomTests(`
    test('three customers', async ({ send }) => { await send('listCustomers', { limit: '3' }); });`);
  const delayPageOf3: Alter = (response, { parameters }) =>
    parameters.limit === '3' ? { ...response, delayMs: 1_500 } : response;
  const env = { PROBES: 'off', CUSTOM_TESTS, REQUEST_TIMEOUT_MS: '1000' };
  const args = ['--project=custom', '--retries=1', onlyConformance];
  const { code, conformance } = await runAgainst({ alter: delayPageOf3 }, env, args);
  expect([code, conformance?.customTests]).toEqual([1, [expect.objectContaining({ failed: true })]]);
});

test('custom tests may get four responses with HTTP 401 if an earlier worker had accepted credentials', async () => {
  const CUSTOM_TESTS = writeCustomTests(`
    test('foreign cards', async ({ send }) => {
      for (const n of [1, 2, 3, 4])
        expect((await send('getCard', { id: 'f0000000-0000-4000-8000-00000000000' + n })).status).toBe(401);
    });`);
  const rejectForeign: Alter = (response, { path }) =>
    path.includes('/cards/f0') ? { ...response, status: 401 } : response;
  const args = ['--grep', '@getCard/code$|foreign cards', onlyConformance];
  const { code, output } = await runAgainst({ alter: rejectForeign }, { PROBES: 'off', CUSTOM_TESTS }, args);
  expect(output).not.toContain('the credentials are rejected');
  expect(code).toBe(0);
});

test('no report shows a received value that fails a step of a custom test', async () => {
  const CUSTOM_TESTS = writeCustomTests(`
    test('title', async ({ send, identifiers }) => {
      const { body } = await send('getCard', { id: identifiers.CARD_IDS[0] });
      await test.step('soft', () => { expect.soft(body.data.card.title).toBe('x'); });
      await test.step('hard', () => { expect(body.data.card.title).toBe('x'); });
    });`);
  const alter = altering('getCard', set('data/card/title', 'Kumquat Personal'));
  const run = await runAgainst({ alter }, { PROBES: 'off', CUSTOM_TESTS }, ['--project=custom']);
  expect(run.code).toBe(1);
  expect(run.files().some(({ name }) => name.startsWith('allure-results/'))).toBe(true);
  expect(
    run
      .files()
      .filter(({ text }) => text.includes('Kumquat'))
      .map(({ name }) => name),
  ).toEqual([]);
});

for (const thrown of ['new Error(title)', 'title'])
  test(`no report shows a received value that a custom test throws after its end, as ${thrown}`, async () => {
    const CUSTOM_TESTS = writeCustomTests(`
      test('title', async ({ send, identifiers }) => {
        const { body } = await send('getCard', { id: identifiers.CARD_IDS[0] });
        const { title } = body.data.card;
        setTimeout(() => { throw ${thrown}; });
      });`);
    const alter = altering('getCard', set('data/card/title', 'Kumquat Personal'));
    const run = await runAgainst({ alter }, { PROBES: 'off', CUSTOM_TESTS }, ['--project=custom']);
    expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
    expect(run.conformance?.notes).toEqual([
      expect.stringMatching(
        /^code of a test threw after the end of the test.*: an error; its message is withheld/,
      ),
    ]);
    expect(run.files().filter(({ text }) => text.includes('Kumquat'))).toEqual([]);
    expect(run.output).not.toContain('Kumquat');
  });

test('a failed test of the team makes the run fail, and every report names the test', async () => {
  const CUSTOM_TESTS = writeCustomTests(`
    test('conforms', async ({ send }) => { await expect(await send('listCustomers', { limit: '1' })).toConform(); });
    test('is never green', async ({ send }) => { expect((await send('listCustomers', {})).status).toBe(201); });`);
  const run = await runAgainst({}, { PROBES: 'off', CUSTOM_TESTS }, ['--reporter=./reports/reporter.ts']);
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  const gate = run.conformance?.gates.find(({ address }) => address === 'run/custom-tests');
  expect(gate?.actual).toBe('1 failed: is never green (own.spec.mts:3)');
  expect(run.output).toContain(
    'is never green (own.spec.mts:3)\n\n  expect(received).toBe(expected) (own.spec.mts:3)\n',
  );
  const readReport = (name: string) => run.files().find((file) => file.name === name)?.text;
  for (const name of ['conformance.md', 'contract.html'])
    expect(readReport(name), name).toContain('is never green');
  const cases = readReport('junit.xml')?.match(
    /<testcase classname="custom"[\s\S]*?(?=<testcase|<\/testsuite)/g,
  );
  expect(cases).toEqual([
    '<testcase classname="custom" name="conforms (own.spec.mts:2)"/>\n',
    expect.stringContaining('name="is never green (own.spec.mts:3)">\n<failure '),
  ]);
});

test('tests in a folder CUSTOM_TESTS whose path ends in tests/contract are custom tests', async () => {
  const CUSTOM_TESTS = writeCustomTests(
    `test('is never green', async ({ send }) => { expect((await send('listCustomers', {})).status).toBe(201); });`,
    'tests/contract',
  );
  const run = await runAgainst({}, { PROBES: 'off', CUSTOM_TESTS }, ['--project=custom', onlyConformance]);
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail', customTests: [{ failed: true }] } });
});

test('with a configuration in another folder, tests of the contract are not custom tests', async () => {
  const configText = `
    import path from 'node:path';
    import config from ${JSON.stringify(path.join(root, 'playwright.config.ts'))};
    const resolveInRoot = (name) => path.resolve(${JSON.stringify(root)}, name);
    export default {
      ...config,
      projects: config.projects.map((project) => ({ ...project, testDir: resolveInRoot(project.testDir) })),
      globalSetup: resolveInRoot(config.globalSetup),
      reporter: [[resolveInRoot('reports/reporter.ts')]],
    };`;
  const args = ['--config', writeTestFile('other.config.mjs', configText), '--grep', '@getFeeRules/code$'];
  const { code, conformance } = await runAgainst({}, { PROBES: 'off' }, args);
  expect({ code, verdict: conformance?.verdict }).toEqual({ code: 0, verdict: 'pass' });
  expect(conformance?.customTests).toBeUndefined();
});

test('a file of custom tests that throws while Playwright loads it makes the run an error, which every report names with its line', async () => {
  const CUSTOM_TESTS = writeCustomTests(`\nthrow new Error('the folder is empty');`);
  const run = await runAgainst({}, { PROBES: 'off', CUSTOM_TESTS }, [onlyConformance]);
  expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error' } });
  const named = 'the folder is empty (own.spec.mts:2)';
  expect(run.output).toContain(`ERROR: ${named}\n`);
  for (const name of ['conformance.json', 'conformance.md', 'contract.html', 'junit.xml'])
    expect(run.files().find((file) => file.name === name)?.text, name).toContain(
      name === 'contract.html' ? 'ERROR: the folder is empty (own.' : named,
    );
});

test('messages of custom tests are withheld, with one hint for a run, and shown with BASE_URL=mock', async () => {
  const CUSTOM_TESTS = writeCustomTests(`
    test('a', async ({ send }) => { throw new Error('the fixture file is missing'); });
    test('b', async () => { throw new TypeError('the second file is missing'); });`);
  const args = ['--project=custom', onlyConformance];
  const hint = /messages of your own tests are withheld, .* BASE_URL=mock shows them/g;
  const run = await runAgainst({}, { PROBES: 'off', CUSTOM_TESTS }, args);
  expect(run.output).toMatch(
    / {2}an error \(own\.spec\.mts:2\)\n[\s\S]* {2}TypeError \(own\.spec\.mts:3\)\n/,
  );
  expect(run.output.match(hint)).toHaveLength(1);
  const junit = run.files().find(({ name }) => name === 'junit.xml')?.text;
  expect(junit).toContain('the output of the run shows where; BASE_URL=mock also shows the message');
  const withOtherReporter = await runAgainst({}, { CUSTOM_TESTS }, ['--project=custom', '--reporter=line']);
  expect(withOtherReporter.output).toContain('an error; its message is withheld, because');
  const { output } = await runSuite({ BASE_URL: 'mock', CUSTOM_TESTS }, args);
  expect(output).toContain('  Error: the fixture file is missing (own.spec.mts:2)\n');
  expect(output).not.toMatch(hint);
});
