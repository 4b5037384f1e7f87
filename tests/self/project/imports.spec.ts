import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file && existsSync(path.join(root, file)));
const sources = files.filter((file) => /\.[cm]?[jt]s$/.test(file));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(^|[^:'"`\\])\/\/.*$/gm, '$1');

/** What a file imports, types included; relative paths as paths of the repository. */
function importsOf(file: string): string[] {
  const pattern = /\b(?:from|import)\s*\(?\s*['"`]([^'"`\s]+)['"`]/g;
  return [...withoutComments(read(file)).matchAll(pattern)].map(([, name = '']) =>
    name.startsWith('.') ? path.join(path.dirname(file), name) : name,
  );
}

/** Rooms in the order in which data flows: each imports from those before it, and from those beside it without a cycle. */
const order = [
  ['schemas'],
  ['src/client'],
  ['src/redact'],
  ['src/ask', 'src/relations', 'src/sweep', 'src/traffic', 'src/questions'],
  ['src/verdict'],
  ['src/run'],
  ['tests', 'reports'],
  ['commands'],
  ['tests/self'],
];

/** What no room before `src/run` asks. */
const apart = ['mock'];

const within = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
const rooms = [...order.flat(), ...apart].sort((one, other) => other.length - one.length);
const roomOf = (file: string) => rooms.find((room) => within(room)(file));
const rankOf = (room: string) => order.findIndex((row) => row.includes(room));

/** Imports of files for which something holds, as `file → import`. */
const edges = (from: (file: string) => boolean, to: (name: string, file: string) => boolean) =>
  sources.filter(from).flatMap((file) =>
    importsOf(file)
      .filter((name) => to(name, file))
      .map((name) => `${file} → ${name}`),
  );

/** No way leads on from these: nothing imports the tests of the suite, but for the mock, for names of faults. */
const ends = [...apart, 'tests/self'];

/** Which rooms each room imports from. */
const roomImports = new Map(
  rooms.map((room) => {
    const own = sources.filter((file) => roomOf(file) === room);
    const imported = own.flatMap(importsOf).flatMap((name) => roomOf(name) ?? []);
    return [room, [...new Set(imported)].filter((other) => other !== room && !ends.includes(other))];
  }),
);

function reachedFrom(room: string, reached = new Set<string>()): Set<string> {
  for (const next of roomImports.get(room) ?? [])
    if (!reached.has(next)) reachedFrom(next, reached.add(next));
  return reached;
}

/** Imports against the order, and rooms in a cycle, that are still there: no other may come, and none may come back. */
const stillThere: string[] = [
  'reports/docs/documented-numbers.ts → tests/self/proof/variants/index.ts',
  'src/sweep/results/tally.ts → src/verdict/folded-observations.ts',
  'src/sweep/sweep-identifiers.ts → src/verdict/folded-observations.ts',
  ...['src/ask', 'src/questions', 'src/sweep', 'src/traffic', 'src/verdict'],
];

test('a room imports only from those before it, and no two rooms import from each other, by however many steps', () => {
  const backwards = edges(
    (file) => rankOf(roomOf(file) ?? '') >= 0,
    (name, file) => rankOf(roomOf(name) ?? '') > rankOf(roomOf(file) ?? ''),
  );
  const cyclic = rooms.filter((room) => reachedFrom(room).has(room));
  const known = (what: string) => stillThere.includes(what);
  expect([...backwards, ...cyclic].filter((what) => !known(what))).toEqual([]);
  expect(reachedFrom('reports').size).toBeGreaterThan(5);
});

test('mock/ stands apart, and judge and judged share nothing', () => {
  expect(edges(within('mock'), (name) => /^(spec|schemas|src|reports)\//.test(name))).toEqual([]);
  const asking = sources.filter((file) => importsOf(file).some(within('mock')) && !within('mock')(file));
  expect(new Set(asking.map(roomOf))).toEqual(new Set(['src/run', 'commands', 'tests/self']));
});

/** Files in which something occurs. */
const filesMatching = (pattern: RegExp, among = sources) =>
  among.filter(
    (file) => file !== 'tests/self/project/imports.spec.ts' && pattern.test(withoutComments(read(file))),
  );

test('only schemas/contract/contract.ts opens spec/', () => {
  // A message may name a file of spec/; a path to one begins with dots, or is handed to what opens it.
  const opened = /['"`](\.{1,2}\/)+spec\b|['"`]spec['"`]|(read\w*|open\w*|URL|join|resolve)\(\s*['"`]spec\//;
  expect(filesMatching(opened)).toEqual(['schemas/contract/contract.ts']);
});

/** Who else may read the environment, and why. */
const environment: Record<string, string> = {
  'src/run/target.ts': 'reads and checks the configuration',
  'src/run/caller-folder.ts': 'learns from npm in which folder it was called',
  'reports/render.ts': 'hands the environment on to Allure, with REPORTS_DIR as this run has it',
  'mock/main.ts': 'reads PORT, for the mock as a program of its own',
  'src/run/reports-dir.ts': 'hands the id of a run on to its workers',
  'playwright.config.ts': 'learns from GITHUB_ACTIONS which reporters there are',
  'reports/merge.ts': 'hands the environment on to Allure, with another REPORTS_DIR',
  'allurerc.mjs': 'reads REPORTS_DIR, since Allure loads it outside of the suite',
  'tests/self/bench/main.ts': 'hands the environment on to the runs that it times',
  'tests/self/bench/empty.spec.ts': 'learns how many empty tests there are to be',
  'tests/self/harness/whole-run.ts': 'hands the environment on to the runs that it starts',
  'tests/self/harness/process-state.ts': 'replaces the environment for a run in the process of a test',
  'tests/self/runs/run-ends.spec.ts': 'writes a file that ends a process once something holds of REPORTS_DIR',
  'tests/self/soak.ts': 'asks for the seed of random tests',
  'tests/self/soak-main.ts': 'asks how long random tests are to run, and hands the environment on to them',
  'tests/self/harness/browser.ts': 'finds Chromium, and asks whether its absence may be passed over',
  'tests/self/playwright.config.ts': 'asks whether CI reads along',
};

test('process.env is read in one place, but for those with a reason', () => {
  const readers = filesMatching(/\bprocess\s*(\.|\[\s*['"`])env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/);
  expect(readers.filter((file) => !isExample(file)).sort()).toEqual(Object.keys(environment).sort());
});

/** Modules to copy: they sign requests for some target, and are no part of a run. */
const isExample = within('src/client/examples');

/** The ways to the network that there are; servers of tests and types are none. */
const networkAccess = [
  /\bfetch\s*\(/,
  /import(?!\s+type)[^;]*\brequest\b[^;]*from\s*['"]@playwright\/test['"]/,
  /import(?!\s+type)[^;]*from\s*['"](node:)?(https?|http2|net|tls|undici|axios|got|ky)['"]/,
  /async\s*\(\s*\{[^}]*\brequest\b[^}]*\}/,
];

/** Files of which each opens one way, and that nothing but the client imports. */
const openers = ['request', 'routes'].map((name) => `src/client/${name}.ts`);

/** What checks a client certificate, and what serves the mock: of these modules they take what opens no connection. */
const [transport, server] = ['src/run/transport.ts', 'mock/server.ts'];

/** What a file takes of the modules of Node.js that can open a connection, types left out. */
const takenFromNetwork = (file: string) =>
  [...read(file).matchAll(/import \{([^}]*)\} from 'node:(https?|http2|net|tls)'/g)].flatMap(
    ([, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name && !name.startsWith('type ')),
  );

test('what checks a client certificate, and what serves the mock, cannot open a connection', () => {
  expect(takenFromNetwork(transport)).toEqual(['createSecureContext']);
  expect(takenFromNetwork(server)).toEqual(['createServer', 'createServer as createTlsServer']);
});

test('requests leave through the client alone', () => {
  const others = sources.filter(
    (file) => !isExample(file) && !within('tests/self')(file) && ![transport, server].includes(file),
  );
  expect([...new Set(networkAccess.flatMap((client) => filesMatching(client, others)))].sort()).toEqual(
    openers,
  );
  const importers = edges(
    (file) => !within('src/client')(file),
    (name) => openers.includes(name),
  );
  expect(importers).toEqual([]);
});

test('the tests of the suite send nothing but through the same client', () => {
  const own = sources.filter(within('tests/self'));
  const [fetched, requested] = networkAccess;
  expect(filesMatching(fetched as RegExp, own)).toEqual([]);
  expect(filesMatching(requested as RegExp, own)).toEqual([]);
});
