import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { sourceFromCaller } from '../../../src/run/caller-folder.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { withEnvironment } from '../harness/process-state.ts';
import { callersFolder, cleanEnvironment } from '../harness/whole-run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const manifest = path.join(root, 'package.json');

let elsewhere: string;
test.beforeAll(() => {
  elsewhere = callersFolder().folder;
  writeFileSync(path.join(elsewhere, 'sign.ts'), '');
  const dotenv = 'TARGET_NAME=elsewhere\nREPORTS_DIR=out\nAUTH_MODULE=sign.ts\n';
  writeFileSync(path.join(elsewhere, '.env'), dotenv);
});

/** What a run reads that npm has started with a manifest, after it was called in a folder. */
const calledIn = (folder: string, npm_package_json = manifest) =>
  readConfiguration({ INIT_CWD: folder, npm_package_json });

test('where npm is called in another folder, .env and relative paths are those of that folder', () => {
  const { target, problems } = calledIn(elsewhere);
  expect(problems).toEqual([]);
  expect(target).toMatchObject({
    name: 'elsewhere',
    reportsDir: path.join(elsewhere, 'out'),
    authModule: path.join(elsewhere, 'sign.ts'),
    recordFile: path.join(elsewhere, 'observed/elsewhere.json'),
  });
});

const own: [name: string, read: () => ReturnType<typeof calledIn>][] = [
  ['a folder of the project', () => calledIn(path.join(root, 'tests'))],
  [
    'another folder, by a script of another project',
    () => calledIn(elsewhere, path.join(elsewhere, 'package.json')),
  ],
];
for (const [name, read] of own)
  test(`where npm is called in ${name}, they are those of the project`, () => {
    expect(read().target).toMatchObject({ reportsDir: path.join(root, 'reports/out') });
  });

test('a recording is looked for in the folder of the caller, and standard input is none', async () => {
  const env = { ...cleanEnvironment(), INIT_CWD: elsewhere, npm_package_json: manifest };
  await withEnvironment(env, async () => {
    expect(['a.har', '-'].map(sourceFromCaller)).toEqual([path.join(elsewhere, 'a.har'), '-']);
  });
});
