import { formatLedgerLocation, type LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatCount } from '../../schemas/counted.ts';
import { hasIdentifiers, type Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import { hasSweep } from '../sweep/shards.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import type { Coverage } from './coverage.ts';
import type { Results } from './results.ts';
import type { RunVerdict } from './verdicts.ts';

/** Condition on a run as a whole, such as `MIN_COVERAGE`. Reports show it as a test; it is no requirement of the contract. */
export interface Gate {
  /** Name of the gate, such as `run/coverage`, and tag of its test. */
  address: string;
  statement: string;
  variable?: string;
  section: string;
}

export interface GateResult extends Gate {
  verdict: RunVerdict;
  expected: string;
  /** Result of the check: "75.2 %; not exercised: …", or `as expected`. */
  actual: string;
  reason?: string;
}

export interface GateFacts extends Pick<Results, 'requirementResults' | 'behaviour' | 'judgedBefore'> {
  target: Target;
  complete: boolean;
  /** Sentences about what prevented or interrupted the run or a part of it, such as a recording that cannot be read. */
  problems: string[];
  coverage: Coverage;
  sweeps: SweepSummary[];
  /** True for a shard. Gates that need the results of all shards then pass, because the merged run checks them. */
  isShard: boolean;
  /** Findings about no requirement: unused ledger entries (`stale`), server errors, and changed behaviour (`drift`). */
  findings: Finding[];
}

/** Outcome of the check of a gate. The gate passes if neither `failure` nor `obstacle` is set. */
interface GateOutcome {
  failure?: string | undefined;
  /** Reason for the verdict `error`: the condition could not be checked. */
  obstacle?: string | undefined;
  /** Text for reports. Default: `failure`, or else `obstacle`, or else `as expected`. */
  actual?: string;
}

interface GateCheck extends Gate {
  isSet(target: Target, ledger: LedgerEntry[]): boolean;
  describeExpected(target: Target): string;
  check(facts: GateFacts): GateOutcome;
}

/** Joins the first three lines and counts the others: "a; b; c; and 2 more". Undefined without lines. */
const joinFirstLines = (lines: string[]): string | undefined => {
  const firstLines = lines.slice(0, 3);
  const otherCount = lines.length - firstLines.length;
  const parts = otherCount > 0 ? [...firstLines, `and ${otherCount} more`] : firstLines;
  return parts.join('; ') || undefined;
};

const findingFormatters = {
  stale: ({ requirement, ledger = { line: 0 } }) =>
    `none for ${requirement} (${formatLedgerLocation(ledger)})`,
  'server error': ({ exchange, actual }) => `${exchange}: ${actual}`,
  drift: ({ question, expected, actual }) => `${question}: was "${expected}", is "${actual}"`,
} satisfies Partial<Record<Finding['kind'], (finding: Finding) => string>>;

/** Formats the findings of one kind, for example of the kind `drift`: `offset-unit: was "records", is "pages"`. */
export const formatFindings = (
  { findings }: { findings: Finding[] },
  kind: keyof typeof findingFormatters,
): string[] => {
  const findingsOfKind = findings.filter((finding) => finding.kind === kind);
  return findingsOfKind.map(findingFormatters[kind]);
};

/** Checks that the run began, was not interrupted, and judged at least one body. */
function checkTarget({ complete, requirementResults, problems, coverage, isShard }: GateFacts): GateOutcome {
  const blockedResult = requirementResults.find(({ verdict }) => verdict === 'blocked');
  const isNothingJudged = requirementResults.every((result) => result.exercised === 0);
  const isOnlyBlocked = blockedResult !== undefined && isNothingJudged;
  if (!complete || isOnlyBlocked) {
    const reasons = blockedResult?.reason ? [...problems, blockedResult.reason] : problems;
    const reason = joinFirstLines(reasons) ?? 'the run could not begin';
    // Reports print "expected responses of the API; got none: …".
    return { obstacle: reason, actual: `${isNothingJudged ? 'none' : 'not all'}: ${reason}` };
  }
  // A shard may leave all bodies to others, and a violation, such as a wrong status, needs no body.
  const hasViolation = requirementResults.some(({ verdict }) => verdict === 'violation');
  if (hasViolation || isShard) return {};
  return coverage.nodes.exercised > 0 ? {} : { obstacle: 'no body that could be judged' };
}

function checkCoverage({ coverage, target, isShard }: GateFacts): GateOutcome {
  const { percentage, missing } = coverage.nodes;
  const missingText = missing.length > 0 ? `; not exercised: ${joinFirstLines(missing)}` : '';
  const actual = `${percentage} %${missingText}`;
  // The responses of the other shards count, too.
  if (isShard) return { actual };
  if (coverage.nodes.exercised === 0) return { obstacle: 'nothing was judged' };
  return percentage >= target.minCoverage ? { actual } : { actual, failure: actual };
}

/**
 * Checks that each operation has a judged requirement, and that each requirement that an earlier run judged was judged again. The
 * verdict is `error` instead of `fail` if the requests of an operation were blocked.
 */
function checkUnjudged({ target, requirementResults, judgedBefore = [], isShard }: GateFacts): GateOutcome {
  if (isShard) return {};
  const unjudgedOperations = listUnjudgedOperations(requirementResults);
  const unjudgedIds = unjudgedOperations.map(({ operation }) => operation);
  const lostResults = requirementResults.filter(
    ({ address, verdict }) => verdict === 'not exercised' && judgedBefore.includes(address),
  );
  // The sentence about an unjudged operation also covers the lost results of its requirements.
  const otherLostResults = lostResults.filter(({ operation }) => !unjudgedIds.includes(operation));
  const describeOperation = ({ operation, reason }: UnjudgedOperation) =>
    `no response of ${operation} judged: ${reason}${formatIdentifierAdvice(target, requirementResults, operation)}`;
  const blockedOperations = unjudgedOperations.filter(({ isBlocked }) => isBlocked);
  const otherOperations = unjudgedOperations.filter(({ isBlocked }) => !isBlocked);
  const failures = [...otherOperations.map(describeOperation), ...describeLostResults(otherLostResults)];
  return {
    failure: joinFirstLines(failures),
    obstacle: joinFirstLines(blockedOperations.map(describeOperation)),
  };
}

function describeLostResults(lostResults: GateFacts['requirementResults']): string[] {
  const reasons = [...new Set(lostResults.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const resultsWithReason = lostResults.filter((result) => result.reason === reason);
    const addresses = joinFirstLines(resultsWithReason.map(({ address }) => address));
    return `no verdict on ${addresses}, unlike in an earlier run: ${reason}`;
  });
}

interface UnjudgedOperation {
  operation: string;
  reason: string | undefined;
  isBlocked: boolean;
}

/** Lists operations without a judged requirement. The reason is of the first blocked requirement; without one, of the last one. */
function listUnjudgedOperations(requirementResults: GateFacts['requirementResults']): UnjudgedOperation[] {
  const operations = [...new Set(requirementResults.map(({ operation }) => operation))];
  return operations.flatMap((operation) => {
    const results = requirementResults.filter((result) => result.operation === operation);
    if (results.some(({ verdict }) => verdict !== 'not exercised' && verdict !== 'blocked')) return [];
    const blockedResult = results.find(({ verdict }) => verdict === 'blocked');
    const resultWithReason = blockedResult ?? results.at(-1);
    return { operation, reason: resultWithReason?.reason, isBlocked: blockedResult !== undefined };
  });
}

/** Formats advice to set the unset variables with identifiers for an operation: "; set CARD_IDS". Empty if all are set. */
function formatIdentifierAdvice(
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

/** Checks that each sweep is complete, and received records if other requests of its operation received some. */
function checkSweep({ sweeps, requirementResults, isShard }: GateFacts): GateOutcome {
  if (sweeps.length === 0) return { obstacle: 'no sweep' };
  // A pointer that ends in `/*` stands for the elements of a list.
  const hasReceivedRecord = (operation: string) =>
    requirementResults.some(
      (result) => result.operation === operation && result.pointer.endsWith('/*') && result.exercised > 0,
    );
  const incompleteSweeps = sweeps.filter((sweep) => !isComplete(sweep));
  // Possible if the list shows records only with `linked_source_type`, which a sweep does not send (contract section 4.2).
  const wronglyEmptySweeps = sweeps.filter(
    ({ operation, judged: judgedCount }) => !isShard && judgedCount === 0 && hasReceivedRecord(operation),
  );
  const sentences = [
    ...incompleteSweeps.map(describeIncompleteSweep),
    ...wronglyEmptySweeps.map(({ noun }) => `${noun}: the sweep received none, although other requests did`),
  ];
  return { obstacle: joinFirstLines(sentences) };
}

function describeIncompleteSweep({ noun, stopped, blocked: blockedRanges }: SweepSummary): string {
  const unjudged = `${formatCount(blockedRanges.length, 'range')} not judged: ${blockedRanges[0]?.reason}`;
  return `${noun}: ${stopped ?? unjudged}`;
}

const questionsSection = 'docs/open-questions.md';

const gates: GateCheck[] = [
  {
    address: 'run/target',
    statement: 'the target is reached, and answers like the API',
    section: 'docs/configuration.md',
    isSet: () => true,
    describeExpected: () => 'responses of the API',
    check: checkTarget,
  },
  {
    address: 'run/coverage',
    statement: 'enough schema nodes are exercised',
    variable: 'MIN_COVERAGE',
    section: 'docs/configuration.md',
    isSet: ({ minCoverage }) => minCoverage > 0,
    describeExpected: ({ minCoverage }) => `at least ${minCoverage} % of schema nodes exercised`,
    check: checkCoverage,
  },
  {
    address: 'run/judged',
    statement: 'each operation was judged, and each requirement that an earlier run judged',
    section: 'docs/configuration.md',
    isSet: ({ failOn }) => failOn.includes('unjudged'),
    describeExpected: () =>
      'a judged response of each operation, and a verdict on each requirement that an earlier run judged (FAIL_ON=-unjudged removes the gate)',
    check: checkUnjudged,
  },
  {
    address: 'run/sweep',
    statement: 'the sweep judged every record in its scope',
    variable: 'SWEEP',
    section: 'docs/sweep.md',
    isSet: hasSweep,
    describeExpected: () => 'a response to each request of the sweep',
    check: checkSweep,
  },
  {
    address: 'run/ledger',
    statement: 'each entry of the ledger for this target still tolerates a deviation',
    section: 'docs/testers.md, "Tolerate a deviation"',
    // Expired entries count too, so that the tests of a run do not change on the day after an entry ends.
    isSet: ({ name, profile }, ledger) =>
      profile !== 'documented' && ledger.some(({ target }) => target === name),
    describeExpected: () => 'a deviation for each entry (npm run accept -- --remove removes the others)',
    check: (facts) => ({ failure: joinFirstLines(formatFindings(facts, 'stale')) }),
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON=server-errors',
    section: questionsSection,
    isSet: ({ failOn }) => failOn.includes('server-errors'),
    describeExpected: () => 'no server error on bad input',
    check: (facts) => ({
      failure: joinFirstLines(formatFindings(facts, 'server error')),
      obstacle:
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
    isSet: ({ failOn, recordsAnswers }) => failOn.includes('drift') && !recordsAnswers,
    describeExpected: () => 'behaviour as it was recorded',
    check: (facts) => ({
      failure: joinFirstLines(formatFindings(facts, 'drift')),
      obstacle:
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
    isSet: ({ recordsAnswers }) => recordsAnswers,
    describeExpected: () => 'the observed behaviour to be recorded',
    check: ({ behaviour, isShard }) => ({ obstacle: isShard ? undefined : behaviour?.unrecorded }),
  },
];

export const selectGates = (target: Target, ledger: LedgerEntry[]): GateCheck[] =>
  gates.filter(({ isSet }) => isSet(target, ledger));

export function evaluateGate(
  { isSet: _, describeExpected, check, ...gate }: GateCheck,
  facts: GateFacts,
): GateResult {
  const outcome = check(facts);
  const { failure, obstacle } = outcome;
  const actual = outcome.actual ?? failure ?? obstacle ?? 'as expected';
  const verdict = decideGateVerdict(outcome);
  const result = { ...gate, verdict, expected: describeExpected(facts.target), actual };
  return verdict === 'error' && obstacle ? { ...result, reason: obstacle } : result;
}

/** Decides the verdict of a gate: `fail` if a part of its condition failed, even if the other parts could not be checked. */
function decideGateVerdict({ failure, obstacle }: GateOutcome): RunVerdict {
  if (failure !== undefined) return 'fail';
  return obstacle !== undefined ? 'error' : 'pass';
}

export function createCustomTestGate(tests: { title: string; failed: boolean }[]): GateResult | undefined {
  if (tests.length === 0) return undefined;
  const failedTitles = tests.filter(({ failed }) => failed).map(({ title }) => title);
  const hasFailed = failedTitles.length > 0;
  return {
    address: 'run/custom-tests',
    statement: "each of the team's own tests passes",
    section: 'docs/custom-tests.md',
    verdict: hasFailed ? 'fail' : 'pass',
    expected: `${formatCount(tests.length, 'custom test')} to pass`,
    actual: hasFailed ? `${failedTitles.length} failed: ${joinFirstLines(failedTitles)}` : 'as expected',
  };
}

export const endSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** Formats a gate that did not pass: "the gate run/coverage (MIN_COVERAGE) expected …; got …. See docs/configuration.md." */
export function describeGate({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  return `the gate ${name} expected ${expected}; got ${endSentence(actual)} See ${section}.`;
}
