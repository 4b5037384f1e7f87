import { entryPlace } from '../../schemas/contract/ledger.ts';
import { counted } from '../../schemas/counted.ts';
import type { Target } from '../client/target.ts';
import type { Behaviour } from '../questions/behaviour.ts';
import type { Finding } from '../redact/observation.ts';
import { hasSweep } from '../sweep/shards.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import type { Coverage } from './coverage.ts';
import type { RequirementResult } from './evaluate.ts';
import type { RunVerdict } from './verdicts.ts';

/** Something that is demanded of a run beside the contract. It is a test, and no requirement. */
export interface Gate {
  /** Such as `run/coverage`; tag of the test. */
  address: string;
  /** Title of the test. */
  statement: string;
  /** The environment variable that sets it. */
  variable?: string;
  /** Where to read on: a file, and a heading of it. */
  section: string;
}

/** A gate with what a run says of it. */
export type GateResult = Gate & GateOutcome;

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
  /** Whether it is one of the shards that divide a sweep or recordings: they leave a gate to the merged run. */
  isShard: boolean;
  /** What became of the answers that were to be compared or recorded. */
  behaviour: Pick<Behaviour, 'comparable' | 'probed' | 'unrecorded'>;
  /** How many entries of the ledger for this target are in force. */
  checkedEntries: number;
  findings: Pick<Finding, 'kind' | 'requirement' | 'expected' | 'actual' | 'exchange' | 'ledger'>[];
}

/** What a gate has found. */
interface GateOutcome {
  verdict: RunVerdict;
  expected: string;
  actual: string;
  /** Of an error, what prevented a verdict. */
  reason?: string;
  /** Where to read on, if that depends on what was found. */
  section?: string;
}

/** Looks at a run for one gate. */
type GateCheck = (facts: GateFacts, target: Target) => GateOutcome;

const erring = (actual: string, reason: string) =>
  ({ verdict: 'error', actual, ...(reason ? { reason } : {}) }) as const;
const asExpected = { verdict: 'pass', actual: 'as expected' } as const;

/** The first of some lines, and how many there are. */
const few = (lines: string[]) =>
  lines.slice(0, 3).join('; ') + (lines.length > 3 ? `; and ${lines.length - 3} more` : '');

/** A gate that fails for each finding of a kind. @param line says what one of them is */
function noFinding(
  { findings }: GateFacts,
  kind: Finding['kind'],
  expected: string,
  line: (finding: GateFacts['findings'][number]) => string,
): GateOutcome {
  const own = findings.filter((finding) => finding.kind === kind).map(line);
  return { expected, ...(own.length > 0 ? { verdict: 'fail', actual: few(own) } : asExpected) };
}

/** A check that is an error where something has prevented it, unless it has failed. */
function unlessPrevented(facts: GateFacts, prevented: string | undefined, outcome: GateOutcome): GateOutcome {
  const isPrevented = prevented !== undefined && outcome.verdict !== 'fail' && !facts.isShard;
  return isPrevented ? { ...outcome, ...erring(prevented, prevented) } : outcome;
}

const checkReached: GateCheck = (facts, { traffic }) => {
  const { complete, results, prevented } = facts;
  const blocked = results.find(({ verdict }) => verdict === 'blocked');
  const nothing = results.every((one) => one.exercised === 0);
  const reason = few([...prevented, ...(blocked?.reason ? [blocked.reason] : [])]);
  const missing = nothing ? 'none' : 'not all';
  return {
    expected: 'responses of the API',
    ...(complete && !(blocked && nothing)
      ? judgedBodies(facts)
      : erring(reason ? `${missing}: ${reason}` : missing, reason)),
    ...(traffic ? { section: 'docs/recorded-traffic.md' } : {}),
  };
};

/** Where no body was judged, as in a recording that left all of them out, a pass would mean nothing. */
function judgedBodies(facts: GateFacts): Omit<GateOutcome, 'expected'> {
  const isJudged = facts.coverage.nodes.exercised > 0 || facts.isShard;
  const isBroken = facts.results.some(({ verdict }) => verdict === 'violation');
  const none = 'no body that could be judged';
  return isJudged || isBroken ? asExpected : erring(none, none);
}

const checkCoverage: GateCheck = (facts, { minCoverage }) => {
  const { percentage, missing } = facts.coverage.nodes;
  const more = missing.length > 5 ? ', …' : '';
  return {
    verdict: percentage >= minCoverage || facts.isShard ? 'pass' : 'fail',
    expected: `at least ${minCoverage} % of schema nodes exercised`,
    actual:
      missing.length > 0
        ? `${percentage} %; not exercised: ${missing.slice(0, 5).join(', ')}${more}`
        : `${percentage} %`,
  };
};

const checkSweep: GateCheck = ({ sweeps }) => {
  const reasons = sweeps
    .filter((sweep) => !isComplete(sweep))
    .map(
      ({ noun, stopped, blocked }) =>
        `${noun}: ${stopped ?? `${counted(blocked.length, 'range')} not looked at: ${blocked[0]?.reason}`}`,
    );
  const reason = few(reasons.length > 0 ? reasons : ['no sweep']);
  const isWhole = reasons.length === 0 && sweeps.length > 0;
  return {
    expected: 'an answer to each page of the sweep',
    ...(isWhole ? asExpected : erring(reason, reason)),
  };
};

/** Entries that have ended are not checked: where all have, that is said. */
const checkEntries: GateCheck = (facts) => ({
  ...noFinding(
    facts,
    'stale',
    'a deviation for each entry',
    ({ requirement, ledger = { line: 0 } }) =>
      `none for ${requirement} (${entryPlace(ledger)}): remove the entry`,
  ),
  ...(facts.checkedEntries === 0 ? { actual: 'no entry in force: each has ended' } : {}),
});

const checkServerErrors: GateCheck = (facts) =>
  unlessPrevented(
    facts,
    facts.behaviour.probed === 0 ? 'no request with bad input was answered' : undefined,
    noFinding(
      facts,
      'server error',
      'no server error on bad input',
      ({ exchange, actual }) => `${exchange}: ${actual}`,
    ),
  );

const checkDrift: GateCheck = (facts) =>
  unlessPrevented(
    facts,
    facts.behaviour.comparable === 0 ? 'no recorded answer that this run can be compared with' : undefined,
    noFinding(
      facts,
      'drift',
      'behaviour as it was recorded',
      ({ exchange, expected, actual }) => `${exchange}: was "${expected}", is "${actual}"`,
    ),
  );

const checkRecord: GateCheck = (facts) =>
  unlessPrevented(facts, facts.behaviour.unrecorded, {
    expected: 'the observed behaviour to be recorded',
    ...asExpected,
  });

const aboutQuestions = 'docs/testers.md, "What the contract does not say"';

/** Each gate, when it is set, and how it is checked. @param ownEntries how many entries of the ledger are for the target alone */
const gates: (Gate & { isSet(target: Target, ownEntries: number): boolean; check: GateCheck })[] = [
  {
    address: 'run/target',
    statement: 'the target is reached, and answers like the API',
    section: 'docs/configuration.md',
    isSet: () => true,
    check: checkReached,
  },
  {
    address: 'run/coverage',
    statement: 'enough schema nodes are exercised',
    variable: 'MIN_COVERAGE',
    section: 'docs/configuration.md',
    isSet: ({ minCoverage }) => minCoverage > 0,
    check: checkCoverage,
  },
  {
    address: 'run/sweep',
    statement: 'the sweep judged every record that it was to judge',
    variable: 'SWEEP',
    section: 'docs/sweep.md',
    isSet: hasSweep,
    check: checkSweep,
  },
  {
    address: 'run/ledger',
    statement: 'each entry of the ledger for this target still tolerates a deviation',
    section: 'docs/testers.md, "Tolerate a deviation"',
    isSet: (_, ownEntries) => ownEntries > 0,
    check: checkEntries,
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON=server-errors',
    section: aboutQuestions,
    isSet: ({ failOnServerError }) => failOnServerError,
    check: checkServerErrors,
  },
  {
    address: 'run/drift',
    statement: 'behaviour is as it was recorded',
    variable: 'FAIL_ON=drift',
    section: aboutQuestions,
    // What is recorded instead is compared with nothing.
    isSet: ({ failOnDrift, record }) => failOnDrift && !record,
    check: checkDrift,
  },
  {
    address: 'run/record',
    statement: 'the observed behaviour is recorded',
    variable: 'RECORD',
    section: aboutQuestions,
    isSet: ({ record }) => record,
    check: checkRecord,
  },
];

/** The gates that are configured for a target. */
export const gatesFor = (target: Target, ownEntries: number): Gate[] =>
  gates.filter(({ isSet }) => isSet(target, ownEntries));

/** What a run says of the gates that were selected. */
export const evaluateGates = (
  target: Target,
  ownEntries: number,
  addresses: ReadonlySet<string>,
  facts: GateFacts,
): GateResult[] =>
  gates
    .filter(({ address, isSet }) => isSet(target, ownEntries) && addresses.has(address))
    .map(({ isSet: _, check, ...gate }) => ({ ...gate, ...check(facts, target) }));

/** A gate that did not pass, in one sentence: what was expected, what was found, where to read on. */
export function gateSentence({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  const stop = /[.?!]$/.test(actual) ? '' : '.';
  return `the gate ${name} expected ${expected}; got ${actual}${stop} See ${section}.`;
}
