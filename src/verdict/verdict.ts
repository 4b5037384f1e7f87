import { hash } from 'node:crypto';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { formatTimes } from '../../schemas/counted.ts';
import { pick } from '../../schemas/json.ts';
import type { Shard, Target } from '../client/target.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { joinLines } from '../redact/printable.ts';
import { isComplete, type SweepSummary, summaryOfSweep } from '../sweep/summary.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import type { RequirementResult } from './evaluate.ts';
import { evaluateGate, type GateFacts, type GateResult, gatesFor } from './gates.ts';
import { entriesInForce, expiredNotes, staleFindings } from './ledger-use.ts';
import type { Results } from './results.ts';
import { hasJudged, type RunVerdict } from './verdicts.ts';

/** All that the verdict of a run depends on. */
export interface RunInput {
  contract: Contract;
  target: Target;
  results: Results;
  /** Addresses of the requirements and gates that were selected. */
  addresses: string[];
  /** The same for all shards together, if the run is one of them and that is known. */
  selected?: string[] | undefined;
  /** Addresses of the tests that failed. */
  failed: ReadonlySet<string>;
  /** Sentences on what prevented the run, or cut it short. */
  problems: string[];
  /** When the run began, should it have left no word of that. */
  startedAt: Date;
  /** Set when the judging was divided. */
  shard?: Shard | undefined;
}

/** The verdict of a run, with all that it rests on; `conformance.schema.json` says what each key is. */
export interface RunConclusion {
  verdict: RunVerdict;
  /** Whether there are results of this run, and nothing prevented it or cut it short. */
  complete: boolean;
  /** The selected requirements. */
  requirements: RequirementResult[];
  gates: GateResult[];
  selection?: { selected: number; total: number };
  findings: Finding[];
  coverage: Coverage;
  sweeps?: SweepSummary[];
  notes: string[];
  startedAt: string;
  /** Short hashes of the entries in force, and of what is configured; absent where the run could not begin. */
  ledger?: string;
  configuration?: string;
}

/** The verdict of a run: the one place that decides it, for every reporter. Pure. */
export function concludeRun(input: RunInput): RunConclusion {
  const { contract, target, results, addresses } = input;
  const { ledger } = contract;
  const startedAt = results.run?.startedAt ?? input.startedAt.toISOString();
  const entries = entriesInForce(target, startedAt, ledger);
  const facts = factsOf(input, entries);
  const gates = gatesFor(target, ledger)
    .filter(({ address }) => addresses.includes(address))
    .map((gate) => evaluateGate(gate, facts));
  const requirements = results.requirementResults
    .filter(({ address }) => addresses.includes(address))
    .map((one) => (isWronglyFailed(one, input.failed) ? { ...one, ...ofFailedTest } : one));
  const undeclared = results.observations.flatMap((one) =>
    one.findings.filter(({ kind }) => kind === 'undeclared'),
  );
  return {
    verdict: facts.complete ? verdictOf(input, facts, requirements, gates) : 'error',
    complete: facts.complete,
    requirements,
    gates,
    ...selectionOf(input, requirements),
    findings: [
      ...requirements.flatMap((one) => one.findings),
      ...(target.failOn.includes('undeclared') ? [] : undeclared),
      ...facts.findings,
    ],
    coverage: facts.coverage,
    ...(results.sweeps ? { sweeps: facts.sweeps } : {}),
    notes: [
      ...facts.prevented,
      ...target.notices,
      ...expiredNotes(target, startedAt, ledger),
      ...dataNotes(contract, target, results),
    ],
    startedAt,
    ...judgedWith(target, entries),
  };
}

/** What a run is judged with beside the suite and the contract: the entries in force, and what is configured. */
function judgedWith(target: Target, entries: Entry[]): Pick<RunConclusion, 'ledger' | 'configuration'> {
  const tolerated = entries.map(({ requirement, accepts }) => JSON.stringify([requirement, accepts]));
  const { name, profile, sweep, sweepSeed, maxPages, probes, fuzzRequests, timeoutMs, baseUrl = '' } = target;
  const { failOn, minCoverage, record } = target;
  const { origin, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { origin: '', pathname: '' };
  const configured = [
    ...[name, profile, origin, pathname, sweep, sweepSeed, maxPages, probes, fuzzRequests, timeoutMs],
    ...[failOn, minCoverage, record],
    // Of what is secret, names alone; of identifiers too little to find one by trying.
    ...[target.headers, target.identifierFiles, target.transport].map(Object.keys),
    ...[target.authModule, target.traffic].map(Boolean),
    shortHash(target.identifiers).slice(0, 4),
  ];
  return { ledger: shortHash(tolerated), configuration: shortHash(configured) };
}

const shortHash = (value: unknown) => hash('sha256', JSON.stringify(value)).slice(0, 12);

/** What gates look at, with all that was found beside the requirements. */
function factsOf({ contract, target, results, problems, shard }: RunInput, entries: Entry[]): GateFacts {
  const { run, problem, traffic, sweeps = [], behaviour } = results;
  const reasons = [...problems, ...(problem ? [problem] : []), ...(traffic?.broken ?? [])];
  const prevented = [...new Set(reasons.map(joinLines))];
  return {
    target,
    complete: run !== undefined && prevented.length === 0,
    prevented,
    ...pick(results, ['requirementResults', 'judgedBefore', 'behaviour']),
    coverage: coverageOf(contract, results.observations),
    sweeps: sweeps.map(summaryOfSweep),
    isShard: shard !== undefined,
    findings: [...staleFindings(results, entries), ...(behaviour?.findings ?? [])],
  };
}

/**
 * The gravest of what requirements and gates say. Something must have been judged of what was selected: of the rest, in a
 * part of a run and where no requirement was selected. What a shard does not judge may be left to others.
 */
function verdictOf(
  { shard, addresses }: RunInput,
  { requirementResults: all, sweeps }: GateFacts,
  requirements: RequirementResult[],
  gates: GateResult[],
): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'violation')) return 'fail';
  const isLeft = shard !== undefined && !all.some(isUnsure) && sweeps.every(isComplete);
  const isBeside = addresses.length > 0 && (shard !== undefined || requirements.length === 0);
  const judged = isBeside ? all : requirements;
  const isNothing = !isLeft && !hasJudged(judged);
  if (isNothing || requirements.some(isUnsure) || gates.some(isUnsure)) return 'error';
  return gates.some(({ verdict }) => verdict === 'fail') ? 'fail' : 'pass';
}

const isUnsure = ({ verdict }: { verdict: string }) => verdict === 'blocked' || verdict === 'error';

/** A test that failed for another reason than its requirement is a fault of this suite. */
const isWronglyFailed = ({ address, verdict }: RequirementResult, failed: ReadonlySet<string>): boolean =>
  failed.has(address) && verdict !== 'violation';

const ofFailedTest = { verdict: 'error', reason: 'the test failed without a violation' } as const;

/** A verdict on a part of the contract must not read like one on the whole. */
function selectionOf({ results, addresses, problems, shard }: RunInput, { length: selected }: unknown[]) {
  const { length: total } = results.requirementResults;
  const selects = addresses.length > 0 || problems.includes(nothingSelected);
  return !shard && selects && selected < total ? { selection: { selected, total } } : {};
}

/** What a run says whose filter selects no test: it is one of a part, which replaces no report of the whole. */
export const nothingSelected =
  'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it';

/** What the responses of a run, or a recording, lacked. What that leaves unjudged, each requirement says. */
export function dataNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  { run, traffic, behaviour, observations }: Results,
): string[] {
  if (!run) return [];
  return [
    // A target that needed a second request is not what it should be, though nothing is wrong with its responses.
    ...Object.entries(run.repeated).map(([reason, count]) => `repeated ${formatTimes(count)}: ${reason}`),
    ...undocumentedNotes(observations),
    ...(traffic?.notCompared
      ? [
          `rules between responses say nothing of ${traffic.notCompared} records shown: the recording names more than are compared`,
        ]
      : []),
    ...(traffic ? [] : unsetNotes(operations, target, observations)),
    ...(behaviour?.notes ?? []),
  ];
}

/** Configured identifiers of a form that the contract does not document, which the target rejects. */
const undocumentedNotes = (observations: Observation[]): string[] =>
  observations.flatMap(({ configured, expectsSuccess, again, status, kind, exchange }) =>
    configured && !expectsSuccess && !again && status && kind !== 'unauthorized'
      ? `HTTP ${status} to ${exchange} is not judged: the contract documents another form of the identifier; correct it`
      : [],
  );

/** Variables of identifiers that are not set, unless responses have named some. */
function unsetNotes(operations: Operation[], { identifiers }: Target, observations: Observation[]): string[] {
  const isSent = (operation: string, parameter: string) =>
    observations.some((one) => one.operation === operation && Object.hasOwn(one.parameters, parameter));
  return operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, 'x-identifiers': variable = '' }) =>
      identifiers[variable]?.length === 0 && !isSent(id, name)
        ? `${variable} is not set: what only it leads to is not exercised`
        : [],
    ),
  );
}
