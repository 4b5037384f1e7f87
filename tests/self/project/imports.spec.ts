import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { listProjectFiles, root } from '../harness/project-files.ts';

const files = listProjectFiles();
const sources = files.filter((file) => /\.[cm]?[jt]s$/.test(file));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(^|[^:'"`\\])\/\/.*$/gm, '$1');

const importPattern = /\b(?:from|import)\s*\(?\s*['"`]([^'"`\s]+)['"`]/g;

/**
 * Lists imports of a file: packages (`ajv`) and paths (`src/run/target.ts`).
 * @param ignoredPattern global pattern of code whose imports are left out, such as `import type`; default: none
 */
function listImports(file: string, ignoredPattern = /^$/g): string[] {
  const code = withoutComments(read(file)).replace(ignoredPattern, '');
  const importedNames = [...code.matchAll(importPattern)].map(([, name = '']) => name);
  return importedNames.map((name) => (name.startsWith('.') ? path.join(path.dirname(file), name) : name));
}

/** Folders of `src` in order: none may import a later one. */
const sourceFolders = 'client redact relations operations questions sweep traffic verdict run'.split(' ');
const otherFolders = ['tests', 'reports', 'commands', 'tests/self'];
const order = ['schemas', ...sourceFolders.map((name) => `src/${name}`), ...otherFolders];

const isWithin = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
const longestFirst = [...order, 'mock'].sort((first, second) => second.length - first.length);
const findFolder = (file: string) => longestFirst.find((folder) => isWithin(folder)(file));
const findRank = (file: string) => order.indexOf(findFolder(file) ?? '');

function findImports(
  isImporter: (file: string) => boolean,
  isImported: (name: string, importer: string) => boolean,
): string[] {
  return sources.filter(isImporter).flatMap((importer) => {
    const importedNames = listImports(importer).filter((name) => isImported(name, importer));
    return importedNames.map((name) => `${importer} → ${name}`);
  });
}

test('a folder imports only from folders before it', () => {
  expect(findImports(isWithin('reports'), isWithin('schemas')).length).toBeGreaterThan(5);
  const isOrdered = (file: string) => findRank(file) >= 0;
  expect(findImports(isOrdered, (name, file) => findRank(name) > findRank(file))).toEqual([]);
});

test('mock/ and the judge share no code', () => {
  expect(findImports(isWithin('mock'), (name) => files.includes(name) && !isWithin('mock')(name))).toEqual(
    [],
  );
  const filesWithMock = sources.filter(
    (file) => listImports(file).some(isWithin('mock')) && !isWithin('mock')(file),
  );
  expect(new Set(filesWithMock.map(findFolder))).toEqual(new Set(['src/run', 'commands', 'tests/self']));
});

function findMatchingFiles(pattern: RegExp, candidates = sources): string[] {
  // This file contains the patterns themselves.
  const otherFiles = candidates.filter((file) => file !== 'tests/self/project/imports.spec.ts');
  return otherFiles.filter((file) => pattern.test(withoutComments(read(file))));
}

test('only schemas/contract/contract.ts opens spec/', () => {
  // A message may name a file of spec/. A path to a file begins with dots, or is an argument of a function that opens it.
  const openPattern =
    /['"`](\.{1,2}\/)+spec\b|['"`]spec['"`]|(read\w*|open\w*|URL|join|resolve)\(\s*['"`]spec\//;
  expect(findMatchingFiles(openPattern)).toEqual(['schemas/contract/contract.ts']);
});

const product = sources.filter(
  (file) => !isWithin('tests/self')(file) && !isWithin('src/client/examples')(file),
);

function listReachableFiles(file: string): Set<string> {
  const reachedFiles = new Set(listImports(file));
  // The loop also visits the files that it adds.
  for (const reachedFile of reachedFiles) {
    const isPackage = !product.includes(reachedFile);
    if (isPackage) continue;
    for (const importedFile of listImports(reachedFile)) reachedFiles.add(importedFile);
  }
  return reachedFiles;
}

test('no file of the product imports itself through other files', () => {
  expect(product.filter((file) => listReachableFiles(file).has(file))).toEqual([]);
});

const environmentReaders: Record<string, string> = {
  'allurerc.mjs': 'reads REPORTS_DIR, since Allure loads it outside of the suite',
  'playwright.config.ts': 'says where the reporters of Playwright write',
  'reports/allure-report.ts': 'hands the environment on to Allure, with REPORTS_DIR as this run has it',
  'src/run/caller-folder.ts':
    'learns from npm in which folder it was called, and from an action where its documents are',
  'src/run/command-line.ts': 'asks where the JSON reporter of Playwright writes',
  'src/run/run-identity.ts': 'hands the id and the key of a run on to its workers',
  'src/run/target.ts': 'reads and checks the configuration',
  'src/run/terminal.ts': 'asks whether CI reads along, which reads no colours, and takes annotations',
};

test('only files with a reason read process.env', () => {
  const read = /\bprocess\s*(\.|\[\s*['"`])env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/;
  expect(findMatchingFiles(read, product).sort()).toEqual(Object.keys(environmentReaders));
});

const networkAccess =
  /\bfetch\s*\(|import(?!\s+type)[^;]*(\brequest\b[^;]*from\s*['"]@playwright\/test|from\s*['"](node:)?(https?|http2|net|tls|undici|axios|got|ky))['"]|async\s*\(\s*\{[^}]*\brequest\b[^}]*\}/;

test('requests leave only through one file of the client, which only the client imports', () => {
  const openers = ['src/client/transport.ts'];
  // The server of the mock does not send requests.
  const filesWithoutMock = product.filter((file) => file !== 'mock/server.ts');
  expect(findMatchingFiles(networkAccess, filesWithoutMock)).toEqual(openers);
  const isOutsideClient = (file: string) => !isWithin('src/client')(file);
  expect(findImports(isOutsideClient, (name) => openers.includes(name))).toEqual([]);
});

/** Reason for each package in `package.json`. */
const packages: Record<'dependencies' | 'devDependencies', Record<string, string>> = {
  dependencies: {
    '@playwright/test': 'sends the requests, runs and reports the tests',
    '@streamparser/json': 'reads recordings of any length',
    ajv: 'judges by JSON Schema',
    'ajv-formats': 'the formats of JSON Schema',
    allure: 'renders the Allure report',
    'allure-js-commons':
      'marks deviations, and adds the gates of merged shards, in the results that Allure renders',
    'allure-playwright': 'writes the results that Allure renders',
    'fast-check': 'arbitrary parameters (PROBES=200), and shrinks what breaks something',
    'fastest-levenshtein': 'says which name was meant by a misspelt one',
    glob: 'patterns of file names',
    hono: 'escapes what pages show (`hono/html`)',
    'jsonc-parser': 'finds keys that are there twice, and lost digits',
    'proper-lockfile': 'one run at a time writes to REPORTS_DIR',
    tsx: 'loads TypeScript, for the commands',
    yaml: 'reads the contract and the ledger, and writes the ledger',
    yauzl: 'reads zipped recordings',
  },
  devDependencies: {
    '@action-validator/cli': 'lints workflows and the action',
    '@action-validator/core': 'is what that needs beside it',
    '@biomejs/biome': 'formats and lints',
    '@redocly/cli': 'lints spec/openapi.yaml; `redocly diff` for contract:diff',
    '@types/node': 'types',
    '@types/proper-lockfile': 'types',
    '@types/yauzl': 'types',
    'axe-core': 'finds what is not accessible on a page',
    knip: 'finds unused code and packages',
    'npm-run-all2': 'runs the checks beside each other',
    'openapi-types': 'types',
    'oxc-parser':
      'finds where `npm run dev:mutate` can change the suite, and measures the language of the code',
    selfsigned: 'certificates of TLS servers',
    typescript: 'checks types',
  },
};

test('each package has a reason, and a run imports no package of devDependencies', () => {
  const manifest = JSON.parse(read('package.json'));
  for (const [kind, reasons] of Object.entries(packages))
    expect(Object.keys(manifest[kind])).toEqual(Object.keys(reasons));
  const types = /\b(?:im|ex)port type [^;]*;/g;
  const imported = product.flatMap((file) => listImports(file, types));
  expect(imported).toContain('ajv-formats');
  const isDevelopmentPackage = (name: string) =>
    Object.keys(packages.devDependencies).some((packageName) => `${name}/`.startsWith(`${packageName}/`));
  expect(imported.filter(isDevelopmentPackage)).toEqual([]);
});

test('a run installs at most 200 packages on one platform, and work on the suite 400', () => {
  const { platform, arch } = process;
  const locked: { dev?: boolean; os?: string[]; cpu?: string[] }[] = Object.values(
    JSON.parse(read('package-lock.json')).packages,
  );
  const installed = locked.filter(
    ({ os = [platform], cpu = [arch] }) => os.includes(platform) && cpu.includes(arch),
  );
  expect(installed.filter(({ dev }) => !dev).length).toBeLessThanOrEqual(200);
  expect(installed.length).toBeLessThanOrEqual(400);
});
