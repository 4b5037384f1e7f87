import { hash } from 'node:crypto';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatTimes } from '../../schemas/counted.ts';
import { omitUndefined, pickDefined } from '../../schemas/json.ts';
import { isAccessDenied } from '../../schemas/judge/classify.ts';
import { hasIdentifiers, type Shard, type Target } from '../client/target.ts';
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
  /** Addresses of the selected tests, such as `getCard/code` or `run/coverage`. In a shard, only the tests of this shard. */
  addresses: string[];
  /**
   * Addresses of the selected tests of all shards. The report of a shard stores these addresses for the merge. Undefined in the
   * merge itself, and in a run that ended before Playwright selected the tests.
   */
  selected?: string[] | undefined;
  customTests?: CustomTest[];
  /** Addresses of requirements and gates whose test failed. */
  failed: ReadonlySet<string>;
  problems: string[];
  endedEarly?: boolean;
  startedAt: Date;
  shard?: Shard | undefined;
}

/** Result of a test that the team has added to this suite. */
export interface CustomTest {
  /** Title, file and line: "group › test (example.spec.ts:12)". */
  title: string;
  failed: boolean;
  skipped?: true;
}

export interface RunConclusion {
  verdict: RunVerdict;
  /** True if the run has results, and no problem such as an interruption occurred. */
  complete: boolean;
  requirements: RequirementResult[];
  gates: GateResult[];
  customTests?: CustomTest[];
  /** Numbers of selected and of all requirements. Set only if the user left out some (`--grep`). Undefined in a shard. */
  selection?: { selected: number; total: number };
  /** Findings of the selected requirements, then findings of the kinds `undeclared`, `stale`, `server error` and `drift`. */
  findings: Finding[];
  coverage: Coverage;
  sweeps?: SweepSummary[];
  /** Problems of the run, followed by remarks such as "retried once: HTTP 503 with Retry-After". */
  notes: string[];
  startedAt: string;
  /** Hash (12 hex digits) of the deviations that the ledger tolerates in this run. */
  ledger?: string;
  /** Hash (12 hex digits) of the settings that may change a verdict, such as `FAIL_ON`. */
  configuration?: string;
}

/** Decides the verdict of a run from its results, and collects gates, findings, coverage and notes for the report. */
export function concludeRun(input: RunInput): RunConclusion {
  const { contract, target, results, customTests = [] } = input;
  const { ledger } = contract;
  const startedAt = results.run?.startedAt ?? input.startedAt.toISOString();
  const entries = selectEntriesInForce(target, startedAt, ledger);
  const facts = collectGateFacts(input, entries);
  const gates = evaluateSelectedGates(input, facts);
  const requirements = selectRequirementResults(input);
  const expiredNotes = formatExpiredNotes(target, startedAt, ledger);
  const runNotes = collectRunNotes(contract, target, results);
  return omitUndefined({
    verdict: facts.complete ? decideVerdict(input, facts, requirements, gates) : 'error',
    complete: facts.complete,
    requirements,
    gates,
    customTests: customTests.length > 0 ? customTests : undefined,
    selection: countSelection(input, requirements),
    findings: collectFindings(input, facts, requirements),
    coverage: facts.coverage,
    sweeps: results.sweeps && facts.sweeps,
    notes: [...facts.problems, ...target.notices, ...expiredNotes, ...runNotes],
    startedAt,
    ...hashSettings(target, entries),
  });
}

function evaluateSelectedGates(input: RunInput, facts: GateFacts): GateResult[] {
  const { contract, target, addresses, customTests = [] } = input;
  const selectedGates = selectGates(target, contract.ledger).filter(({ address }) =>
    addresses.includes(address),
  );
  const results = selectedGates.map((gate) => evaluateGate(gate, facts));
  const customTestGate = createCustomTestGate(customTests);
  return customTestGate ? [...results, customTestGate] : results;
}

function selectRequirementResults({ results, addresses, failed }: RunInput): RequirementResult[] {
  const selectedResults = results.requirementResults.filter(({ address }) => addresses.includes(address));
  return selectedResults.map((result) => {
    const hasFailed = failed.has(result.address);
    const isFailureExpected = result.verdict === 'violation' || result.verdict === 'blocked';
    if (!hasFailed || isFailureExpected) return result;
    // The test failed although the target may be right, for example because of a bug in the test.
    return { ...result, verdict: 'error', reason: 'the test failed without a violation' };
  });
}

function collectFindings(
  { target, results }: RunInput,
  facts: GateFacts,
  requirements: RequirementResult[],
): Finding[] {
  const requirementFindings = requirements.flatMap((requirement) => requirement.findings);
  const allFindings = results.observations.flatMap((observation) => observation.findings);
  const undeclaredFields = allFindings.filter(({ kind }) => kind === 'undeclared');
  // With `FAIL_ON=undeclared`, undeclared fields violate a requirement, and are among its findings.
  const isAmongRequirements = target.failOn.includes('undeclared');
  const otherUndeclaredFields = isAmongRequirements ? [] : undeclaredFields;
  return [...requirementFindings, ...otherUndeclaredFields, ...facts.findings];
}

function hashSettings(
  target: Target,
  entries: LedgerEntry[],
): Pick<RunConclusion, 'ledger' | 'configuration'> {
  const acceptedDeviations = entries.map(({ requirement, accepts }) =>
    JSON.stringify([requirement, accepts]),
  );
  const settings = listVerdictSettings(target);
  return { ledger: hashTo12Digits(acceptedDeviations), configuration: hashTo12Digits(settings) };
}

function listVerdictSettings(target: Target): unknown[] {
  const { name, profile, sweep, sweepSeed, timeoutMs, failOn, minCoverage, baseUrl = '' } = target;
  // Leaves out user and password in `BASE_URL` (RFC 3986 section 3.2.1), which may change although the target is the same.
  const { origin, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { origin: '', pathname: '' };
  // The extra requests of `PROBES` can change a verdict only with these two words.
  const mayProbesFail = failOn.includes('server-errors') || failOn.includes('drift');
  const probeSettings = mayProbesFail ? [target.probes, target.fuzzRequests, target.recordsAnswers] : [];
  // Keep the order: reports compare a hash of this list.
  return [
    ...[name, profile, origin, pathname, sweep, sweepSeed, timeoutMs, failOn, minCoverage],
    ...probeSettings,
    // The values of these settings may be secret, so only the names count.
    Object.keys(target.headers),
    Object.keys(target.identifierFiles),
    Object.keys(target.transport),
    Boolean(target.authModule),
    Boolean(target.traffic),
    // Four hex digits are too few to find an identifier by trial.
    hashTo12Digits(target.identifiers).slice(0, 4),
  ];
}

export const hashTo12Digits = (value: unknown): string => hash('sha256', JSON.stringify(value)).slice(0, 12);

function collectGateFacts(
  { contract, target, results, problems: problemsOfTests, shard }: RunInput,
  entries: LedgerEntry[],
): GateFacts {
  const { run, sweeps = [], behaviour } = results;
  const problems = listProblems(problemsOfTests, results);
  return {
    target,
    complete: run !== undefined && problems.length === 0,
    problems,
    ...pickDefined(results, ['requirementResults', 'judgedBefore', 'behaviour']),
    coverage: computeCoverage(contract, results.observations),
    sweeps: sweeps.map(summarizeSweep),
    isShard: shard !== undefined,
    findings: [...listStaleFindings(results, entries), ...(behaviour?.findings ?? [])],
  };
}

function listProblems(problemsOfTests: string[], { problem, traffic }: Results): string[] {
  const problems = [...problemsOfTests];
  if (problem) problems.push(problem);
  const unreadableRecordings = traffic?.broken ?? [];
  // In a merged run, the problem "shard 1 is incomplete: …" may already contain the sentence about the recording of this shard.
  const isNew = (sentence: string) => !problems.some((problem) => problem.includes(sentence));
  problems.push(...unreadableRecordings.filter(isNew));
  return [...new Set(problems.map(joinLines))];
}

function decideVerdict(
  input: RunInput,
  facts: GateFacts,
  requirements: RequirementResult[],
  gates: GateResult[],
): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'violation')) return 'fail';
  const isUncertain = requirements.some(isBlockedOrError) || gates.some(isBlockedOrError);
  if (isUncertain || lacksJudgement(input, facts, requirements)) return 'error';
  return gates.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass';
}

const isBlockedOrError = ({ verdict }: { verdict: string }) => verdict === 'blocked' || verdict === 'error';

function lacksJudgement(
  { shard, addresses }: RunInput,
  { requirementResults: allResults, sweeps }: GateFacts,
  selectedResults: RequirementResult[],
): boolean {
  const hasSelectedTests = addresses.length > 0;
  if (shard) {
    const hasObstacle = allResults.some(isBlockedOrError) || !sweeps.every(isComplete);
    // Without an obstacle, a shard may leave all judging to the other shards.
    if (!hasObstacle) return false;
    // A shard also judges requirements whose tests run in other shards. Without any test in this shard, no judgement counts.
    const hasJudgement = hasSelectedTests && hasJudged(allResults);
    return !hasJudgement;
  }
  // A gate, such as `run/coverage`, depends on all requirements.
  const hasSelectedOnlyGates = hasSelectedTests && selectedResults.length === 0;
  const neededResults = hasSelectedOnlyGates ? allResults : selectedResults;
  return !hasJudged(neededResults);
}

function countSelection(
  { results, addresses, problems, shard }: RunInput,
  selectedRequirements: RequirementResult[],
): RunConclusion['selection'] {
  // In a shard, `addresses` lists only the tests of this shard, whatever the user selected.
  if (shard) return undefined;
  const selectedCount = selectedRequirements.length;
  const totalCount = results.requirementResults.length;
  // No test runs if the run is prevented, or if the user selects none. Only the latter is a selection.
  const isSelection = addresses.length > 0 || problems.some(saysNothingSelected);
  const isSomeLeftOut = isSelection && selectedCount < totalCount;
  return isSomeLeftOut ? { selected: selectedCount, total: totalCount } : undefined;
}

/** First words of the message that the user selected no test. A reason follows: `no test was selected: --last-failed leaves …`. */
export const nothingSelected = 'no test was selected';

export const saysNothingSelected = (problem: string): boolean => problem.startsWith(nothingSelected);

/** Collects remarks on a run, such as "retried once: HTTP 503 with Retry-After". Returns none if the run has no results. */
export function collectRunNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  { run, traffic, behaviour, observations, stopReason }: Results,
): string[] {
  if (!run) return [];
  const stopNotes = stopReason === undefined ? [] : [stopReason];
  // A target that needed a retry is unreliable, although its responses conform.
  const notes = Object.entries(run.repeated).map(
    ([reason, count]) => `retried ${formatTimes(count)}: ${reason}`,
  );
  if (run.sufficientRps)
    notes.push(`the target limits its rate: set MAX_RPS=${run.sufficientRps}, to which this run slowed down`);
  notes.push(...formatMalformedIdentifierNotes(observations));
  if (traffic?.notCompared)
    notes.push(
      `${traffic.notCompared} records were not compared between responses: the recording has more records than the suite compares`,
    );
  if (!traffic) notes.push(...formatUnsetVariableNotes(operations, target, observations));
  return [...stopNotes, ...notes, ...(behaviour?.notes ?? [])];
}

function formatMalformedIdentifierNotes(observations: Observation[]): string[] {
  // A request with a configured identifier should succeed, unless the identifier is malformed.
  const malformedLookups = observations.filter(
    ({ configured, expectsSuccess, status, again, kind = 'other' }) =>
      configured && !expectsSuccess && status && !again && !isAccessDenied(kind),
  );
  return malformedLookups.map(
    ({ status, requestText }) =>
      `HTTP ${status} to ${requestText} is not judged, because the identifier does not have the documented form; correct it`,
  );
}

/**
 * Formats a note for each unset variable of identifiers: "CARD_IDS is not set: requirements that need it are not exercised". If
 * the run sent an identifier from a response instead, the variable gets no note.
 */
function formatUnsetVariableNotes(
  operations: Operation[],
  target: Target,
  observations: Observation[],
): string[] {
  const wasSent = (operation: string, parameter: string) =>
    observations.some(
      (observation) =>
        observation.operation === operation && Object.hasOwn(observation.parameters, parameter),
    );
  return operations.flatMap(({ id, parameters }) => {
    // A run may send an identifier from another response although the variable is unset.
    const unsentParameters = parameters.filter(({ name }) => !wasSent(id, name));
    const variables = unsentParameters.flatMap((parameter) => parameter['x-identifiers'] ?? []);
    const unsetVariables = variables.filter((variable) => !hasIdentifiers(target, variable));
    return unsetVariables.map(
      (variable) => `${variable} is not set: requirements that need it are not exercised`,
    );
  });
}
