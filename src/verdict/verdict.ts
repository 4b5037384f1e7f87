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
  /** Addresses of the requirements and gates that had a test in this run; with `shard`, in this shard. */
  addresses: string[];
  /** Addresses of the requirements and gates that had a test in at least one of all shards. Undefined if unknown. */
  selected?: string[] | undefined;
  customTests?: CustomTest[];
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
  const dataNotes = collectDataNotes(contract, target, results);
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
    notes: [...facts.prevented, ...target.notices, ...expiredNotes, ...dataNotes],
    startedAt,
    ...hashSettings(target, entries),
  });
}

/** Evaluates the gates that had a test, and the gate of the custom tests, which needs none. */
function evaluateSelectedGates(input: RunInput, facts: GateFacts): GateResult[] {
  const { contract, target, addresses, customTests = [] } = input;
  const selectedGates = selectGates(target, contract.ledger).filter(({ address }) =>
    addresses.includes(address),
  );
  const results = selectedGates.map((gate) => evaluateGate(gate, facts));
  return results.concat(createCustomTestGate(customTests));
}

/** Selects the results of the requirements that had a test. A failed test that its result does not explain becomes an `error`. */
function selectRequirementResults({ results, addresses, failed }: RunInput): RequirementResult[] {
  const selectedResults = results.requirementResults.filter(({ address }) => addresses.includes(address));
  return selectedResults.map((result) =>
    hasUnexplainedFailure(result, failed) ? { ...result, ...failedTestResult } : result,
  );
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

/** Lists the settings that may change a verdict: `MAX_RPS`, for example, cannot. Reports store the hash of this list in its order. */
function listVerdictSettings(target: Target): unknown[] {
  const { name, profile, sweep, sweepSeed, timeoutMs, failOn, minCoverage, baseUrl = '' } = target;
  // The rest of `BASE_URL` is user and password, which may change without changing the target.
  const { origin, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { origin: '', pathname: '' };
  const settings: unknown[] = [name, profile, origin, pathname, sweep, sweepSeed, timeoutMs];
  settings.push(failOn, minCoverage);
  // Probes decide these two gates, and no requirement.
  const hasProbeGate = failOn.includes('server-errors') || failOn.includes('drift');
  if (hasProbeGate) settings.push(target.probes, target.fuzzRequests, target.recordsAnswers);
  // Of settings that may hold secrets, only the names.
  settings.push(
    Object.keys(target.headers),
    Object.keys(target.identifierFiles),
    Object.keys(target.transport),
  );
  const hasAuthModule = Boolean(target.authModule);
  const judgesTraffic = Boolean(target.traffic);
  // Four hex digits are too few to find an identifier by trial.
  const identifierDigits = hashTo12Digits(target.identifiers).slice(0, 4);
  settings.push(hasAuthModule, judgesTraffic, identifierDigits);
  return settings;
}

const hashTo12Digits = (value: unknown) => hash('sha256', JSON.stringify(value)).slice(0, 12);

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
 * Decides the verdict of a run by the first rule that applies: `fail` if a requirement is violated; `error` if nothing was judged,
 * or if a requirement or gate is `blocked` or `error`; `fail` if a gate failed; otherwise `pass`.
 */
function decideVerdict(
  { shard, addresses }: RunInput,
  { requirementResults: allResults, sweeps }: GateFacts,
  requirements: RequirementResult[],
  gates: GateResult[],
): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'violation')) return 'fail';
  // A shard may have judged nothing, because other shards have, if nothing is uncertain and each sweep is complete.
  const mayJudgeNothing = shard !== undefined && !allResults.some(isUncertain) && sweeps.every(isComplete);
  // Unselected requirements count in a shard, or if only gates were selected.
  const includesUnselected = addresses.length > 0 && (shard !== undefined || requirements.length === 0);
  const relevantResults = includesUnselected ? allResults : requirements;
  const lacksJudgement = !mayJudgeNothing && !hasJudged(relevantResults);
  if (lacksJudgement || requirements.some(isUncertain) || gates.some(isUncertain)) return 'error';
  return gates.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass';
}

const isUncertain = ({ verdict }: { verdict: string }) => verdict === 'blocked' || verdict === 'error';

/** Returns whether the test of a requirement failed although it is neither violated nor blocked: a fault of the suite. */
const hasUnexplainedFailure = (
  { address, verdict }: RequirementResult,
  failed: ReadonlySet<string>,
): boolean => failed.has(address) && verdict !== 'violation' && verdict !== 'blocked';

const failedTestResult = { verdict: 'error', reason: 'the test failed without a violation' } as const;

function countSelection(
  { results, addresses, problems, shard }: RunInput,
  selectedRequirements: RequirementResult[],
): RunConclusion['selection'] {
  const selected = selectedRequirements.length;
  const total = results.requirementResults.length;
  const isFiltered = addresses.length > 0 || problems.includes(nothingSelected);
  return !shard && isFiltered && selected < total ? { selected, total } : undefined;
}

/** Problem of a run without a test. Such a run does not replace the report of a whole run. */
export const nothingSelected =
  'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it';

/** Collects sentences that do not change the verdict, about retries, rate, identifiers, uncompared records and probes. */
export function collectDataNotes(
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
  if (!traffic) notes.push(...formatUnsetNotes(operations, target, observations));
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

/** Formats a note for each unset variable, such as `CARD_IDS`, unless a response gave an identifier for its parameter. */
function formatUnsetNotes(
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
    const variables = unsentParameters.map((parameter) => parameter['x-identifiers'] ?? '');
    const unsetVariables = variables.filter((variable) => identifiers[variable]?.length === 0);
    return unsetVariables.map(
      (variable) => `${variable} is not set: requirements that need it are not exercised`,
    );
  });
}
