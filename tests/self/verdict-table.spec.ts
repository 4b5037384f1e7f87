import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../mock/edits.ts';
import { type Alter, startMock } from '../../mock/server.ts';
import { runSuite, targetOf } from './whole-run.ts';

test.setTimeout(300_000);

type Outcome = 'pass' | 'fail' | 'error';

/** A provider and a configuration, with the verdict on all, on one requirement, and on the tests that failed last. */
interface Row {
  alter?: Alter;
  env?: Record<string, string>;
  /** Lines to add to the ledger. */
  ledger?: string;
  verdicts: [all: Outcome, one: Outcome, lastFailed: Outcome];
  /** What the verdict on all is given for. */
  says: RegExp;
}

const one = '@getFeeRules/code$';
const drifted = { 'card-types': 'Plastic' };

const rows: Record<string, Row> = {
  // Without a test that failed Playwright has nothing to repeat: nothing is judged.
  conforming: { verdicts: ['pass', 'pass', 'error'], says: /PASS: the target keeps the contract/ },
  'one violation': {
    alter: altering('getCard', set('data/card/expiration_date', 7)),
    verdicts: ['fail', 'pass', 'fail'],
    says: /violation of getCard\/data\/card\/expiration_date/,
  },
  'one operation blocked': {
    alter: altering('getCustomer', (answer) => ({ ...answer, status: 503 })),
    verdicts: ['error', 'pass', 'error'],
    says: /nothing sure can be said .* HTTP 503/,
  },
  'coverage too low': {
    alter: altering('getCard', set('data/card/limits', [])),
    env: { MIN_COVERAGE: '100' },
    verdicts: ['fail', 'pass', 'fail'],
    says: /no requirement is violated, but the gate run\/coverage \(MIN_COVERAGE\) expected at least 100 %/,
  },
  'a stale entry': {
    ledger:
      '\n- requirement: getCard/data/card/title\n  accepts: { schema: { type: number } }\n' +
      '  because: known\n  source: "2.2"\n  target: staging\n',
    verdicts: ['fail', 'pass', 'fail'],
    says: /the gate run\/ledger expected .*getCard\/data\/card\/title/,
  },
  drift: {
    env: { FAIL_ON_DRIFT: '1' },
    verdicts: ['fail', 'pass', 'fail'],
    says: /the gate run\/drift \(FAIL_ON_DRIFT\) expected behaviour as it was recorded/,
  },
};

const others = ['line', 'json', 'junit', 'html', 'blob'];
const own = './reports/reporter.ts';
const exitOf = (outcome: Outcome) => (outcome === 'pass' ? 0 : 1);

for (const [index, [name, row]] of Object.entries(rows).entries()) {
  const other = (step: number) => others[(index + step) % others.length] ?? 'line';

  test(`${name}: ${row.verdicts.join(', ')}, with any reporter`, async () => {
    const mock = await startMock({ alter: row.alter ?? ((answer) => answer) });
    const tree = treeWith(row.ledger);
    const judge = (reporter: string, args: string[] = []) => runIn(tree, row, mock.url, reporter, args);
    const [all, ofOne, lastFailed] = row.verdicts;
    try {
      for (const reporter of [own, other(0)])
        expect(await judge(reporter), `all, ${reporter}`).toEqual(expected(all, reporter, row.says));
      for (const reporter of index % 2 ? [own] : [other(1)])
        expect(await judge(reporter, ['--last-failed']), `last failed, ${reporter}`).toEqual(
          expected(lastFailed, reporter),
        );
      for (const reporter of index % 2 ? [other(2)] : [own])
        expect(await judge(reporter, ['--grep', one]), `one, ${reporter}`).toEqual(expected(ofOne, reporter));
    } finally {
      await mock.close();
      if (tree !== root) rmSync(tree, { recursive: true, force: true });
    }
  });
}

test('a ledger that cannot be read leaves a page and a report that say why, in place of earlier ones', async () => {
  const tree = treeWith('\n- requirement: getCard/code\n');
  const run = await runSuite({}, undefined, tree);
  rmSync(tree, { recursive: true, force: true });
  const why = /spec\/ledger\.yaml, line \d+: .*"accepts" is missing; add it/;
  expect(run).toMatchObject({
    code: 1,
    output: expect.stringMatching(why),
    conformance: { verdict: 'error' },
  });
  const page = run.files().find(({ name }) => name === 'contract.html')?.text;
  expect(page).toMatch(why);
});

/** Without the suite's own reporter a verdict that passes is not printed. */
const expected = (outcome: Outcome, reporter: string, says = /./) => ({
  code: exitOf(outcome),
  verdict: reporter === own || outcome !== 'pass' ? outcome : undefined,
  output: reporter === own || outcome !== 'pass' ? expect.stringMatching(says) : expect.any(String),
});

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The project itself, or a copy of it with more in its ledger. */
function treeWith(ledger: string | undefined): string {
  if (!ledger) return root;
  const tree = mkdtempSync(path.join(os.tmpdir(), 'tree-'));
  const copied =
    'spec schemas tests/client tests/contract tests/exchanges tests/probes tests/run tests/verdict';
  for (const folder of [...copied.split(' '), 'mock', 'reports/pages', 'reports/schemas'])
    cpSync(path.join(root, folder), path.join(tree, folder), { recursive: true });
  const sources = readdirSync(path.join(root, 'reports')).filter((name) => name.endsWith('.ts'));
  const files = ['tests/setup.ts', 'playwright.config.ts', 'package.json', 'tsconfig.json'];
  for (const file of [...files, ...sources.map((name) => `reports/${name}`)])
    cpSync(path.join(root, file), path.join(tree, file));
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  const file = path.join(tree, 'spec/ledger.yaml');
  writeFileSync(file, readFileSync(file, 'utf8') + ledger);
  return tree;
}

/** Judges in a process of its own: exit status, the verdict that the terminal says, and what it says. */
async function runIn(tree: string, { env = {} }: Row, url: string, reporter: string, args: string[]) {
  const below = (name: string) => test.info().outputPath(name);
  writeFileSync(below('recorded.json'), JSON.stringify(drifted));
  const settings = {
    ...targetOf(url),
    TARGET_NAME: 'staging',
    MAX_PAGES: '1',
    RECORD_FILE: below('recorded.json'),
    PLAYWRIGHT_HTML_OUTPUT_DIR: below('html'),
    PLAYWRIGHT_HTML_OPEN: 'never',
    PLAYWRIGHT_BLOB_OUTPUT_DIR: below('blob'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: below('junit.xml'),
    ...env,
  };
  const { code, output, conformance } = await runSuite(settings, [`--reporter=${reporter}`, ...args], tree);
  return { code, verdict: verdictIn(output, conformance?.verdict), output };
}

/** The verdict that is said, and with the suite's own reporter the one in `conformance.json`, which is the same. */
function verdictIn(output: string, reported: string | undefined): string | undefined {
  const said = /\b(PASS|FAIL|ERROR)( of \d+ selected requirements? of \d+)?: /
    .exec(output)?.[1]
    ?.toLowerCase();
  return reported === undefined || said === reported ? said : `${said} and ${reported}`;
}
