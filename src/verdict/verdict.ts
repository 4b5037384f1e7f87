import { hash } from 'node:crypto';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatTimes } from '../../schemas/counted.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Shard, Target } from '../client/target.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { joinLines } from '../redact/printable.ts';
import { isComplete, type SweepSummary, summarizeSweep } from '../sweep/summary.ts';
import { type Coverage, computeCoverage } from './coverage.ts';
import { createCustomTestGate, evaluateGate, type GateFacts, type GateResult, selectGates } from './gates.ts';
import { formatExpiredNotes, listStaleFindings, selectEntriesInForce } from './ledger-use.ts';
import type { RequirementResult, Results } from './results.ts';
import { hasJudged, type RunVerdict } from './verdicts.ts';

/** Facts by which `concludeRun` decides the verdict of a run. */
export interface RunInput {
  contract: Contract;
  target: Target;
  results: Results;
  /** Addresses of the requirements and gates whose tests were selected, in a shard those of the shard. */
  addresses: string[];
  /** Addresses of the tests that all shards together selected; unset if not known. */
  selected?: string[] | undefined;
  /** Tests of `tests/custom` or `CUSTOM_TESTS` that ran. */
  customTests?: CustomTest[];
  /** Addresses of the requirements and gates whose tests failed. */
  failed: ReadonlySet<string>;
  /** Sentences about problems that prevented or interrupted the run. */
  problems: string[];
  /** Start of the run, used if the results do not record it. */
  startedAt: Date;
  /** Set if the run judged one shard. */
  shard?: Shard | undefined;
}

/** Test of the team's own (`tests/custom`, or `CUSTOM_TESTS`). */
export interface CustomTest {
  /** Titles, file name and line: "group › test (example.spec.ts:12)". No error message, because it may hold values of the target. */
  title: string;
  failed: boolean;
  /** True if the test skipped itself. */
  skipped?: true;
}

/** Verdict of a run, with its grounds; `conformance.schema.json` describes each key. */
export interface RunConclusion {
  verdict: RunVerdict;
  /** True if the run has results and nothing prevented or interrupted it. */
  complete: boolean;
  requirements: RequirementResult[];
  gates: GateResult[];
  /** Tests of the team that ran; unset if there were none. */
  customTests?: CustomTest[];
  /** Number of selected requirements of all, if only a part was selected. */
  selection?: { selected: number; total: number };
  findings: Finding[];
  coverage: Coverage;
  sweeps?: SweepSummary[];
  notes: string[];
  startedAt: string;
  /** Hash of the ledger entries in force, 12 hex digits; undefined if the run could not begin. */
  ledger?: string;
  /** Hash of the configuration, 12 hex digits; undefined if the run could not begin. */
  configuration?: string;
}

/** Decides the verdict of a run, with the verdicts of its gates, its findings, coverage and notes. No other code does. Pure. */
export function concludeRun(input: RunInput): RunConclusion {
  const { contract, target, results, addresses } = input;
  const { ledger } = contract;
  const startedAt = results.run?.startedAt ?? input.startedAt.toISOString();
  const entries = selectEntriesInForce(target, startedAt, ledger);
  const facts = collectGateFacts(input, entries);
  const { customTests = [] } = input;
  const gates = selectGates(target, ledger)
    .filter(({ address }) => addresses.includes(address))
    .map((gate) => evaluateGate(gate, facts))
    .concat(createCustomTestGate(customTests));
  const requirements = results.requirementResults
    .filter(({ address }) => addresses.includes(address))
    .map((requirement) =>
      hasUnexplainedFailure(requirement, input.failed)
        ? { ...requirement, ...failedTestResult }
        : requirement,
    );
  const undeclared = results.observations.flatMap((observation) =>
    observation.findings.filter(({ kind }) => kind === 'undeclared'),
  );
  return {
    verdict: facts.complete ? decideVerdict(input, facts, requirements, gates) : 'error',
    complete: facts.complete,
    requirements,
    gates,
    ...(customTests.length > 0 ? { customTests } : {}),
    ...describeSelection(input, requirements),
    findings: [
      ...requirements.flatMap((requirement) => requirement.findings),
      ...(target.failOn.includes('undeclared') ? [] : undeclared),
      ...facts.findings,
    ],
    coverage: facts.coverage,
    ...(results.sweeps ? { sweeps: facts.sweeps } : {}),
    notes: [
      ...facts.prevented,
      ...target.notices,
      ...formatExpiredNotes(target, startedAt, ledger),
      ...collectDataNotes(contract, target, results),
    ],
    startedAt,
    ...hashSettings(target, entries),
  };
}

/** Hashes the ledger entries in force, and the configuration, so that `addChanges` sees whether they differ from another run. */
function hashSettings(
  target: Target,
  entries: LedgerEntry[],
): Pick<RunConclusion, 'ledger' | 'configuration'> {
  const acceptedDeviations = entries.map(({ requirement, accepts }) =>
    JSON.stringify([requirement, accepts]),
  );
  const { name, profile, sweep, sweepSeed, probes, fuzzRequests, timeoutMs, baseUrl = '' } = target;
  const { failOn, minCoverage, record } = target;
  // Probes decide these two gates, and no requirement.
  const hasProbeGate = failOn.includes('server-errors') || failOn.includes('drift');
  const { origin, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { origin: '', pathname: '' };
  const settings = [
    ...[name, profile, origin, pathname, sweep, sweepSeed, timeoutMs, failOn, minCoverage],
    ...(hasProbeGate ? [probes, fuzzRequests, record] : []),
    // Only names of secrets enter the hash; of identifiers only four hex digits, too few to find an identifier by trial.
    ...[target.headers, target.identifierFiles, target.transport].map(Object.keys),
    ...[target.authModule, target.traffic].map(Boolean),
    shortHash(target.identifiers).slice(0, 4),
  ];
  return { ledger: shortHash(acceptedDeviations), configuration: shortHash(settings) };
}

/** Returns the first 12 hex digits of the SHA-256 of the JSON of a value. */
const shortHash = (value: unknown) => hash('sha256', JSON.stringify(value)).slice(0, 12);

/** Collects the facts that gates check. `prevented` lists each problem of the run, of its results or of a recording once. */
function collectGateFacts(
  { contract, target, results, problems, shard }: RunInput,
  entries: LedgerEntry[],
): GateFacts {
  const { run, problem, traffic, sweeps = [], behaviour } = results;
  const reasons = [...problems, ...(problem ? [problem] : []), ...(traffic?.broken ?? [])];
  const prevented = [...new Set(reasons.map(joinLines))];
  return {
    target,
    complete: run !== undefined && prevented.length === 0,
    prevented,
    ...pickDefined(results, ['requirementResults', 'judgedBefore', 'behaviour']),
    coverage: computeCoverage(contract, results.observations),
    sweeps: sweeps.map(summarizeSweep),
    isShard: shard !== undefined,
    findings: [...listStaleFindings(results, entries), ...(behaviour?.findings ?? [])],
  };
}

/**
 * Decides the verdict of a run: `fail` for a violation; else `error` if nothing was judged, or something is uncertain; else `fail`
 * for a failed gate; else `pass`. @param requirements results of the selected requirements
 */
function decideVerdict(
  { shard, addresses }: RunInput,
  { requirementResults: allResults, sweeps }: GateFacts,
  requirements: RequirementResult[],
  gates: GateResult[],
): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'violation')) return 'fail';
  // A shard need not judge anything, unless something is uncertain or a sweep is incomplete.
  const leavesRestToShards = shard !== undefined && !allResults.some(isUncertain) && sweeps.every(isComplete);
  // Unselected requirements count in a shard, or if only gates were selected.
  const countsUnselected = addresses.length > 0 && (shard !== undefined || requirements.length === 0);
  const judgedResults = countsUnselected ? allResults : requirements;
  const isNothingJudged = !leavesRestToShards && !hasJudged(judgedResults);
  if (isNothingJudged || requirements.some(isUncertain) || gates.some(isUncertain)) return 'error';
  return gates.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass';
}

/** Checks for the verdict `blocked` or `error` of a requirement or a gate, which says neither pass nor fail. */
const isUncertain = ({ verdict }: { verdict: string }) => verdict === 'blocked' || verdict === 'error';

/** Returns whether the test of a requirement failed without a violation and without being blocked: a fault of this suite. */
const hasUnexplainedFailure = (
  { address, verdict }: RequirementResult,
  failed: ReadonlySet<string>,
): boolean => failed.has(address) && verdict !== 'violation' && verdict !== 'blocked';

const failedTestResult = { verdict: 'error', reason: 'the test failed without a violation' } as const;

/** Returns the numbers of selected and of all requirements, if a filter selected only a part; empty for a shard or a whole run. */
function describeSelection(
  { results, addresses, problems, shard }: RunInput,
  { length: selected }: unknown[],
) {
  const { length: total } = results.requirementResults;
  const isPartial = addresses.length > 0 || problems.includes(nothingSelected);
  return !shard && isPartial && selected < total ? { selection: { selected, total } } : {};
}

/** Problem of a run whose filter selects no test. Such a run is partial and replaces no report of a whole run. */
export const nothingSelected =
  'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it';

/**
 * Collects notes on a run: retries, a rate limit, wrong or unset identifiers, uncompared records of a recording, and the notes of
 * `PROBES`. None if the run did not begin.
 */
export function collectDataNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  { run, traffic, behaviour, observations }: Results,
): string[] {
  if (!run) return [];
  return [
    // A target that needed a retry is unreliable, although its responses conform.
    ...Object.entries(run.repeated).map(([reason, count]) => `retried ${formatTimes(count)}: ${reason}`),
    ...(run.sufficientRps
      ? [`the target limits its rate: set MAX_RPS=${run.sufficientRps}, to which this run slowed down`]
      : []),
    ...formatUndocumentedNotes(observations),
    ...(traffic?.notCompared
      ? [
          `${traffic.notCompared} records were not compared between responses: the recording has more records than the suite compares`,
        ]
      : []),
    ...(traffic ? [] : formatUnsetNotes(operations, target, observations)),
    ...(behaviour?.notes ?? []),
  ];
}

/** Formats a note for each response to a configured identifier that does not have the documented form, such as a UUID. */
const formatUndocumentedNotes = (observations: Observation[]): string[] =>
  observations.flatMap(({ configured: settings, expectsSuccess, again, status, kind, exchange }) =>
    settings && !expectsSuccess && !again && status && kind !== 'unauthorized'
      ? `HTTP ${status} to ${exchange} is not judged, because the identifier does not have the documented form; correct it`
      : [],
  );

/** Formats a note for each unset variable such as `CARD_IDS`, unless a request used an identifier from a response instead. */
function formatUnsetNotes(
  operations: Operation[],
  { identifiers }: Target,
  observations: Observation[],
): string[] {
  const isSent = (operation: string, parameter: string) =>
    observations.some(
      (observation) =>
        observation.operation === operation && Object.hasOwn(observation.parameters, parameter),
    );
  return operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, 'x-identifiers': variable = '' }) =>
      identifiers[variable]?.length === 0 && !isSent(id, name)
        ? `${variable} is not set: requirements that need it are not exercised`
        : [],
    ),
  );
}
