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

export interface RunInput {
  contract: Contract;
  target: Target;
  results: Results;
  /** Requirements and gates whose tests the run, or its shard, had, such as `getCard/http/status`. */
  addresses: string[];
  /** Addresses of the tests that all shards together had; undefined if not known. */
  selected?: string[] | undefined;
  customTests?: CustomTest[];
  failed: ReadonlySet<string>;
  /** Sentences about what prevented or interrupted the run, other than those in `results`. */
  problems: string[];
  startedAt: Date;
  shard?: Shard | undefined;
}

export interface CustomTest {
  /** "group › test (example.spec.ts:12)". No error message, because it may hold values of the target. */
  title: string;
  failed: boolean;
  skipped?: true;
}

export interface RunConclusion {
  verdict: RunVerdict;
  /** True if the run has results and nothing prevented or interrupted it. */
  complete: boolean;
  requirements: RequirementResult[];
  gates: GateResult[];
  customTests?: CustomTest[];
  /** Numbers of requirements; undefined for a shard, and if all are selected. */
  selection?: { selected: number; total: number };
  /** Findings of the selected requirements, then undeclared fields, stale ledger entries, server errors and drift. */
  findings: Finding[];
  coverage: Coverage;
  sweeps?: SweepSummary[];
  /** Sentences that decide no verdict, such as "retried once: …". */
  notes: string[];
  startedAt: string;
  ledger?: string;
  /**
   * Hash of the settings that may change a verdict, 12 hex digits, as `ledger` is of the entries in force. Undefined if the run
   * could not begin.
   */
  configuration?: string;
}

/** Decides the verdict of a run and of its gates, and collects its findings, coverage and notes. No other code does so. */
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

/**
 * Hashes the configuration and the accepted deviations, so that `addChanges` can say whether either has changed since another run.
 * Omits settings that cannot change a verdict, such as `MAX_RPS`.
 */
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
  // The rest of `BASE_URL` is user and password, which may change without changing the target.
  const { origin, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { origin: '', pathname: '' };
  const settings = [
    ...[name, profile, origin, pathname, sweep, sweepSeed, timeoutMs, failOn, minCoverage],
    ...(hasProbeGate ? [probes, fuzzRequests, record] : []),
    // Only names of secrets enter the hash; of identifiers only four hex digits, too few to find an identifier by trial.
    ...[target.headers, target.identifierFiles, target.transport].map(Object.keys),
    ...[target.authModule, target.traffic].map(Boolean),
    hashTo12Digits(target.identifiers).slice(0, 4),
  ];
  return { ledger: hashTo12Digits(acceptedDeviations), configuration: hashTo12Digits(settings) };
}

const hashTo12Digits = (value: unknown) => hash('sha256', JSON.stringify(value)).slice(0, 12);

/** Collects the facts that gates check. `prevented` lists every problem of the run, its results and its recordings once. */
function collectGateFacts(
  { contract, target, results, problems, shard }: RunInput,
  entries: LedgerEntry[],
): GateFacts {
  const { run, problem, traffic, sweeps = [], behaviour } = results;
  const allProblems = [...problems, ...(problem ? [problem] : []), ...(traffic?.broken ?? [])];
  const prevented = [...new Set(allProblems.map(joinLines))];
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
 * Decides the verdict by the first rule that applies: `fail` for a violation; `error` if nothing was judged, or if a selected
 * requirement or gate is `blocked` or `error`; `fail` for a failed gate; `pass`.
 */
function decideVerdict(
  { shard, addresses }: RunInput,
  { requirementResults: allResults, sweeps }: GateFacts,
  requirements: RequirementResult[],
  gates: GateResult[],
): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'violation')) return 'fail';
  // A shard may have judged nothing, because others have, if nothing is uncertain and each sweep is complete.
  const leavesRestToShards = shard !== undefined && !allResults.some(isUncertain) && sweeps.every(isComplete);
  // Unselected requirements count in a shard, or if only gates were selected.
  const countsUnselected = addresses.length > 0 && (shard !== undefined || requirements.length === 0);
  const judgedResults = countsUnselected ? allResults : requirements;
  const isNothingJudged = !leavesRestToShards && !hasJudged(judgedResults);
  if (isNothingJudged || requirements.some(isUncertain) || gates.some(isUncertain)) return 'error';
  return gates.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass';
}

const isUncertain = ({ verdict }: { verdict: string }) => verdict === 'blocked' || verdict === 'error';

/** Returns whether a test failed without a violation or a blocked request, which is a fault of this suite. */
const hasUnexplainedFailure = (
  { address, verdict }: RequirementResult,
  failed: ReadonlySet<string>,
): boolean => failed.has(address) && verdict !== 'violation' && verdict !== 'blocked';

const failedTestResult = { verdict: 'error', reason: 'the test failed without a violation' } as const;

/**
 * Returns `selection` if `--grep` or the like selected only some requirements; `{}` for a shard, for a whole run, and for a run
 * that had no tests for another reason.
 */
function describeSelection(
  { results, addresses, problems, shard }: RunInput,
  selectedRequirements: RequirementResult[],
) {
  const [selected, total] = [selectedRequirements.length, results.requirementResults.length];
  const isFiltered = addresses.length > 0 || problems.includes(nothingSelected);
  return !shard && isFiltered && selected < total ? { selection: { selected, total } } : {};
}

/** Problem of a run whose filter (`--grep`) selects no test. Such a run is partial, and replaces no report of a whole run. */
export const nothingSelected =
  'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it';

/**
 * Collects sentences that decide no verdict: about retries, a rate limit, unset or malformed identifiers, records that were not
 * compared, and `PROBES`. Empty if the run did not begin.
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

/** Formats a note for each request with a malformed configured identifier, such as a card id that is no UUID. */
const formatUndocumentedNotes = (observations: Observation[]): string[] =>
  observations.flatMap(({ configured: hasIdentifier, expectsSuccess, again, status, kind, exchange }) =>
    // The contract promises a success for each configured identifier of the documented form.
    hasIdentifier && !expectsSuccess && !again && status && kind !== 'unauthorized'
      ? `HTTP ${status} to ${exchange} is not judged, because the identifier does not have the documented form; correct it`
      : [],
  );

/** Formats a note for each unset variable such as `CARD_IDS`, unless a request sent an identifier from a response instead. */
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
