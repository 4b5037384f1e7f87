import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import { altering, set } from '../harness/edits.ts';
import { askInProcess, type Judge } from '../harness/in-process-run.ts';
import { type Environment, recordedFolder, targetOf, type WholeRun } from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** `nothing` if no test is selected: then the reports of the run before stay. */
type Outcome = 'pass' | 'fail' | 'error' | 'nothing';

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
const ofOne = /PASS of 1 selected requirement of \d+: nothing is violated, as far as it was exercised$/m;
/** What is on record, and has changed since. */
const drifted = { 'card-types': 'Plastic' };

/** What is selected, given all addresses and those that failed in the run before. */
const selections = {
  all: (all: string[]) => all,
  one: (all: string[]) => all.filter((address) => address === one),
  lastFailed: (all: string[], failed: string[]) => all.filter((address) => failed.includes(address)),
};

const rows: Record<string, Row> = {
  conforming: {
    verdicts: { all: 'pass', one: 'pass', lastFailed: 'nothing' },
    says: /PASS: the target keeps the contract/,
  },
  'two violations': {
    alter: altering('getCard', (answer) => ({ ...answer, body: { code: 200, message: 7, data: {} } })),
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /violation of getCard\/message and 1 more/,
  },
  'one operation blocked': {
    alter: altering('getCustomer', (answer) => ({ ...answer, status: 503 })),
    verdicts: { all: 'error', one: 'pass', lastFailed: 'nothing' },
    says: /\d+ of \d+ requirements cannot be judged: .* HTTP 503/,
  },
  'coverage too low': {
    alter: altering('getCard', set('data/card/limits', [])),
    env: { MIN_COVERAGE: '100' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /no requirement is violated, but the gate run\/coverage \(MIN_COVERAGE\) expected at least 100 %/,
  },
  'an operation without identifiers, in a pipeline': {
    env: { CI: 'true', CARD_IDS: '' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /the gate run\/judged \(FAIL_ON=unjudged\) expected .* got none of getCard: no request of getCard was sent/,
  },
  'a stale entry': {
    ledger:
      '- requirement: getCard/data/card/title\n  accepts: { schema: { type: number } }\n' +
      '  because: known\n  source: "2.2"\n  target: staging\n',
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /the gate run\/ledger expected .*getCard\/data\/card\/title/,
  },
  drift: {
    env: { FAIL_ON: 'drift' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    says: /the gate run\/drift \(FAIL_ON=drift\) expected behaviour as it was recorded/,
  },
  'nothing can be recorded': {
    env: { PROBES: 'record', INIT_CWD: '/sys' },
    verdicts: { all: 'error', one: 'pass', lastFailed: 'error' },
    says: /run\/record \(PROBES=record\) expected the observed behaviour to be recorded; got nothing: /,
  },
};

for (const [name, row] of Object.entries(rows))
  test(`${name}: ${Object.values(row.verdicts).join(', ')}`, () =>
    judgedAs(row, async (judge) => {
      const { failed } = await judge();
      for (const selection of ['all', 'one', 'lastFailed'] as const) {
        const judged = await judge({ select: (all) => selections[selection](all, failed) });
        const verdict = row.verdicts[selection];
        const output = expect.stringMatching({ all: row.says, one: ofOne, lastFailed: /./ }[selection]);
        expect.soft(seen(judged), selection).toEqual({ code: verdict === 'pass' ? 0 : 1, verdict, output });
      }
    }));

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
  const { called } = recordedFolder(JSON.stringify(drifted), 'staging');
  return { ...targetOf(url), TARGET_NAME: 'staging', ...called };
}

/** Exit status, what is said, and the verdict that is said; `conformance.json` has the same. */
function seen({ code, output, conformance }: WholeRun) {
  if (output.includes('no test was selected')) return { code, verdict: 'nothing', output };
  const [, word] = /\b(PASS|FAIL|ERROR)( of \d+ selected requirements? of \d+)?: /.exec(output) ?? [];
  const said = word?.toLowerCase();
  const reported = conformance?.verdict;
  return { code, verdict: said === reported ? said : `${said} and ${reported}`, output };
}
