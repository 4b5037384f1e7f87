import { formatLedgerLocation, type LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatCount } from '../../schemas/counted.ts';
import { groupBy } from '../../schemas/group-by.ts';
import { hasIdentifiers, type Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import { hasSweep } from '../sweep/shards.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import type { Coverage } from './coverage.ts';
import type { RequirementResult, Results } from './results.ts';
import { hasJudged, type RunVerdict } from './verdicts.ts';

/**
 * Condition that a whole run must meet, such as `MIN_COVERAGE=90`. Reports show a gate like a requirement, with an address such as
 * `run/coverage`.
 */
export interface Gate {
  address: string;
  statement: string;
  /** Setting that switches the gate on, such as `MIN_COVERAGE` or `FAIL_ON=drift`. Undefined if the gate needs no setting. */
  variable?: string;
  /** Page of the documentation, such as `docs/sweep.md`. A heading may follow: `docs/testers.md, "Tolerate a deviation"`. */
  section: string;
}

export interface GateResult extends Gate {
  verdict: RunVerdict;
  expected: string;
  actual: string;
  reason?: string;
}

export interface GateFacts extends Pick<Results, 'requirementResults' | 'behaviour' | 'judgedBefore'> {
  target: Target;
  complete: boolean;
  problems: string[];
  coverage: Coverage;
  sweeps: SweepSummary[];
  isShard: boolean;
  /** Findings of the kinds `stale`, `server error` and `drift`. */
  findings: Finding[];
}

/** Outcome of the check of a gate. The gate passes if neither `failure` nor `obstacle` is set. */
interface GateOutcome {
  failure?: string | undefined;
  /** Reason why the condition could not be checked. */
  obstacle?: string | undefined;
  /**
   * Received value for reports, such as "100 %". The default is `failure`. If `failure` is not set, the default is `obstacle`. If
   * neither is set, the default is "as expected".
   */
  actual?: string;
}

interface GateCheck extends Gate {
  isSet(target: Target, ledger: LedgerEntry[]): boolean;
  describeExpected(target: Target): string;
  check(facts: GateFacts): GateOutcome;
}

const joinFirstTexts = (texts: string[], separator = '; '): string | undefined => {
  const firstTexts = texts.slice(0, 3);
  const otherCount = texts.length - firstTexts.length;
  const parts = otherCount > 0 ? [...firstTexts, `and ${otherCount} more`] : firstTexts;
  return parts.join(separator) || undefined;
};

const findingFormatters = {
  // Reports print "expected a deviation for each entry …; got none for getCard/code (spec/ledger.yaml, line 30)".
  stale: ({ requirement, ledger }) => `none for ${requirement} (${ledger && formatLedgerLocation(ledger)})`,
  'server error': ({ exchange, actual }) => `${exchange}: ${actual}`,
  drift: ({ question, expected, actual }) => `${question}: was "${expected}", is "${actual}"`,
} satisfies Partial<Record<Finding['kind'], (finding: Finding) => string>>;

/** Formats the findings of one kind as texts. A finding of the kind `drift` becomes `offset-unit: was "records", is "pages"`. */
export const formatFindings = (
  { findings }: { findings: Finding[] },
  kind: keyof typeof findingFormatters,
): string[] => {
  const findingsOfKind = findings.filter((finding) => finding.kind === kind);
  return findingsOfKind.map(findingFormatters[kind]);
};

function checkTarget({ complete, requirementResults, problems, coverage, isShard }: GateFacts): GateOutcome {
  const blockedResult = requirementResults.find(isBlocked);
  const isNothingJudged = requirementResults.every((result) => result.exercised === 0);
  const isEverythingBlocked = blockedResult !== undefined && isNothingJudged;
  if (!complete || isEverythingBlocked) {
    const reasons = blockedResult?.reason ? [...problems, blockedResult.reason] : problems;
    const reason = joinFirstTexts(reasons) ?? 'the run could not begin';
    // Reports print "expected responses of the API; got none: …".
    const receivedText = isNothingJudged ? 'none' : 'not all';
    return { obstacle: reason, actual: `${receivedText}: ${reason}` };
  }
  // The other shards may have judged all bodies.
  if (isShard) return {};
  // A violation is a verdict even without a body.
  const hasViolation = requirementResults.some(({ verdict }) => verdict === 'violation');
  const isAnyBodyJudged = coverage.nodes.exercised > 0;
  return hasViolation || isAnyBodyJudged ? {} : { obstacle: 'no body that could be judged' };
}

// Reports print "expected at least 90 % of schema nodes exercised; got no judged response".
const nothingJudged = 'no judged response';

function checkCoverage({ coverage, target, isShard }: GateFacts): GateOutcome {
  const { percentage, missing, exercised } = coverage.nodes;
  const missingText = missing.length > 0 ? `; not exercised: ${joinFirstTexts(missing)}` : '';
  const actual = `${percentage} %${missingText}`;
  // The responses of the other shards count, too.
  if (isShard) return { actual };
  if (exercised === 0) return { obstacle: nothingJudged };
  const isEnough = percentage >= target.minCoverage;
  return isEnough ? { actual } : { actual, failure: actual };
}

/**
 * Checks that the run has judged each operation, and each requirement in `judgedBefore`.
 * - An unjudged operation is a `failure`. If a requirement of the operation is blocked, the operation is an `obstacle` instead.
 * - In a judged operation, a requirement in `judgedBefore` is a `failure` if its verdict is `not exercised`.
 * - If the run has judged nothing and a requirement is blocked, the only outcome is an `obstacle`.
 *
 * In a shard, the gate always passes, because the other shards may judge the rest. If `target` lacks identifiers for an unjudged
 * operation, `failure` or `obstacle` says which variable to set: `set CARD_IDS`.
 */
function checkUnjudged({ target, requirementResults, judgedBefore = [], isShard }: GateFacts): GateOutcome {
  // The other shards may have judged the rest.
  if (isShard) return {};
  // The gate `run/target` says why. This gate must not fail for an operation that got no request because the list is blocked.
  const isTargetBlocked = requirementResults.some(isBlocked) && !hasJudged(requirementResults);
  if (isTargetBlocked) return { obstacle: nothingJudged };
  const resultsByOperation = groupBy(requirementResults, ({ operation }) => operation);
  const unjudgedOperations = [...resultsByOperation.values()].filter((results) => !hasJudged(results));
  // The target may be down, so that a blocked operation is an error instead of a failure.
  const blockedOperations = unjudgedOperations.filter((results) => results.some(isBlocked));
  const unexercisedOperations = unjudgedOperations.filter((results) => !results.some(isBlocked));
  // The sentence about a whole operation covers its requirements.
  const coveredResults = unjudgedOperations.flat();
  const lostResults = requirementResults.filter((result) => {
    const isLost = result.verdict === 'not exercised' && judgedBefore.includes(result.address);
    return isLost && !coveredResults.includes(result);
  });
  const describeOperation = (results: OperationResults) => describeUnjudged(target, results);
  const failures = [...unexercisedOperations.map(describeOperation), ...describeLostResults(lostResults)];
  return {
    failure: joinFirstTexts(failures),
    obstacle: joinFirstTexts(blockedOperations.map(describeOperation)),
  };
}

type OperationResults = [RequirementResult, ...RequirementResult[]];

const isBlocked = ({ verdict }: RequirementResult) => verdict === 'blocked';

function describeUnjudged(target: Target, results: OperationResults): string {
  const [{ operation }] = results;
  // If no requirement is blocked, all are `not exercised`, and the last one has a reason, too.
  const { reason } = results.find(isBlocked) ?? results.at(-1) ?? {};
  return `no response of ${operation} judged: ${reason}${formatIdentifierAdvice(target, results)}`;
}

function describeLostResults(lostResults: RequirementResult[]): string[] {
  const resultsByReason = groupBy(lostResults, ({ reason = '' }) => reason);
  return [...resultsByReason].map(([reason, results]) => {
    const addresses = joinFirstTexts(
      results.map(({ address }) => address),
      ', ',
    );
    const pronoun = results.length > 1 ? 'them' : 'it';
    return `no verdict on ${addresses}, although an earlier run judged ${pronoun}: ${reason}`;
  });
}

function formatIdentifierAdvice(target: Target, results: OperationResults): string {
  const unsetVariables = new Set<string>();
  for (const result of results) {
    if (result.kind !== 'parameter') continue;
    const variable = result.parameter['x-identifiers'];
    if (variable !== undefined && !hasIdentifiers(target, variable)) unsetVariables.add(variable);
  }
  return unsetVariables.size > 0 ? `; set ${[...unsetVariables].join(', ')}` : '';
}

function checkSweep({ sweeps, requirementResults, isShard }: GateFacts): GateOutcome {
  if (sweeps.length === 0) return { obstacle: 'no sweep' };
  const incompleteSweeps = sweeps.filter((sweep) => !isComplete(sweep));
  // The list may show records only with `linked_source_type`, which a sweep does not send (contract section 4.2).
  const isWronglyEmpty = ({ judged: judgedCount, operation, stopped: stopReason }: SweepSummary) =>
    stopReason === undefined && judgedCount === 0 && hasReceivedListElement(requirementResults, operation);
  // The sweep of a shard may be empty, because the other shards sweep the other records.
  const wronglyEmptySweeps = isShard ? [] : sweeps.filter(isWronglyEmpty);
  const sentences = [
    ...incompleteSweeps.map(describeIncompleteSweep),
    ...wronglyEmptySweeps.map(({ noun }) => `${noun}: the sweep received none, although other requests did`),
  ];
  return { obstacle: joinFirstTexts(sentences) };
}

const hasReceivedListElement = (requirementResults: RequirementResult[], listOperation: string): boolean =>
  requirementResults.some(({ operation, pointer, exercised }) => {
    const isListElement = operation === listOperation && pointer.endsWith('/*');
    return isListElement && exercised > 0;
  });

function describeIncompleteSweep({
  noun,
  stopped: stopReason,
  blocked: blockedRanges,
}: SweepSummary): string {
  if (stopReason !== undefined) return `${noun}: ${stopReason}`;
  const rangesText = formatCount(blockedRanges.length, 'range');
  return `${noun}: ${rangesText} not judged: ${blockedRanges[0]?.reason}`;
}

// The reports of a merge do not know whether its shards sent probes, so that both cases have one sentence.
const noResponseToBadInput = 'no response to bad input, which is sent only with PROBES=on';

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
    // A recording may lack the record that deviates.
    isSet: ({ name, profile, traffic }, ledger) =>
      profile !== 'documented' && !traffic && ledger.some(({ target }) => target === name),
    describeExpected: () => 'a deviation for each entry (npm run accept -- --remove removes the others)',
    check: (facts) => ({ failure: joinFirstTexts(formatFindings(facts, 'stale')) }),
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON=server-errors',
    section: questionsSection,
    isSet: ({ failOn }) => failOn.includes('server-errors'),
    describeExpected: () => 'no server error on bad input',
    check: (facts) => ({
      failure: joinFirstTexts(formatFindings(facts, 'server error')),
      obstacle: facts.behaviour?.probed === 0 && !facts.isShard ? noResponseToBadInput : undefined,
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
      failure: joinFirstTexts(formatFindings(facts, 'drift')),
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
  const { failure, obstacle, actual = failure ?? obstacle ?? 'as expected' } = outcome;
  const verdict = decideGateVerdict(outcome);
  const expected = describeExpected(facts.target);
  const result = { ...gate, verdict, expected, actual };
  return verdict === 'error' && obstacle ? { ...result, reason: obstacle } : result;
}

function decideGateVerdict({ failure, obstacle }: GateOutcome): RunVerdict {
  // A part of the condition failed. The result is certain, even if an obstacle prevented the check of another part.
  if (failure !== undefined) return 'fail';
  if (obstacle !== undefined) return 'error';
  return 'pass';
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
    actual: hasFailed ? `${failedTitles.length} failed: ${failedTitles.join('; ')}` : 'as expected',
  };
}

export const endSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/**
 * Formats a sentence about a gate that did not pass: "the gate run/server-errors (FAIL_ON=server-errors) expected no server error
 * on bad input; got GET /…/customers?limit=-1: HTTP 500. See docs/open-questions.md."
 */
export function describeGate({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  return `the gate ${name} expected ${expected}; got ${endSentence(actual)} See ${section}.`;
}
