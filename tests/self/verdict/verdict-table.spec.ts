import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import { altering, set } from '../harness/edits.ts';
import { type Judge, judgeInProcess } from '../harness/in-process-run.ts';
import {
  configureTarget,
  createRecordedFolder,
  type Environment,
  type WholeRun,
} from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** Verdict of a run, or `nothing` if the run selects no test. */
type Outcome = 'pass' | 'fail' | 'error' | 'nothing';

interface Row {
  alter?: Alter;
  env?: Environment;
  /** YAML of entries to add to the ledger of known deviations. */
  ledger?: string;
  verdicts: Record<keyof typeof selections, Outcome>;
  /** Pattern for the output of the run of all tests. */
  messagePattern: RegExp;
}

const oneAddress = 'getFeeRules/code';
const onePattern =
  /PASS of 1 selected requirement of \d+: no requirement is violated \(1 of 1 requirement exercised\)$/m;
/** Outdated answer of an earlier run: the mock has other card types now. */
const recordedAnswers = { 'card-types': 'Plastic' };

const unjudgedPattern =
  /the gate run\/judged expected .*\(FAIL_ON=-unjudged removes the gate\); got no response of getCard judged: no request of getCard was sent.*; set CARD_IDS\. /;

const selections = {
  all: (addresses: string[]) => addresses,
  one: (addresses: string[]) => addresses.filter((address) => address === oneAddress),
  lastFailed: (addresses: string[], failed: string[]) =>
    addresses.filter((address) => failed.includes(address)),
};

const rows: Record<string, Row> = {
  conforming: {
    verdicts: { all: 'pass', one: 'pass', lastFailed: 'nothing' },
    messagePattern: /PASS: the target conforms to the contract/,
  },
  'two violations': {
    alter: altering('getCard', (response) => ({ ...response, body: { code: 200, message: 7, data: {} } })),
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    messagePattern: /violates the contract: getCard\/message and 1 more requirement/,
  },
  'one operation blocked': {
    alter: altering('getCustomer', (response) => ({ ...response, status: 503 })),
    verdicts: { all: 'error', one: 'pass', lastFailed: 'error' },
    messagePattern: /\d+ of \d+ requirements cannot be judged: .* HTTP 503/,
  },
  'coverage too low': {
    alter: altering('getCard', set('data/card/limits', [])),
    env: { MIN_COVERAGE: '100' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    messagePattern:
      /no requirement is violated, but the gate run\/coverage \(MIN_COVERAGE\) expected at least 100 %/,
  },
  'an operation without identifiers': {
    env: { CARD_IDS: '' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    messagePattern: unjudgedPattern,
  },
  'an operation without identifiers, in a pipeline': {
    env: { CI: 'true', CARD_IDS: '' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    messagePattern: unjudgedPattern,
  },
  'an operation without identifiers, accepted': {
    env: { CARD_IDS: '', FAIL_ON: '-unjudged' },
    verdicts: { all: 'pass', one: 'pass', lastFailed: 'nothing' },
    messagePattern: /PASS: no requirement is violated \(\d+ of \d+ requirements exercised\)/,
  },
  'a stale entry': {
    ledger:
      '- requirement: getCard/data/card/title\n  accepts: { schema: { type: number } }\n' +
      '  because: known\n  source: "2.2"\n  target: staging\n',
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    messagePattern: /the gate run\/ledger expected .*getCard\/data\/card\/title/,
  },
  drift: {
    env: { FAIL_ON: 'drift' },
    verdicts: { all: 'fail', one: 'pass', lastFailed: 'fail' },
    messagePattern: /the gate run\/drift \(FAIL_ON=drift\) expected behaviour as it was recorded/,
  },
  'nothing can be recorded': {
    env: { PROBES: 'record', INIT_CWD: '/sys' },
    verdicts: { all: 'error', one: 'pass', lastFailed: 'error' },
    messagePattern: /run\/record \(PROBES=record\) could not be checked: expected .*; got nothing: /,
  },
};

for (const [name, row] of Object.entries(rows))
  test(`${name}: ${Object.values(row.verdicts).join(', ')}`, () =>
    judgeRow(row, async (judge) => {
      const { failed } = await judge();
      for (const selection of ['all', 'one', 'lastFailed'] as const) {
        const selectedRun = await judge({ select: (addresses) => selections[selection](addresses, failed) });
        const verdict = row.verdicts[selection];
        const output = expect.stringMatching(
          { all: row.messagePattern, one: onePattern, lastFailed: /./ }[selection],
        );
        expect
          .soft(summarizeRun(selectedRun), selection)
          .toEqual({ code: verdict === 'pass' ? 0 : 1, verdict, output });
      }
    }));

async function judgeRow({ alter, env, ledger = '' }: Row, use: (judge: Judge) => Promise<void>) {
  const mock = await startMock(alter ? { alter } : {});
  const settings = { ...createSettings(mock.url), ...env };
  try {
    await withLedger(ledger, () => judgeInProcess(settings, use));
  } finally {
    await mock.close();
  }
}

async function withLedger(yaml: string, use: () => Promise<void>): Promise<void> {
  const contract = loadContract();
  // In place, because `loadContract` returns the same object at each call.
  const originalEntries = [...contract.ledger];
  contract.ledger.push(...readLedger(yaml, contract));
  try {
    await use();
  } finally {
    contract.ledger.splice(0, contract.ledger.length, ...originalEntries);
  }
}

function createSettings(url: string): Environment {
  // A run reads these answers as those of an earlier run, from `observed/staging.json` in the folder of the caller.
  const { callerEnv } = createRecordedFolder(JSON.stringify(recordedAnswers), 'staging');
  return { ...configureTarget(url), TARGET_NAME: 'staging', ...callerEnv };
}

function summarizeRun({ code, output, conformance }: WholeRun): {
  code: number | null;
  verdict: string;
  output: string;
} {
  if (output.includes('no test was selected')) return { code, verdict: 'nothing', output };
  const printedVerdict = /\b(PASS|FAIL|ERROR)( of \d+ selected requirements? of \d+| of selected tests)?: /;
  const [, verdictWord = ''] = printedVerdict.exec(output) ?? [];
  const verdict = verdictWord.toLowerCase();
  expect.soft(conformance?.verdict, 'verdict in conformance.json').toBe(verdict);
  return { code, verdict, output };
}
