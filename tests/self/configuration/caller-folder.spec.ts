import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { adaptToCallerFolder, addCloneHint, resolveCallerSource } from '../../../src/run/caller-folder.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { withEnvironment } from '../harness/process-state.ts';
import { root } from '../harness/project-files.ts';
import { cleanEnvironment, createCallersFolder } from '../harness/whole-run.ts';

const manifest = path.join(root, 'package.json');

let callerFolder: string;
test.beforeAll(() => {
  callerFolder = createCallersFolder().folder;
  writeFileSync(path.join(callerFolder, 'sign.ts'), '');
  const dotenv =
    'BASE_URL=mock\nTARGET_NAME=elsewhere\nREPORTS_DIR=out\nAUTH_MODULE=sign.ts\nPROFILE=wrong\n';
  writeFileSync(path.join(callerFolder, '.env'), dotenv);
});

const readFromFolder = (folder: string, npm_package_json = manifest) =>
  readConfiguration({ INIT_CWD: folder, npm_package_json, PROFILE: 'documented' });

test('a call from another folder reads .env and relative paths from that folder, and the environment takes precedence', () => {
  const { target, problems } = readFromFolder(callerFolder);
  expect(problems).toEqual([]);
  expect(target).toMatchObject({
    name: 'elsewhere',
    profile: 'documented',
    reportsDir: path.join(callerFolder, 'out'),
    authModule: path.join(callerFolder, 'sign.ts'),
    answersFile: path.join(callerFolder, 'observed/elsewhere.json'),
    customTests: undefined,
  });
});

test('a missing ledger is named with its folder, and in the action with its input', async () => {
  const findLedgerProblem = (env: Record<string, string>) =>
    withEnvironment({ ...cleanEnvironment(), LEDGER_FILE: 'no/ledger.yaml', ...env }, async () =>
      readConfiguration().problems.find((problem) => problem.startsWith('LEDGER_FILE')),
    );
  const called = { INIT_CWD: createCallersFolder().folder, npm_package_json: manifest };
  expect(await findLedgerProblem({})).toMatch(
    /^LEDGER_FILE names no\/ledger\.yaml in the folder of the suite, a file/,
  );
  expect(await findLedgerProblem(called)).toMatch(/ in the folder in which npm was called, a file that does/);
  expect(await findLedgerProblem({ ...called, SUITE_REPOSITORY: 'OWNER/suite' })).toMatch(
    /^LEDGER_FILE \(input `ledger`\) names \S+ in the workspace of the job, a file that does not exist: /,
  );
});

test('a call inside the project, or by another package, reads them from the project', () => {
  const configurationOfOther = readFromFolder(callerFolder, path.join(callerFolder, 'package.json'));
  for (const { target } of [readFromFolder(path.join(root, 'tests')), configurationOfOther])
    expect(target).toMatchObject({
      reportsDir: path.join(root, 'reports/out'),
      customTests: path.join(root, 'tests/custom'),
    });
});

test('a recording is searched in the folder of the caller, and standard input is not a file', async () => {
  const env = { ...cleanEnvironment(), INIT_CWD: callerFolder, npm_package_json: manifest };
  await withEnvironment(env, async () => {
    expect(['a.har', '-'].map(resolveCallerSource)).toEqual([path.join(callerFolder, 'a.har'), '-']);
  });
});

test('documents and commands of the suite are named so that they work where the reader is', () => {
  const text =
    'See docs/configuration.md. `npm run accept -- --remove` and npm run doctor; mydocs/a.md, docs/a.txt';
  expect(adaptToCallerFolder(text, {})).toBe(text);
  const action = {
    SUITE_REPOSITORY: 'OWNER/suite',
    SUITE_REF: 'v1.4.0',
    GITHUB_SERVER_URL: 'https://git.example',
    LEDGER_FILE: 'a folder/ledger.yaml',
  };
  const actionText = adaptToCallerFolder(text, action);
  expect(actionText).toBe(
    "See https://git.example/OWNER/suite/blob/v1.4.0/docs/configuration.md. `LEDGER_FILE='a folder/ledger.yaml' REPORTS_DIR=out npm --prefix suite run accept -- --remove` and npm --prefix suite run doctor; mydocs/a.md, docs/a.txt",
  );
  expect(adaptToCallerFolder(actionText, action)).toBe(actionText);
  expect(addCloneHint(`${actionText}\n`, action)).toMatch(
    /\n\nThe commands run .* `git clone https:\/\/git\.example\/OWNER\/suite suite && git -C suite checkout v1\.4\.0 && /,
  );
  expect(addCloneHint(actionText, { ...action, SUITE_REF: 'a;b' })).toContain("checkout 'a;b' &&");
  for (const env of [action, {}]) expect(addCloneHint(text, env)).toBe(text);
  const suiteFolder = process.cwd();
  const callerVariables = {
    INIT_CWD: path.dirname(suiteFolder),
    npm_package_json: path.join(suiteFolder, 'package.json'),
  };
  const name = path.basename(suiteFolder);
  expect(adaptToCallerFolder(text, callerVariables)).toContain(
    `See ${name}/docs/configuration.md. \`npm --prefix ${name} run accept`,
  );
  const oddJob = { CI: 'true', REPORTS_DIR: "it's $HOME" };
  expect(adaptToCallerFolder(text, { ...callerVariables, ...oddJob })).toContain(
    `REPORTS_DIR='it'\\''s $HOME' npm`,
  );
  const gitlabJob = { LEDGER_FILE: 'conformance/ledger.yaml', REPORTS_DIR: 'reports/staging', CI: 'true' };
  expect(adaptToCallerFolder(text, { ...callerVariables, ...gitlabJob })).toContain(
    `LEDGER_FILE=conformance/ledger.yaml REPORTS_DIR=reports/staging npm --prefix ${name} run accept -- --remove\` and npm --prefix ${name} run doctor`,
  );
});
