import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import { askInProcess, type Judge } from '../harness/in-process-run.ts';
import { type Environment, runSuite, targetOf, type WholeRun } from '../harness/whole-run.ts';

test.setTimeout(120_000);

type Outcome = 'pass' | 'fail' | 'error';

/** A provider and a configuration, with the verdict on all, on one requirement, and on the tests that failed. */
interface Row {
  alter?: Alter;
  env?: Environment;
  /** Lines to add to the ledger. */
  ledger?: string;
  verdicts: Record<keyof typeof selections, Outcome>;
  /** What the verdict on all is given for. */
  says: RegExp;
}

const one = 'getFeeRules/code';
const drifted = { 'card-types': 'Plastic' };

/** What is selected, given all addresses and those that failed in the run before. */
const selections = {
  all: (all: string[]) => all,
  one: (all: string[]) => all.filter((address) => address === one),
  lastFailed: (all: string[], failed: string[]) => all.filter((address) => failed.includes(address)),
};

const rows: Record<string, Row> = {
  // Without a test that failed there is nothing to repeat: nothing is judged.
  conforming: {
    verdicts: { all: 'pass', one: 'pass', lastFailed: 'error' },
    says: /PASS: the target keeps the contract/,
  },
  'one violation': {
    alter: altering('getCard', set('data/card/expiration_date', 7)),
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /violation of getCard\/data\/card\/expiration_date/,
  },
  'one operation blocked': {
    alter: altering('getCustomer', (answer) => ({ ...answer, status: 503 })),
    verdicts: { all: 'error', one: 'pass', lastFailed: 'error' },
    says: /\d+ of \d+ requirements cannot be judged: .* HTTP 503/,
  },
  'coverage too low': {
    alter: altering('getCard', set('data/card/limits', [])),
    env: { MIN_COVERAGE: '100' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /no requirement is violated, but the gate run\/coverage \(MIN_COVERAGE\) expected at least 100 %/,
  },
  'a stale entry': {
    ledger:
      '- requirement: getCard/data/card/title\n  accepts: { schema: { type: number } }\n' +
      '  because: known\n  source: "2.2"\n  target: staging\n',
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /the gate run\/ledger expected .*getCard\/data\/card\/title/,
  },
  drift: {
    env: { FAIL_ON_DRIFT: '1' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /the gate run\/drift \(FAIL_ON_DRIFT\) expected behaviour as it was recorded/,
  },
};

const own = './reports/reporter.ts';
const others = ['line', 'json', 'junit', 'html', 'blob'];

for (const [name, row] of Object.entries(rows))
  test(`${name}: ${Object.values(row.verdicts).join(', ')}, with any reporter`, () =>
    judgedAs(row, async (judge) => {
      const { failed } = await judge();
      for (const [selection, select] of entriesOf(selections))
        for (const reporter of [own, ...others]) {
          const judged = await judge({ reporter, select: (all) => select(all, failed) });
          const says = selection === 'all' ? row.says : /./;
          expect
            .soft(seen(judged, reporter), `${selection}, ${reporter}`)
            .toEqual(expected(row.verdicts[selection], reporter, says));
        }
    }));

const entriesOf = (known: typeof selections) =>
  Object.entries(known) as [keyof typeof selections, (typeof selections)['lastFailed']][];

/** Asks the provider of a row once, with its configuration and ledger. */
async function judgedAs({ alter, env, ledger = '' }: Row, use: (judge: Judge) => Promise<void>) {
  const mock = await startMock(alter ? { alter } : {});
  const contract = loadContract();
  const added = readLedger(ledger, contract);
  contract.ledger.push(...added);
  try {
    await askInProcess({ ...settings(mock.url), ...env }, use);
  } finally {
    contract.ledger.splice(contract.ledger.length - added.length);
    await mock.close();
  }
}

function settings(url: string): Environment {
  const file = test.info().outputPath('recorded.json');
  writeFileSync(file, JSON.stringify(drifted));
  return { ...targetOf(url), TARGET_NAME: 'staging', MAX_PAGES: '1', RECORD_FILE: file };
}

/** Exit status, what is said, and the verdict that is said; with the suite's own reporter `conformance.json` has the same. */
function seen(
  { code, output, conformance }: Pick<WholeRun, 'code' | 'output' | 'conformance'>,
  reporter: string,
) {
  const [, word] = /\b(PASS|FAIL|ERROR)( of \d+ selected requirements? of \d+)?: /.exec(output) ?? [];
  const said = word?.toLowerCase();
  const reported = reporter.includes(own) ? conformance?.verdict : said;
  return { code, verdict: said === reported ? said : `${said} and ${reported}`, output };
}

/** Without the suite's own reporter a verdict that passes is not printed. */
const expected = (outcome: Outcome, reporter: string, says = /./) => ({
  code: outcome === 'pass' ? 0 : 1,
  verdict: reporter.includes(own) || outcome !== 'pass' ? outcome : undefined,
  output: reporter.includes(own) || outcome !== 'pass' ? expect.stringMatching(says) : expect.any(String),
});

const below = (name: string) => test.info().outputPath(name);

/** A run in a process of its own; all of a test write into the same folder. */
async function inProcess(url: string, reporter: string, ...args: string[]) {
  const files = {
    PLAYWRIGHT_HTML_OUTPUT_DIR: below('html'),
    PLAYWRIGHT_HTML_OPEN: 'never',
    PLAYWRIGHT_BLOB_OUTPUT_DIR: below('blob'),
    PLAYWRIGHT_JSON_OUTPUT_NAME: below('results.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: below('junit.xml'),
  };
  return seen(await runSuite({ ...settings(url), ...files }, [`--reporter=${reporter}`, ...args]), reporter);
}

// Playwright gives each of the other reporters the same events: one that changed the exit status would change it here.
const all = others.join(',');

/** Breaks a rule of cards and one of fees; then cards are in order, and no fees can be had. */
const recovering: [broken: Alter, blocked: Alter] = [
  inTurn(altering('getCard', set('data/card/expiration_date', 7)), altering('getFeeRules', set('code', 0))),
  altering('getFeeRules', (answer) => ({ ...answer, status: 503 })),
];

test('in processes: failed tests are repeated until there are none, and what was selected decides', async () => {
  const [broken, blocked] = recovering;
  const provider = { alter: broken };
  const mock = await startMock({ alter: (answer, request) => provider.alter(answer, request) });
  const first = await inProcess(mock.url, own);
  expect(first).toEqual(expected('fail', own, rows['one violation']?.says));
  provider.alter = blocked;
  const repeated = await inProcess(mock.url, all, '--last-failed', '--grep', '@getCard/');
  expect(repeated).toEqual(expected('pass', all));
  expect(repeated.output).toContain('Running 1 test ');
  expect(await inProcess(mock.url, own, '--last-failed')).toEqual(expected('error', own));
  await mock.close();
  for (const file of ['html/index.html', 'blob', 'results.json', 'junit.xml'])
    expect(existsSync(below(file)), file).toBe(true);
});

test('in processes, with all other reporters: an error ends the run red', async () => {
  const { alter, says } = rows['one operation blocked'] as Row;
  const mock = await startMock(alter ? { alter } : {});
  const blocked = await inProcess(mock.url, all);
  await mock.close();
  expect(blocked).toEqual(expected('error', all, says));
  expect(blocked.output).toContain('The run does not pass: ERROR: ');
  expect(blocked.output).not.toMatch(/^ {4}at /m);
});
