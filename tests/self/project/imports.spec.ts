import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { listProjectFiles, root } from '../harness/project-files.ts';

const files = listProjectFiles();
const sources = files.filter((file) => /\.[cm]?[jt]s$/.test(file));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(^|[^:'"`\\])\/\/.*$/gm, '$1');

/** What a file imports, types included unless left out; relative paths as paths of the repository. */
function importsOf(file: string, leftOut = /^$/g): string[] {
  const pattern = /\b(?:from|import)\s*\(?\s*['"`]([^'"`\s]+)['"`]/g;
  return [...withoutComments(read(file)).replace(leftOut, '').matchAll(pattern)].map(([, name = '']) =>
    name.startsWith('.') ? path.join(path.dirname(file), name) : name,
  );
}

/** Rooms in the order in which data flows: each imports from those before it alone. */
const inSrc = 'client redact relations operations questions sweep traffic verdict run'.split(' ');
const outside = ['tests', 'reports', 'commands', 'tests/self'];
const order = ['schemas', ...inSrc.map((name) => `src/${name}`), ...outside];

const within = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
const rooms = [...order, 'mock'].sort((one, other) => other.length - one.length);
const roomOf = (file: string) => rooms.find((room) => within(room)(file));
const rankOf = (file: string) => order.indexOf(roomOf(file) ?? '');

/** Imports of files for which something holds, as `file → import`. */
const edges = (from: (file: string) => boolean, to: (name: string, file: string) => boolean) =>
  sources.filter(from).flatMap((file) =>
    importsOf(file)
      .filter((name) => to(name, file))
      .map((name) => `${file} → ${name}`),
  );

test('a room imports only from those before it', () => {
  expect(edges(within('reports'), within('schemas')).length).toBeGreaterThan(5);
  const isOrdered = (file: string) => rankOf(file) >= 0;
  expect(edges(isOrdered, (name, file) => rankOf(name) > rankOf(file))).toEqual([]);
});

test('mock/ stands apart, and judge and judged share nothing', () => {
  expect(edges(within('mock'), (name) => files.includes(name) && !within('mock')(name))).toEqual([]);
  const asking = sources.filter((file) => importsOf(file).some(within('mock')) && !within('mock')(file));
  expect(new Set(asking.map(roomOf))).toEqual(new Set(['src/run', 'commands', 'tests/self']));
});

const filesMatching = (pattern: RegExp, among = sources) =>
  among.filter(
    (file) => file !== 'tests/self/project/imports.spec.ts' && pattern.test(withoutComments(read(file))),
  );

test('only schemas/contract/contract.ts opens spec/', () => {
  // A message may name a file of spec/; a path to one begins with dots, or is handed to what opens it.
  const opened = /['"`](\.{1,2}\/)+spec\b|['"`]spec['"`]|(read\w*|open\w*|URL|join|resolve)\(\s*['"`]spec\//;
  expect(filesMatching(opened)).toEqual(['schemas/contract/contract.ts']);
});

/** What a run consists of. */
const product = sources.filter((file) => !within('tests/self')(file) && !within('src/client/examples')(file));

/** Returns all files that a file imports, itself or through others. */
function reachableFrom(file: string): Set<string> {
  const reached = new Set(importsOf(file));
  for (const name of reached)
    if (product.includes(name)) for (const next of importsOf(name)) reached.add(next);
  return reached;
}

test('no file of the product imports itself through others', () => {
  expect(product.filter((file) => reachableFrom(file).has(file))).toEqual([]);
});

/** Who may read the environment, and why. */
const environment: Record<string, string> = {
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

test('process.env is read in one place, but for those with a reason', () => {
  const read = /\bprocess\s*(\.|\[\s*['"`])env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/;
  expect(filesMatching(read, product).sort()).toEqual(Object.keys(environment));
});

/** The ways to the network that there are; types are none. */
const networkAccess =
  /\bfetch\s*\(|import(?!\s+type)[^;]*(\brequest\b[^;]*from\s*['"]@playwright\/test|from\s*['"](node:)?(https?|http2|net|tls|undici|axios|got|ky))['"]|async\s*\(\s*\{[^}]*\brequest\b[^}]*\}/;

test('requests leave through one file of the client alone, which nothing outside of it imports', () => {
  const openers = ['src/client/transport.ts'];
  // The server of the mock opens no connection.
  const own = product.filter((file) => file !== 'mock/server.ts');
  expect(filesMatching(networkAccess, own)).toEqual(openers);
  const elsewhere = (file: string) => !within('src/client')(file);
  expect(edges(elsewhere, (name) => openers.includes(name))).toEqual([]);
});

/** Why each package is there: what a run imports or starts, and what only those need who change the suite. */
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
    hono: 'escapes what pages show (`hono/html`)',
    'jsonc-parser': 'finds keys that are there twice, and lost digits',
    'proper-lockfile': 'one run at a time writes to REPORTS_DIR',
    tinyglobby: 'patterns of file names',
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

test('each package has its reason, and a run imports none of those for changes', () => {
  const manifest = JSON.parse(read('package.json'));
  for (const [kind, reasons] of Object.entries(packages))
    expect(Object.keys(manifest[kind])).toEqual(Object.keys(reasons));
  const types = /\b(?:im|ex)port type [^;]*;/g;
  const imported = product.flatMap((file) => importsOf(file, types));
  expect(imported).toContain('ajv-formats');
  const isForChanges = (name: string) =>
    Object.keys(packages.devDependencies).some((one) => `${name}/`.startsWith(`${one}/`));
  expect(imported.filter(isForChanges)).toEqual([]);
});

test('a run installs at most 200 packages on one platform, who changes the suite 400', () => {
  const { platform, arch } = process;
  const locked: { dev?: boolean; os?: string[]; cpu?: string[] }[] = Object.values(
    JSON.parse(read('package-lock.json')).packages,
  );
  const own = locked.filter(
    ({ os = [platform], cpu = [arch] }) => os.includes(platform) && cpu.includes(arch),
  );
  expect(own.filter(({ dev }) => !dev).length).toBeLessThanOrEqual(200);
  expect(own.length).toBeLessThanOrEqual(400);
});
