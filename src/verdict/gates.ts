import { type Entry, entryPlace } from '../../schemas/contract/ledger.ts';
import { counted } from '../../schemas/counted.ts';
import type { Target } from '../client/target.ts';
import type { Finding } from '../redact/observation.ts';
import { hasSweep } from '../sweep/shards.ts';
import { isComplete, type SweepSummary } from '../sweep/summary.ts';
import type { Coverage } from './coverage.ts';
import type { Results } from './results.ts';
import type { RunVerdict } from './verdicts.ts';

/** Something that is demanded of a run beside the contract. It is a test, and no requirement. */
export interface Gate {
  /** Such as `run/coverage`; tag of the test. */
  address: string;
  /** Title of the test. */
  statement: string;
  variable?: string;
  /** Where to read on: a file, and a heading of it. */
  section: string;
}

/** A gate with what a run says of it. */
export interface GateResult extends Gate {
  verdict: RunVerdict;
  expected: string;
  actual: string;
  reason?: string;
}

/** What gates look at. */
export interface GateFacts extends Pick<Results, 'requirementResults' | 'behaviour' | 'judgedBefore'> {
  target: Target;
  /** Whether there are results of this run, and nothing prevented it. */
  complete: boolean;
  /** What prevented it, or a part of it. */
  prevented: string[];
  coverage: Coverage;
  sweeps: SweepSummary[];
  /** Whether it is one of the shards that divide a sweep or recordings: they leave a gate to the merged run. */
  isShard: boolean;
  findings: Finding[];
}

/** What a gate has found: why it fails, or else what prevented it; `actual` where that is not what is said. */
interface Found {
  failed?: string | undefined;
  prevented?: string | undefined;
  actual?: string;
}

interface Check extends Gate {
  isSet(target: Target, ledger: Entry[]): boolean;
  expected(target: Target): string;
  find(facts: GateFacts): Found;
}

/** The first of some lines, and how many there are; undefined of none. */
const few = (lines: string[]): string | undefined => {
  const { length: others } = lines.slice(3);
  return [...lines.slice(0, 3), ...(others ? [`and ${others} more`] : [])].join('; ') || undefined;
};

/** How a finding is said that is about no requirement of one response. */
const said = {
  stale: ({ requirement, ledger = { line: 0 } }) => `none for ${requirement} (${entryPlace(ledger)})`,
  'server error': ({ exchange, actual }) => `${exchange}: ${actual}`,
  drift: ({ exchange, expected, actual }) => `${exchange}: was "${expected}", is "${actual}"`,
} satisfies Partial<Record<Finding['kind'], (finding: Finding) => string>>;

/** The findings of such a kind, each in a line. */
export const linesOf = ({ findings }: { findings: Finding[] }, kind: keyof typeof said): string[] =>
  findings.filter((finding) => finding.kind === kind).map(said[kind]);

/** Where no body was judged, as in a recording that left all of them out, a pass would mean nothing. */
function findTarget({ complete, requirementResults, prevented, coverage, isShard }: GateFacts): Found {
  const blocked = requirementResults.find(({ verdict }) => verdict === 'blocked');
  const isNothing = requirementResults.every((one) => one.exercised === 0);
  if (!complete || (blocked && isNothing)) {
    const reason =
      few([...prevented, ...(blocked?.reason ? [blocked.reason] : [])]) ?? 'the run could not begin';
    return { prevented: reason, actual: `${isNothing ? 'none' : 'not all'}: ${reason}` };
  }
  const isBroken = requirementResults.some(({ verdict }) => verdict === 'violation');
  const isJudged = coverage.nodes.exercised > 0 || isShard || isBroken;
  return isJudged ? {} : { prevented: 'no body that could be judged' };
}

function findCoverage({ coverage, target, isShard }: GateFacts): Found {
  const { percentage, missing } = coverage.nodes;
  const actual = `${percentage} %${missing.length > 0 ? `; not exercised: ${few(missing)}` : ''}`;
  if (coverage.nodes.exercised === 0 && !isShard) return { prevented: 'nothing was judged' };
  return { actual, failed: percentage >= target.minCoverage || isShard ? undefined : actual };
}

/** Operations of which no response was judged, and requirements that an earlier run has judged, and none since. */
function findUnjudged({ requirementResults, judgedBefore = [], isShard }: GateFacts): Found {
  if (isShard) return {};
  const without = requirementResults.filter(({ verdict }) => verdict === 'not exercised');
  const operations = new Map(without.map(({ operation, reason }) => [operation, reason]));
  for (const { operation, verdict } of requirementResults)
    if (verdict !== 'not exercised') operations.delete(operation);
  const lost = without.filter(
    ({ address, operation }) => judgedBefore.includes(address) && !operations.has(operation),
  );
  const reasons = [...new Set(lost.map(({ reason }) => reason))];
  const lostBy = (why: string | undefined) =>
    few(lost.filter(({ reason }) => reason === why).map(({ address }) => address));
  return {
    failed: few([
      ...[...operations].map(([operation, reason]) => `none of ${operation}: ${reason}`),
      ...reasons.map((reason) => `none of ${lostBy(reason)}, unlike an earlier run: ${reason}`),
    ]),
  };
}

function findSweep({ sweeps, requirementResults }: GateFacts): Found {
  // As of a list that shows records to requests with another parameter only.
  const isBeside = ({ operation, judged }: SweepSummary) =>
    judged === 0 &&
    requirementResults.some(
      (one) => one.operation === operation && one.place.endsWith('/*') && one.exercised > 0,
    );
  const empty = sweeps.filter(isBeside).map(({ noun }) => `${noun}: none, though other requests show some`);
  const reasons = sweeps
    .filter((sweep) => !isComplete(sweep))
    .map(
      ({ noun, stopped, blocked }) =>
        `${noun}: ${stopped ?? `${counted(blocked.length, 'range')} not looked at: ${blocked[0]?.reason}`}`,
    );
  return { prevented: few(sweeps.length === 0 ? ['no sweep'] : [...reasons, ...empty]) };
}

const aboutQuestions = 'docs/testers.md, "What the contract does not say"';

/** Each gate, when it is set, and how it is checked. */
const gates: Check[] = [
  {
    address: 'run/target',
    statement: 'the target is reached, and answers like the API',
    section: 'docs/configuration.md',
    isSet: () => true,
    expected: () => 'responses of the API',
    find: findTarget,
  },
  {
    address: 'run/coverage',
    statement: 'enough schema nodes are exercised',
    variable: 'MIN_COVERAGE',
    section: 'docs/configuration.md',
    isSet: ({ minCoverage }) => minCoverage > 0,
    expected: ({ minCoverage }) => `at least ${minCoverage} % of schema nodes exercised`,
    find: findCoverage,
  },
  {
    address: 'run/judged',
    statement: 'each operation was judged, and all that an earlier run has judged',
    variable: 'FAIL_ON=unjudged',
    section: 'docs/configuration.md',
    isSet: ({ failOn }) => failOn.includes('unjudged'),
    expected: () =>
      'a judged response of each operation, and of all that an earlier run has judged (as usual where CI is set; FAIL_ON=-unjudged allows less)',
    find: findUnjudged,
  },
  {
    address: 'run/sweep',
    statement: 'the sweep judged every record that it was to judge',
    variable: 'SWEEP',
    section: 'docs/sweep.md',
    isSet: hasSweep,
    expected: () => 'an answer to each page of the sweep',
    find: findSweep,
  },
  {
    address: 'run/ledger',
    statement: 'each entry of the ledger for this target still tolerates a deviation',
    section: 'docs/testers.md, "Tolerate a deviation"',
    // Entries that have ended count: the tests of a run are the same before and after the last day of one.
    isSet: ({ name, profile }, ledger) =>
      profile !== 'documented' && ledger.some(({ target }) => target === name),
    expected: () => 'a deviation for each entry (npm run accept -- --remove takes out the others)',
    find: (facts) => ({ failed: few(linesOf(facts, 'stale')) }),
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON=server-errors',
    section: aboutQuestions,
    isSet: ({ failOn }) => failOn.includes('server-errors'),
    expected: () => 'no server error on bad input',
    find: (facts) => ({
      failed: few(linesOf(facts, 'server error')),
      prevented:
        facts.behaviour?.probed === 0 && !facts.isShard
          ? 'no request with bad input was answered, which PROBES=on sends'
          : undefined,
    }),
  },
  {
    address: 'run/drift',
    statement: 'behaviour is as it was recorded',
    variable: 'FAIL_ON=drift',
    section: aboutQuestions,
    // What is recorded instead is compared with nothing.
    isSet: ({ failOn, record }) => failOn.includes('drift') && !record,
    expected: () => 'behaviour as it was recorded',
    find: (facts) => ({
      failed: few(linesOf(facts, 'drift')),
      prevented:
        facts.behaviour?.comparable === 0 && !facts.isShard
          ? 'no recorded answer that this run can be compared with: PROBES=record writes them'
          : undefined,
    }),
  },
  {
    address: 'run/record',
    statement: 'the observed behaviour is recorded',
    variable: 'PROBES=record',
    section: aboutQuestions,
    isSet: ({ record }) => record,
    expected: () => 'the observed behaviour to be recorded',
    find: ({ behaviour, isShard }) => ({ prevented: isShard ? undefined : behaviour?.unrecorded }),
  },
];

/** The gates that are configured for a target. */
export const gatesFor = (target: Target, ledger: Entry[]): Check[] =>
  gates.filter(({ isSet }) => isSet(target, ledger));

/** What a run says of a gate. */
export function evaluateGate({ isSet: _, expected, find, ...gate }: Check, facts: GateFacts): GateResult {
  const { failed, prevented, actual = failed ?? prevented ?? 'as expected' } = find(facts);
  const verdict = failed !== undefined ? 'fail' : prevented !== undefined ? 'error' : 'pass';
  const reason = verdict === 'error' && prevented ? { reason: prevented } : {};
  return { ...gate, verdict, expected: expected(facts.target), actual, ...reason };
}

/** Returns the gate that each test of the team's own passes, if any ran. */
export function customTestGate(tests: { title: string; failed: boolean }[]): GateResult[] {
  if (tests.length === 0) return [];
  const failed = tests.filter((test) => test.failed).map(({ title }) => title);
  return [
    {
      address: 'run/custom-tests',
      statement: "each of the team's own tests passes",
      section: 'docs/testers.md, "Your own tests"',
      verdict: failed.length > 0 ? 'fail' : 'pass',
      expected: `${counted(tests.length, 'custom test')} to pass`,
      actual: failed.length > 0 ? `${failed.length} failed: ${few(failed)}` : 'as expected',
    },
  ];
}

/** A gate that did not pass, in one sentence: what was expected, what was found, where to read on. */
export function gateSentence({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  const stop = /[.?!]$/.test(actual) ? '' : '.';
  return `the gate ${name} expected ${expected}; got ${actual}${stop} See ${section}.`;
}
