import { counted } from '../../schemas/counted.ts';
import type { Target } from '../configuration/target.ts';
import type { Behaviour } from '../probes/behaviour.ts';
import type { Finding } from '../redaction/observation.ts';
import type { Coverage } from './coverage.ts';
import type { RequirementResult } from './evaluate.ts';
import { isComplete, type SweepSummary } from './swept.ts';
import type { RunVerdict } from './verdicts.ts';

/** What gates look at. */
export interface GateFacts {
  /** Whether there are results of this run, and nothing prevented it. */
  complete: boolean;
  /** What prevented it, or a part of it. */
  prevented: string[];
  results: RequirementResult[];
  coverage: Coverage;
  /** What was looked at beyond the ordinary requests. */
  sweeps: SweepSummary[];
  /** What became of the answers that were to be compared or recorded. */
  behaviour: Pick<Behaviour, 'comparable' | 'probed' | 'unrecorded'>;
  /** How many entries of the ledger for this target are in force. */
  checkedEntries: number;
  findings: Pick<Finding, 'kind' | 'requirement' | 'expected' | 'actual' | 'exchange' | 'ledger'>[];
}

/** What a gate has found. */
export interface GateOutcome {
  verdict: RunVerdict;
  expected: string;
  actual: string;
  /** Of an error, what prevented a verdict. */
  reason?: string;
  /** Where to read on, if that depends on what was found. */
  section?: string;
}

/** Looks at a run for one gate. */
export type GateCheck = (facts: GateFacts, target: Target) => GateOutcome;

/** The first of some lines, and how many there are. */
const few = (lines: string[]) =>
  lines.slice(0, 3).join('; ') + (lines.length > 3 ? `; and ${lines.length - 3} more` : '');

/** A gate that fails for each finding of a kind. @param line says what one of them is */
export const noFinding =
  (
    kind: Finding['kind'],
    expected: string,
    line: (finding: GateFacts['findings'][number]) => string,
  ): GateCheck =>
  ({ findings }) => {
    const own = findings.filter((finding) => finding.kind === kind);
    return {
      verdict: own.length > 0 ? 'fail' : 'pass',
      expected,
      actual: own.length > 0 ? few(own.map(line)) : 'as expected',
    };
  };

/** Entries that have ended are not checked: where all have, that is said. */
export const checkEntries =
  (check: GateCheck): GateCheck =>
  (facts, target) => ({
    ...check(facts, target),
    ...(facts.checkedEntries === 0 ? { actual: 'no entry in force: each has ended' } : {}),
  });

/** The target was reached. */
export const checkReached: GateCheck = (facts, { traffic }) => {
  const { complete, results, prevented } = facts;
  const blocked = results.find(({ verdict }) => verdict === 'blocked');
  const nothing = results.every((one) => one.exercised === 0);
  const reached = complete && !(blocked && nothing);
  const reason = few([...prevented, ...(blocked?.reason ? [blocked.reason] : [])]);
  const missing = nothing ? 'none' : 'not all';
  return {
    expected: 'responses of the API',
    ...(reached ? judgedBodies(facts) : erring(reason ? `${missing}: ${reason}` : missing, reason)),
    ...(traffic ? { section: 'docs/recorded-traffic.md' } : {}),
  };
};

const erring = (actual: string, reason: string) =>
  ({ verdict: 'error', actual, ...(reason ? { reason } : {}) }) as const;
const asExpected = { verdict: 'pass', actual: 'as expected' } as const;

/** Where no body was judged, as in a recording that left all of them out, a pass would mean nothing. */
function judgedBodies(facts: GateFacts): Omit<GateOutcome, 'expected'> {
  const isJudged = facts.coverage.nodes.exercised > 0 || isPart(facts);
  const isBroken = facts.results.some(({ verdict }) => verdict === 'violation');
  const none = 'no body that could be judged';
  return isJudged || isBroken ? asExpected : erring(none, none);
}

/** Shards that divide what is asked exercise the contract together. */
const isPart = ({ sweeps }: GateFacts) => sweeps.some(({ part }) => part !== undefined && part.total > 1);

/**
 * A gate that is an error where something has prevented its check, unless it has failed. Shards that divide what is asked
 * leave it to one.
 */
export const unlessPrevented =
  (reasonIn: (facts: GateFacts) => string | undefined, check: GateCheck): GateCheck =>
  (facts, target) => {
    const outcome = check(facts, target);
    const reason = outcome.verdict === 'fail' || isPart(facts) ? undefined : reasonIn(facts);
    return reason === undefined ? outcome : { ...outcome, ...erring(reason, reason) };
  };

/** What was to be recorded is. */
export const checkRecord = unlessPrevented(
  ({ behaviour }) => behaviour.unrecorded,
  () => ({ expected: 'the observed behaviour to be recorded', ...asExpected }),
);

/** So much of the contract was exercised as is demanded. */
export const checkCoverage: GateCheck = (facts, { minCoverage }) => ({
  verdict: facts.coverage.nodes.percentage >= minCoverage || isPart(facts) ? 'pass' : 'fail',
  expected: `at least ${minCoverage} % of schema nodes exercised`,
  actual: coverageText(facts.coverage),
});

const coverageText = ({ nodes: { percentage, missing } }: Coverage) =>
  missing.length > 0
    ? `${percentage} %; not exercised: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`
    : `${percentage} %`;

/** Each page of the sweeps was answered. */
export const checkSweep: GateCheck = ({ sweeps }) => {
  const lacking = sweeps.filter((sweep) => !isComplete(sweep));
  const reasons = lacking.map(
    ({ noun, stopped, blocked }) =>
      `${noun}: ${stopped ?? `${counted(blocked.length, 'range')} not looked at: ${blocked[0]?.reason}`}`,
  );
  const isWhole = lacking.length === 0 && sweeps.length > 0;
  const reason = few(reasons.length > 0 ? reasons : ['no sweep']);
  return {
    expected: 'an answer to each page of the sweep',
    ...(isWhole ? asExpected : erring(reason, reason)),
  };
};
