import { hash } from 'node:crypto';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { formatTimes } from '../../schemas/counted.ts';
import { omitUndefined, pickDefined } from '../../schemas/json.ts';
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
  /** Addresses of the requirements and gates whose test ran (`--grep` selects tests); with `shard`, in this shard. */
  addresses: string[];
  /** Addresses of the requirements and gates that had a test in at least one of all shards. Undefined if unknown. */
  selected?: string[] | undefined;
  customTests?: CustomTest[];
  /** Addresses of the requirements and gates whose test failed. */
  failed: ReadonlySet<string>;
  problems: string[];
  startedAt: Date;
  shard?: Shard | undefined;
}

/** Test of the team, not of this suite (`tests/custom`, `CUSTOM_TESTS`). */
export interface CustomTest {
  /** Title and place: "group › test (example.spec.ts:12)". Not the error message, which may hold values of the target. */
  title: string;
  failed: boolean;
  skipped?: true;
}

export interface RunConclusion {
  verdict: RunVerdict;
  /** True if the run has results, and nothing prevented or interrupted it. */
  complete: boolean;
  requirements: RequirementResult[];
  gates: GateResult[];
  customTests?: CustomTest[];
  /** Number of requirements that had a test, and of all requirements. Undefined for a shard, and if each one had a test. */
  selection?: { selected: number; total: number };
  /** Findings of the selected requirements, then undeclared fields, unused ledger entries, server errors, and changed behaviour. */
  findings: Finding[];
  coverage: Coverage;
  sweeps?: SweepSummary[];
  /** Sentences that do not change the verdict, such as "retried once: …". */
  notes: string[];
  startedAt: string;
  ledger?: string;
  /** Hash of the settings that may change a verdict, 12 hex digits. */
  configuration?: string;
}

/** Decides the verdicts of a run and of its gates, and collects its findings, coverage and notes. */
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

/** Evaluates the gates whose test ran. Adds the gate `run/custom-tests` if custom tests ran. */
function evaluateSelectedGates(input: RunInput, facts: GateFacts): GateResult[] {
  const { contract, target, addresses, customTests = [] } = input;
  const selectedGates = selectGates(target, contract.ledger).filter(({ address }) =>
    addresses.includes(address),
  );
  const results = selectedGates.map((gate) => evaluateGate(gate, facts));
  const customTestGate = createCustomTestGate(customTests);
  return customTestGate ? [...results, customTestGate] : results;
}

/** Selects the results of the requirements whose test ran. If their verdict does not explain a failed test, it becomes `error`. */
function selectRequirementResults({ results, addresses, failed }: RunInput): RequirementResult[] {
  const selectedResults = results.requirementResults.filter(({ address }) => addresses.includes(address));
  return selectedResults.map((result) => {
    const isTestFailed = failed.has(result.address);
    const isExplained = result.verdict === 'violation' || result.verdict === 'blocked';
    if (!isTestFailed || isExplained) return result;
    return { ...result, verdict: 'error', reason: 'the test failed without a violation' };
  });
}

function collectFindings(
  { target, results }: RunInput,
  facts: GateFacts,
  requirements: RequirementResult[],
): Finding[] {
  const findings = requirements.flatMap((requirement) => requirement.findings);
  // With `FAIL_ON=undeclared`, the results of the requirements contain these findings.
  if (!target.failOn.includes('undeclared')) {
    const allFindings = results.observations.flatMap((observation) => observation.findings);
    findings.push(...allFindings.filter(({ kind }) => kind === 'undeclared'));
  }
  return [...findings, ...facts.findings];
}

/** Hashes the settings and the accepted deviations, so that `addChanges` can say which has changed. */
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

/** Lists the settings that may change a verdict, such as `FAIL_ON`. Keep the order: reports compare a hash of this list. */
function listVerdictSettings(target: Target): unknown[] {
  const { name, profile, sweep, sweepSeed, timeoutMs, failOn, minCoverage, baseUrl = '' } = target;
  // The rest of `BASE_URL` is user and password, which may change without changing the target.
  const { origin, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { origin: '', pathname: '' };
  const runSettings = [name, profile, origin, pathname, sweep, sweepSeed, timeoutMs, failOn, minCoverage];
  // Probes decide only the gates `run/server-errors` and `run/drift`.
  const hasProbeGate = failOn.includes('server-errors') || failOn.includes('drift');
  const probeSettings = hasProbeGate ? [target.probes, target.fuzzRequests, target.recordsAnswers] : [];
  // Of settings that may hold secrets, only the names.
  const secretSettings = [target.headers, target.identifierFiles, target.transport].map(Object.keys);
  const hasAuthModule = Boolean(target.authModule);
  const judgesTraffic = Boolean(target.traffic);
  // Four hex digits are too few to find an identifier by trial.
  const identifierDigits = hashTo12Digits(target.identifiers).slice(0, 4);
  return [
    ...runSettings,
    ...probeSettings,
    ...secretSettings,
    hasAuthModule,
    judgesTraffic,
    identifierDigits,
  ];
}

const hashTo12Digits = (value: unknown) => hash('sha256', JSON.stringify(value)).slice(0, 12);

function collectGateFacts(
  { contract, target, results, problems: problemsOfTests, shard }: RunInput,
  entries: LedgerEntry[],
): GateFacts {
  const { run, problem, traffic, sweeps = [], behaviour } = results;
  const unreadableParts = traffic?.broken ?? [];
  const allProblems = [...problemsOfTests, ...(problem ? [problem] : []), ...unreadableParts];
  const problems = [...new Set(allProblems.map(joinLines))];
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

/**
 * Decides the verdict of a run by the first rule that applies: `fail` if a requirement is violated; `error` if nothing was judged,
 * or if a requirement or gate is `blocked` or `error`; `fail` if a gate failed; otherwise `pass`.
 */
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

/** Returns whether a run judged nothing. False for a shard whose results and sweeps are certain: other shards may have judged. */
function lacksJudgement(
  { shard, addresses }: RunInput,
  { requirementResults: allResults, sweeps }: GateFacts,
  selectedResults: RequirementResult[],
): boolean {
  const isShard = shard !== undefined;
  const isUncertain = allResults.some(isBlockedOrError) || !sweeps.every(isComplete);
  if (isShard && !isUncertain) return false;
  // Unselected requirements count in a shard, or if only gates were selected.
  const countsUnselected = addresses.length > 0 && (isShard || selectedResults.length === 0);
  return !hasJudged(countsUnselected ? allResults : selectedResults);
}

function countSelection(
  { results, addresses, problems, shard }: RunInput,
  selectedRequirements: RequirementResult[],
): RunConclusion['selection'] {
  const selected = selectedRequirements.length;
  const total = results.requirementResults.length;
  const hasSelectedNothing = problems.includes(nothingSelected);
  const isFiltered = addresses.length > 0 || hasSelectedNothing;
  return !shard && isFiltered && selected < total ? { selected, total } : undefined;
}

/** Message of a run in which no test was selected. Such a run does not replace the report of a run of all tests. */
export const nothingSelected =
  'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it';

/** Collects notes on retries, a rate limit, malformed or missing identifiers, records not compared, and probes. */
export function collectRunNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  { run, traffic, behaviour, observations }: Results,
): string[] {
  if (!run) return [];
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
  return [...notes, ...(behaviour?.notes ?? [])];
}

/** Formats a note for each response that is not judged because a configured identifier is malformed, such as no UUID. */
function formatMalformedIdentifierNotes(observations: Observation[]): string[] {
  // The contract promises a success for each configured identifier of the documented form.
  const malformedLookups = observations.filter(
    ({ configured, expectsSuccess }) => configured && !expectsSuccess,
  );
  const firstResponses = malformedLookups.filter(({ status, again }) => status && !again);
  const authorizedResponses = firstResponses.filter(({ kind }) => kind !== 'unauthorized');
  return authorizedResponses.map(
    ({ status, exchange }) =>
      `HTTP ${status} to ${exchange} is not judged, because the identifier does not have the documented form; correct it`,
  );
}

/** Formats a note for each variable without identifiers, such as `CARD_IDS`, if the run did not send its parameter. */
function formatUnsetVariableNotes(
  operations: Operation[],
  { identifiers }: Target,
  observations: Observation[],
): string[] {
  const isSent = (operation: string, parameter: string) => {
    const observationsOfOperation = observations.filter((observation) => observation.operation === operation);
    return observationsOfOperation.some(({ parameters }) => Object.hasOwn(parameters, parameter));
  };
  return operations.flatMap(({ id, parameters }) => {
    const unsentParameters = parameters.filter(({ name }) => !isSent(id, name));
    const variables = unsentParameters.flatMap((parameter) => parameter['x-identifiers'] ?? []);
    const unsetVariables = variables.filter((variable) => identifiers[variable]?.length === 0);
    return unsetVariables.map(
      (variable) => `${variable} is not set: requirements that need it are not exercised`,
    );
  });
}
