import type { Contract } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import type { Shard, Target } from '../client/target.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { oneLine } from '../redact/printable.ts';
import { isComplete, type SweepSummary, summaryOfSweep } from '../sweep/summary.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import type { RequirementResult } from './evaluate.ts';
import { evaluateGates, type GateFacts, type GateResult } from './gates.ts';
import {
  checkedEntries,
  entriesInForce,
  expiredNotes,
  expiringNotes,
  ownEntries,
  staleFindings,
  withOtherWay,
} from './ledger-use.ts';
import { dataNotes, findingsOf } from './notes.ts';
import { resolveRejections } from './rejections.ts';
import type { Results } from './results.ts';
import { isJudged, type RunVerdict, type Verdict } from './verdicts.ts';

/** How many requirements were selected, where that is a part of them. */
export interface Selection {
  selected: number;
  total: number;
}

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

/** The verdict of a run, with all that it rests on. */
export interface RunConclusion {
  verdict: RunVerdict;
  /** Whether there are results of this run, and nothing prevented it or cut it short. */
  complete: boolean;
  /** The selected requirements. */
  requirements: RequirementResult[];
  gates: GateResult[];
  selection?: Selection;
  findings: Finding[];
  coverage: Coverage;
  /** What was looked at beyond the ordinary requests. */
  sweeps?: SweepSummary[];
  notes: string[];
  startedAt: string;
}

/**
 * The verdict of a run: the one place that decides it, for every reporter. Pure.
 */
export function concludeRun(input: RunInput, ledger: Entry[] = input.contract.ledger): RunConclusion {
  const { contract, target, results, addresses } = input;
  const observations = resolveRejections(results.observations);
  const startedAt = results.run?.startedAt ?? input.startedAt.toISOString();
  const today = startedAt.slice(0, 10);
  const requirements = selectedOf(input, entriesInForce(target, today, ledger));
  const checked = checkedEntries(target, today, ledger);
  const facts = factsOf(input, observations, checked);
  const gates = evaluateGates(target, ownEntries(target, ledger), new Set(addresses), facts);
  return {
    verdict: facts.complete ? judgedOf(input, requirements, gates) : 'error',
    complete: facts.complete,
    requirements,
    gates,
    ...selectionOf(input, requirements),
    findings: findingsOf(target, observations, requirements, gates, facts.findings),
    coverage: facts.coverage,
    ...(results.sweeps ? { sweeps: facts.sweeps } : {}),
    notes: [
      ...facts.prevented,
      ...target.notices,
      ...expiredNotes(target, today, ledger),
      ...expiringNotes(target, today, ledger, results),
      ...dataNotes(contract, target, results, observations),
    ],
    startedAt,
  };
}

/** What gates look at, with all that was found beside the requirements. */
function factsOf(
  { contract, results, problems, shard }: RunInput,
  observations: Observation[],
  checked: Entry[],
): GateFacts & { findings: Finding[] } {
  const { run, problem, traffic, sweeps = [], behaviour } = results;
  const reasons = [...problems, ...(problem ? [problem] : []), ...(traffic?.broken ?? [])];
  const prevented = [...new Set(reasons.map(oneLine))];
  return {
    complete: run !== undefined && prevented.length === 0,
    prevented,
    results: results.requirementResults,
    coverage: coverageOf(contract, observations),
    sweeps: sweeps.map(summaryOfSweep),
    isShard: shard !== undefined,
    behaviour: behaviour ?? {},
    checkedEntries: checked.length,
    findings: [...staleFindings(results, checked), ...(behaviour?.findings ?? [])],
  };
}

function judgedOf(input: RunInput, requirements: RequirementResult[], gates: GateResult[]): RunVerdict {
  const { shard, results, addresses } = input;
  const isLeft = isLeftToOthers(input);
  if (addresses.length === 0 && !isLeft) return 'error';
  const isJudgedBeside = isLeft || results.requirementResults.some(({ verdict }) => isJudged(verdict));
  return verdictOf(requirements, gates, { isPart: shard !== undefined, isJudgedBeside });
}

/** Whether other shards may judge what this one does not, since nothing prevented it. */
function isLeftToOthers({ shard, results: { sweeps = [], requirementResults } }: RunInput): boolean {
  const isPrevented =
    requirementResults.some(({ verdict }) => verdict === 'blocked' || verdict === 'error') ||
    !sweeps.map(summaryOfSweep).every(isComplete);
  return shard !== undefined && !isPrevented;
}

/** What else a verdict rests on, besides the selected requirements. */
interface Beside {
  /** Whether other parts of the run judge the rest. */
  isPart: boolean;
  /** Whether anything else of the run was judged. */
  isJudgedBeside: boolean;
}

/**
 * The gravest of what requirements and gates say. Something must have been judged of what was selected: of the rest, in a
 * part of a run and where no requirement was selected.
 */
export function verdictOf(
  requirements: { verdict: Verdict }[],
  gates: Pick<GateResult, 'verdict'>[],
  { isPart, isJudgedBeside }: Beside,
): RunVerdict {
  const verdicts = new Set(requirements.map(({ verdict }) => verdict));
  const ofGates = new Set(gates.map(({ verdict }) => verdict));
  if (verdicts.has('violation')) return 'fail';
  const mayBeBeside = isPart || requirements.length === 0;
  const judged = requirements.some(({ verdict }) => isJudged(verdict)) || (mayBeBeside && isJudgedBeside);
  if (verdicts.has('blocked') || verdicts.has('error') || ofGates.has('error') || !judged) return 'error';
  return ofGates.has('fail') ? 'fail' : 'pass';
}

/** The results of the requirements that were selected. */
function selectedOf({ results, addresses, failed }: RunInput, entries: Entry[]): RequirementResult[] {
  const selected = new Set(addresses);
  return results.requirementResults
    .filter(({ address }) => selected.has(address))
    .map((one) => withOtherWay(withFailedTest(one, failed), entries));
}

/** A test that failed for another reason than its requirement is a fault of this suite. */
function withFailedTest(result: RequirementResult, failed: ReadonlySet<string>): RequirementResult {
  const wrong = failed.has(result.address) && result.verdict !== 'violation';
  return wrong ? { ...result, verdict: 'error', reason: 'the test failed without a violation' } : result;
}

/** A verdict on a part of the contract must not read like one on the whole. */
function selectionOf({ results, addresses, problems, shard }: RunInput, { length: selected }: unknown[]) {
  const { length: total } = results.requirementResults;
  const selects = addresses.length > 0 || problems.includes(nothingSelected);
  return !shard && selects && selected < total ? { selection: { selected, total } } : {};
}

/** What a run says whose filter selects no test: it is one of a part, which replaces no report of the whole. */
export const nothingSelected =
  'no test was selected: npm run requirements lists what --grep can select; write \\* for * in it';
