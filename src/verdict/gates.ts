import { formatEntryPlace, type LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatCount } from '../../schemas/counted.ts';
import { hasIdentifiers, type Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import { hasSweep } from '../sweep/shards.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import type { Coverage } from './coverage.ts';
import type { Results } from './results.ts';
import type { RunVerdict } from './verdicts.ts';

/** Gate: a condition that a run must meet besides the contract, such as `MIN_COVERAGE`. Shown as a test; not a requirement. */
export interface Gate {
  /** Stable address, such as `run/coverage`, also the tag of the test. */
  address: string;
  /** Sentence of the gate, also the title of the test. */
  statement: string;
  /** Variable that sets the gate, such as `MIN_COVERAGE` or `FAIL_ON=drift`. */
  variable?: string;
  /** Document about the gate, such as `docs/sweep.md`, and a heading in it. */
  section: string;
}

/** Gate with its verdict, and with the expected and the actual state as texts. */
export interface GateResult extends Gate {
  verdict: RunVerdict;
  expected: string;
  actual: string;
  reason?: string;
}

/** Facts that gates check: results, settings and problems of a run. */
export interface GateFacts extends Pick<Results, 'requirementResults' | 'behaviour' | 'judgedBefore'> {
  target: Target;
  /** True if the run has results and nothing prevented or interrupted it. */
  complete: boolean;
  /** Sentences about what prevented or interrupted the run or a part of it, such as an unreadable recording. */
  prevented: string[];
  coverage: Coverage;
  sweeps: SweepSummary[];
  /** True for a shard of a sweep or of recordings, which leaves some gates to the merged run. */
  isShard: boolean;
  /** Findings that belong to no requirement: stale ledger entries, server errors, drift. */
  findings: Finding[];
}

/** Outcome of a gate; without `failed` and `prevented` the gate passes. */
interface GateFinding {
  /** Reason for the verdict `fail`. */
  failed?: string | undefined;
  /** Reason for the verdict `error`: the run could not check the condition. */
  prevented?: string | undefined;
  /** Text to show as the actual state; default: the reason, or `as expected`. */
  actual?: string;
}

/** Gate with the condition under which a run has it, and with its check. */
interface GateCheck extends Gate {
  /** Returns whether the configuration, or the ledger, asks for the gate. */
  isSet(target: Target, ledger: LedgerEntry[]): boolean;
  /** Formats what the gate expects, such as "at least 80 % of schema nodes exercised". */
  expected(target: Target): string;
  check(facts: GateFacts): GateFinding;
}

/** Joins the first three lines, and the number of the others: "a; b; c; and 2 more"; undefined if there are no lines. */
const joinFirstLines = (lines: string[]): string | undefined => {
  const { length: unlistedCount } = lines.slice(3);
  return (
    [...lines.slice(0, 3), ...(unlistedCount ? [`and ${unlistedCount} more`] : [])].join('; ') || undefined
  );
};

/** Formats, in one line, the findings that belong to no requirement: stale ledger entries, server errors, drift. */
const formatFindingByKind = {
  stale: ({ requirement, ledger = { line: 0 } }) => `none for ${requirement} (${formatEntryPlace(ledger)})`,
  'server error': ({ exchange, actual }) => `${exchange}: ${actual}`,
  drift: ({ question, expected, actual }) => `${question}: was "${expected}", is "${actual}"`,
} satisfies Partial<Record<Finding['kind'], (finding: Finding) => string>>;

/** Formats the findings of a kind such as `drift`, one line each. */
export const formatFindings = (
  { findings }: { findings: Finding[] },
  kind: keyof typeof formatFindingByKind,
): string[] => findings.filter((finding) => finding.kind === kind).map(formatFindingByKind[kind]);

/** Checks `run/target`: the run began, was not interrupted, and judged a body. A recording without bodies must not pass. */
function checkTarget({ complete, requirementResults, prevented, coverage, isShard }: GateFacts): GateFinding {
  const blockedResult = requirementResults.find(({ verdict }) => verdict === 'blocked');
  const isNothingExercised = requirementResults.every((result) => result.exercised === 0);
  if (!complete || (blockedResult && isNothingExercised)) {
    const reason =
      joinFirstLines([...prevented, ...(blockedResult?.reason ? [blockedResult.reason] : [])]) ??
      'the run could not begin';
    return { prevented: reason, actual: `${isNothingExercised ? 'none' : 'not all'}: ${reason}` };
  }
  // A shard may leave all bodies to others, and a violation, such as a wrong status, needs no body.
  const isBroken = requirementResults.some(({ verdict }) => verdict === 'violation');
  const isJudged = coverage.nodes.exercised > 0 || isShard || isBroken;
  return isJudged ? {} : { prevented: 'no body that could be judged' };
}

/** Checks `run/coverage`: the percentage of exercised schema nodes reaches `MIN_COVERAGE`. */
function checkCoverage({ coverage, target, isShard }: GateFacts): GateFinding {
  const { percentage, missing } = coverage.nodes;
  const missingText = missing.length > 0 ? `; not exercised: ${joinFirstLines(missing)}` : '';
  const actual = `${percentage} %${missingText}`;
  if (coverage.nodes.exercised === 0 && !isShard) return { prevented: 'nothing was judged' };
  return { actual, failed: percentage >= target.minCoverage || isShard ? undefined : actual };
}

/** Checks `run/judged`: each operation was judged, and each requirement that an earlier run judged. */
function checkUnjudged({ target, requirementResults, judgedBefore = [], isShard }: GateFacts): GateFinding {
  if (isShard) return {};
  const unjudgedOperations = listUnjudgedOperations(requirementResults);
  const lostResults = requirementResults.filter(
    ({ address, operation, verdict }) =>
      verdict === 'not exercised' &&
      judgedBefore.includes(address) &&
      !unjudgedOperations.some((unjudged) => unjudged.operation === operation),
  );
  const reasons = [...new Set(lostResults.map(({ reason }) => reason))];
  const listLostAddresses = (lostReason: string | undefined) =>
    joinFirstLines(lostResults.filter(({ reason }) => reason === lostReason).map(({ address }) => address));
  const describeOperations = (areBlocked: boolean) =>
    unjudgedOperations
      .filter(({ isBlocked }) => isBlocked === areBlocked)
      .map(
        ({ operation, reason }) =>
          `no response of ${operation} judged: ${reason}${adviseIdentifiers(target, requirementResults, operation)}`,
      );
  return {
    failed: joinFirstLines([
      ...describeOperations(false),
      ...reasons.map(
        (reason) => `no verdict on ${listLostAddresses(reason)}, unlike in an earlier run: ${reason}`,
      ),
    ]),
    prevented: joinFirstLines(describeOperations(true)),
  };
}

/** Lists the operations of which no requirement was judged, each with a reason. `isBlocked` is true if one of them was blocked. */
function listUnjudgedOperations(requirementResults: GateFacts['requirementResults']) {
  const operations = [...new Set(requirementResults.map(({ operation }) => operation))];
  return operations.flatMap((operation) => {
    const results = requirementResults.filter((result) => result.operation === operation);
    if (results.some(({ verdict }) => verdict !== 'not exercised' && verdict !== 'blocked')) return [];
    const blockedResult = results.find(({ verdict }) => verdict === 'blocked');
    const reason = (blockedResult ?? results.at(-1))?.reason;
    return { operation, reason, isBlocked: blockedResult !== undefined };
  });
}

/** Formats which variables an operation needs and the configuration lacks: "; set CARD_IDS"; empty if it lacks none. */
function adviseIdentifiers(
  target: Target,
  requirementResults: GateFacts['requirementResults'],
  operation: string,
): string {
  const variables = requirementResults.flatMap((result) =>
    result.operation === operation && result.kind === 'parameter'
      ? (result.parameter['x-identifiers'] ?? [])
      : [],
  );
  const unset = [...new Set(variables)].filter((variable) => !hasIdentifiers(target, variable));
  return unset.length > 0 ? `; set ${unset.join(', ')}` : '';
}

/** Checks `run/sweep`: each sweep got a response for every record, and saw records if other requests did. A shard may have no page. */
function checkSweep({ sweeps, requirementResults, isShard }: GateFacts): GateFinding {
  // For example if the list shows records only to requests with another parameter than those of the sweep.
  const missesShownRecords = ({ operation, judged: judgedCount }: SweepSummary) =>
    !isShard &&
    judgedCount === 0 &&
    requirementResults.some(
      (result) => result.operation === operation && result.place.endsWith('/*') && result.exercised > 0,
    );
  const emptySweeps = sweeps
    .filter(missesShownRecords)
    .map(({ noun }) => `${noun}: the sweep saw none, although other requests did`);
  const reasons = sweeps
    .filter((sweep) => !isComplete(sweep))
    .map(({ noun, stopped, blocked }) => {
      const unjudged = `${formatCount(blocked.length, 'range')} not judged: ${blocked[0]?.reason}`;
      return `${noun}: ${stopped ?? unjudged}`;
    });
  return { prevented: joinFirstLines(sweeps.length === 0 ? ['no sweep'] : [...reasons, ...emptySweeps]) };
}

const questionsSection = 'docs/testers.md, "What the contract does not say"';

/** All gates of a run, except the one for custom tests. */
const gates: GateCheck[] = [
  {
    address: 'run/target',
    statement: 'the target is reached, and answers like the API',
    section: 'docs/configuration.md',
    isSet: () => true,
    expected: () => 'responses of the API',
    check: checkTarget,
  },
  {
    address: 'run/coverage',
    statement: 'enough schema nodes are exercised',
    variable: 'MIN_COVERAGE',
    section: 'docs/configuration.md',
    isSet: ({ minCoverage }) => minCoverage > 0,
    expected: ({ minCoverage }) => `at least ${minCoverage} % of schema nodes exercised`,
    check: checkCoverage,
  },
  {
    address: 'run/judged',
    statement: 'each operation was judged, and each requirement that an earlier run judged',
    section: 'docs/configuration.md',
    isSet: ({ failOn }) => failOn.includes('unjudged'),
    expected: () =>
      'a judged response of each operation, and a verdict on each requirement that an earlier run judged (FAIL_ON=-unjudged removes the gate)',
    check: checkUnjudged,
  },
  {
    address: 'run/sweep',
    statement: 'the sweep judged every record in its scope',
    variable: 'SWEEP',
    section: 'docs/sweep.md',
    isSet: hasSweep,
    expected: () => 'a response to each request of the sweep',
    check: checkSweep,
  },
  {
    address: 'run/ledger',
    statement: 'each entry of the ledger for this target still tolerates a deviation',
    section: 'docs/testers.md, "Tolerate a deviation"',
    // Expired entries count too, so that the tests of a run do not change on the day after an entry ends.
    isSet: ({ name, profile }, ledger) =>
      profile !== 'documented' && ledger.some(({ target }) => target === name),
    expected: () => 'a deviation for each entry (npm run accept -- --remove removes the others)',
    check: (facts) => ({ failed: joinFirstLines(formatFindings(facts, 'stale')) }),
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON=server-errors',
    section: questionsSection,
    isSet: ({ failOn }) => failOn.includes('server-errors'),
    expected: () => 'no server error on bad input',
    check: (facts) => ({
      failed: joinFirstLines(formatFindings(facts, 'server error')),
      prevented:
        facts.behaviour?.probed === 0 && !facts.isShard
          ? 'no request with bad input has a response; PROBES=on sends such requests'
          : undefined,
    }),
  },
  {
    address: 'run/drift',
    statement: 'behaviour is as it was recorded',
    variable: 'FAIL_ON=drift',
    section: questionsSection,
    // `PROBES=record` replaces the recording, so that there is nothing to compare.
    isSet: ({ failOn, record }) => failOn.includes('drift') && !record,
    expected: () => 'behaviour as it was recorded',
    check: (facts) => ({
      failed: joinFirstLines(formatFindings(facts, 'drift')),
      prevented:
        facts.behaviour?.comparable === 0 && !facts.isShard
          ? 'no recorded answer to compare this run with; PROBES=record writes them'
          : undefined,
    }),
  },
  {
    address: 'run/record',
    statement: 'the observed behaviour is recorded',
    variable: 'PROBES=record',
    section: questionsSection,
    isSet: ({ record }) => record,
    expected: () => 'the observed behaviour to be recorded',
    check: ({ behaviour, isShard }) => ({ prevented: isShard ? undefined : behaviour?.unrecorded }),
  },
];

/** Selects the gates that the configuration of a target, or a ledger entry for it, sets. */
export const selectGates = (target: Target, ledger: LedgerEntry[]): GateCheck[] =>
  gates.filter(({ isSet }) => isSet(target, ledger));

/** Checks a gate. The verdict is `fail` if the condition is broken, and `error` if the run could not check it. */
export function evaluateGate(
  { isSet: _, expected, check, ...gate }: GateCheck,
  facts: GateFacts,
): GateResult {
  const { failed, prevented, actual = failed ?? prevented ?? 'as expected' } = check(facts);
  // A broken condition counts even if a part of the run was prevented.
  const verdict = failed !== undefined ? 'fail' : prevented !== undefined ? 'error' : 'pass';
  const reason = verdict === 'error' && prevented ? { reason: prevented } : {};
  return { ...gate, verdict, expected: expected(facts.target), actual, ...reason };
}

/** Creates the gate `run/custom-tests`, which fails if a test of `tests/custom` or `CUSTOM_TESTS` failed; none if no such test ran. */
export function createCustomTestGate(tests: { title: string; failed: boolean }[]): GateResult[] {
  if (tests.length === 0) return [];
  const failed = tests.filter((test) => test.failed).map(({ title }) => title);
  return [
    {
      address: 'run/custom-tests',
      statement: "each of the team's own tests passes",
      section: 'docs/testers.md, "Your own tests"',
      verdict: failed.length > 0 ? 'fail' : 'pass',
      expected: `${formatCount(tests.length, 'custom test')} to pass`,
      actual: failed.length > 0 ? `${failed.length} failed: ${joinFirstLines(failed)}` : 'as expected',
    },
  ];
}

/** Formats a gate that did not pass: "the gate run/coverage (MIN_COVERAGE) expected …; got …. See docs/configuration.md." */
export function describeGate({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  const fullStop = /[.?!]$/.test(actual) ? '' : '.';
  return `the gate ${name} expected ${expected}; got ${actual}${fullStop} See ${section}.`;
}
