import type { Contract } from '../schemas/contract.ts';
import { isOptional, requirementsOf } from '../schemas/requirements.ts';
import type { Observation } from '../tests/client/observation.ts';
import { readConfiguration, type Target } from '../tests/client/target.ts';
import { exchangesOf } from '../tests/exchanges/files.ts';
import { evaluateResults, type Run, type RunResults, readStoredResults } from '../tests/run/results.ts';
import { acrossParts, mergeParts } from '../tests/sweep/merge-parts.ts';
import type { SweepResult } from '../tests/sweep/result.ts';
import { withTwins } from '../tests/sweep/twins-across.ts';
import { concludeRun } from '../tests/verdict/verdict.ts';
import { type Conformance, resultOf } from './conformance.ts';
import { MergeError } from './shards.ts';
import { printsOfParts } from './sweep-prints.ts';

/** What a shard has left, by which what it says is added up to what the others say. */
export interface LeftByShard extends RunResults {
  folder: string;
  run: Run;
}

/** Reads what a shard has left. @throws {MergeError} when that is not there. */
export function readLeft(folder: string): LeftByShard {
  const { run, problem, ...rest } = readStoredResults(folder);
  if (!run || problem)
    throw new MergeError(
      `${folder} holds no observations of its shard: merge needs the whole of REPORTS_DIR`,
    );
  return { ...rest, run, folder };
}

/**
 * Shards that divide what is asked say nothing alone: requirements are judged by what all of them have observed.
 * @param merged what the reports of the shards come to
 */
export async function withSweepsMerged(
  contract: Contract,
  merged: Conformance,
  shards: LeftByShard[],
): Promise<Conformance> {
  const results: RunResults = {
    run: shards[0]?.run,
    behaviour: shards.find(({ behaviour }) => behaviour)?.behaviour,
    ...(await mergedSweeps(contract, shards)),
  };
  const target = targetOf(contract, merged, shards);
  const { requirements, gates = [] } = merged;
  const conclusion = concludeRun({
    contract,
    target,
    results: evaluateResults(contract, target, results),
    addresses: [...requirements, ...gates].map(({ address }) => address),
    failed: new Set(),
    problems: [],
    startedAt: new Date(merged.startedAt),
  });
  const isMissing = merged.notes.some((note) => /^shard \d+ of \d+ is missing/.test(note));
  return {
    ...merged,
    verdict: isMissing ? 'error' : conclusion.verdict,
    requirements: conclusion.requirements.map(resultOf),
    gates: conclusion.gates,
    findings: conclusion.findings,
    coverage: conclusion.coverage,
    sweeps: conclusion.sweeps ?? [],
  };
}

/** The configuration of the shards, as far as a verdict depends on it. */
function targetOf(
  contract: Contract,
  { target: name, profile, mock = false, requirements, gates = [] }: Conformance,
  shards: LeftByShard[],
): Target {
  const has = (address: string) => gates.some((gate) => gate.address === address);
  const optional = new Set(
    requirementsOf(contract)
      .filter(isOptional)
      .map(({ address }) => address),
  );
  const hasOptional = requirements.some(({ address }) => optional.has(address));
  return {
    ...readConfiguration({}, '/nonexistent').target,
    ...{ name, profile, isMock: mock, sweep: 'all' },
    minCoverage: has('run/coverage') ? (shards[0]?.run.minCoverage ?? 0) : 0,
    undeclaredFields: hasOptional ? 'fail' : 'report',
    failOnServerError: has('run/server-errors'),
    failOnDrift: has('run/drift'),
  };
}

/** Sweeps of the same records are parts of one. */
async function mergedSweeps(
  contract: Contract,
  shards: LeftByShard[],
): Promise<{ sweeps: SweepResult[]; observations: Observation[] }> {
  const parts = shards.flatMap(({ sweeps = [], folder }) => sweeps.map((sweep) => ({ sweep, folder })));
  const sources = [...new Set(parts.map(({ sweep }) => sourceOf(sweep)))];
  const all = {
    sweeps: [] as SweepResult[],
    observations: shards.flatMap(({ observations }) => observations),
  };
  for (const source of sources) {
    const own = parts.filter(({ sweep }) => sourceOf(sweep) === source);
    const prints = printsOfParts(own);
    const sweep = mergeParts(
      own.map((one) => one.sweep),
      prints,
    );
    const operation = contract.operations.find(({ id }) => id === sweep.operation);
    const list = operation && (await exchangesOf(operation)).sweptList;
    const merged = { sweep, observations: all.observations };
    const { sweep: whole, observations } =
      list && sweep.pointer !== '' ? withTwins(merged, operation, list, acrossParts(prints).twins) : merged;
    all.sweeps.push(whole);
    all.observations = observations;
  }
  return all;
}

const sourceOf = ({ operation, noun }: SweepResult) => `${operation} ${noun}`;

/** Whether requirements have to be judged anew, since the shards have divided what was asked. */
export const hasSweeps = (reports: Conformance[]): boolean =>
  reports.some(({ sweeps = [] }) => sweeps.length > 0);
