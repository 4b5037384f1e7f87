import type { Finding } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import type { Coverage } from './coverage.ts';
import type { RequirementResult } from './evaluate.ts';
import { counted } from './extent.ts';
import { placeOf } from './ledger-use.ts';
import { isComplete, type SweepSummary } from './swept.ts';
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
export interface GateResult extends Gate {
  verdict: RunVerdict;
  expected: string;
  actual: string;
}

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
  findings: Pick<Finding, 'kind' | 'requirement' | 'expected' | 'actual' | 'exchange' | 'ledger'>[];
}

type Check = (
  facts: GateFacts,
  target: Target,
) => Pick<GateResult, 'verdict' | 'expected' | 'actual'> & Partial<Pick<Gate, 'section'>>;

interface CheckedGate extends Gate {
  isSet(target: Target, checkedEntries: number): boolean;
  check: Check;
}

/** The first of some lines, and how many there are. */
const few = (lines: string[]) =>
  lines.slice(0, 3).join('; ') + (lines.length > 3 ? `; and ${lines.length - 3} more` : '');

/** No finding of a kind. */
const without =
  (
    kind: Finding['kind'],
    expected: string,
    line: (finding: GateFacts['findings'][number]) => string,
  ): Check =>
  ({ findings }) => {
    const own = findings.filter((finding) => finding.kind === kind);
    return {
      verdict: own.length > 0 ? 'fail' : 'pass',
      expected,
      actual: own.length > 0 ? few(own.map(line)) : 'as expected',
    };
  };

const checkReached: Check = (facts, { traffic }) => {
  const { complete, results, prevented } = facts;
  const blocked = results.find(({ verdict }) => verdict === 'blocked');
  const nothing = results.every((one) => one.exercised === 0);
  const reached = complete && !(blocked && nothing);
  const reasons = [...prevented, ...(blocked?.reason ? [blocked.reason] : [])];
  const why = reasons.length > 0 ? `: ${few(reasons)}` : '';
  const missing = reached ? withoutBody(facts) : `${nothing ? 'none' : 'not all'}${why}`;
  return {
    verdict: missing ? 'error' : 'pass',
    expected: 'responses of the API',
    actual: missing ?? 'as expected',
    ...(traffic ? { section: 'docs/recorded-traffic.md' } : {}),
  };
};

/** Where no body was judged, as in a recording that left all of them out, a pass would mean nothing. */
function withoutBody(facts: GateFacts): string | undefined {
  const isJudged = facts.coverage.nodes.exercised > 0 || isPart(facts);
  const isBroken = facts.results.some(({ verdict }) => verdict === 'violation');
  return isJudged || isBroken ? undefined : 'no body that could be judged';
}

/** Shards that divide what is asked exercise the contract together. */
const isPart = ({ sweeps }: GateFacts) => sweeps.some(({ part }) => part !== undefined && part.total > 1);

const checkCoverage: Check = (facts, { minCoverage }) => ({
  verdict: facts.coverage.nodes.percentage >= minCoverage || isPart(facts) ? 'pass' : 'fail',
  expected: `at least ${minCoverage} % of schema nodes exercised`,
  actual: coverageText(facts.coverage),
});

const coverageText = ({ nodes: { percentage, missing } }: Coverage) =>
  missing.length > 0
    ? `${percentage} %; not exercised: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`
    : `${percentage} %`;

const checkSweep: Check = ({ sweeps }) => {
  const lacking = sweeps.filter((sweep) => !isComplete(sweep));
  const reasons = lacking.map(
    ({ noun, stopped, blocked }) =>
      `${noun}: ${stopped ?? `${counted(blocked.length, 'range')} without an answer`}`,
  );
  const isWhole = lacking.length === 0 && sweeps.length > 0;
  return {
    verdict: isWhole ? 'pass' : 'error',
    expected: 'an answer to each page of the sweep',
    actual: isWhole ? 'as expected' : few(reasons.length > 0 ? reasons : ['no sweep']),
  };
};

const gates: CheckedGate[] = [
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
    statement: 'the sweep has looked at all that it was to look at',
    variable: 'SWEEP',
    section: 'docs/sweep.md',
    isSet: ({ sweep, identifierFiles }) => sweep !== 'off' || Object.keys(identifierFiles).length > 0,
    check: checkSweep,
  },
  {
    address: 'run/ledger',
    statement: 'each entry of the ledger for this target still tolerates a deviation',
    section: 'docs/testers.md, "Tolerate a deviation"',
    isSet: (_, checkedEntries) => checkedEntries > 0,
    check: without(
      'stale',
      'a deviation for each entry',
      ({ requirement, ledger = { line: 0 } }) =>
        `none for ${requirement} (${placeOf(ledger)}): remove the entry`,
    ),
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON_SERVER_ERROR',
    section: 'docs/testers.md, "What the contract does not say"',
    isSet: ({ failOnServerError }) => failOnServerError,
    check: without(
      'server error',
      'no server error on bad input',
      ({ exchange, actual }) => `${exchange}: ${actual}`,
    ),
  },
  {
    address: 'run/drift',
    statement: 'behaviour is as it was recorded',
    variable: 'FAIL_ON_DRIFT',
    section: 'docs/testers.md, "What the contract does not say"',
    isSet: ({ failOnDrift }) => failOnDrift,
    check: without(
      'drift',
      'behaviour as it was recorded',
      ({ exchange, expected, actual }) => `${exchange}: was "${expected}", is "${actual}"`,
    ),
  },
];

/** The gates that are configured for a target; `checkedEntries` of the ledger may become stale. */
export const gatesFor = (target: Target, checkedEntries: number): Gate[] =>
  configured(target, checkedEntries);

/** What a run says of the gates that were selected. */
export function evaluateGates(
  target: Target,
  checkedEntries: number,
  addresses: ReadonlySet<string>,
  facts: GateFacts,
): GateResult[] {
  return configured(target, checkedEntries)
    .filter(({ address }) => addresses.has(address))
    .map(({ isSet: _, check, ...gate }) => ({ ...gate, ...check(facts, target) }));
}

const configured = (target: Target, checkedEntries: number) =>
  gates.filter(({ isSet }) => isSet(target, checkedEntries));

/** A gate that did not pass, in one sentence: what was expected, what was found, where to read on. */
export function gateSentence({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  const stop = /[.?!]$/.test(actual) ? '' : '.';
  return `the gate ${name} expected ${expected}; got ${actual}${stop} See ${section}.`;
}
