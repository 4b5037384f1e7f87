import type { Contract } from '../../schemas/contract/contract.ts';
import { exchangesOf } from '../../tests/exchanges/files.ts';
import type { Observation } from '../../tests/redaction/observation.ts';
import { requestsOf } from '../../tests/run/requests-made.ts';
import type { Run, RunResults } from '../../tests/run/results.ts';
import { acrossParts } from '../../tests/sweep/merge/across-parts.ts';
import { BrokenOnce } from '../../tests/sweep/merge/broken-once.ts';
import { withGrown } from '../../tests/sweep/merge/grown-between.ts';
import { mergeParts } from '../../tests/sweep/merge/merge-parts.ts';
import { inOrderOfNumbers, withEdges } from '../../tests/sweep/merge/merged-pages.ts';
import { withMissing } from '../../tests/sweep/merge/missing-between.ts';
import { withTwins } from '../../tests/sweep/merge/twins-across.ts';
import { type SweepResult, type Swept, sweptObservations } from '../../tests/sweep/results/result.ts';
import { type PageResult, summed, Tally } from '../../tests/sweep/results/tally.ts';
import { type Conformance, resultOf } from '../conformance.ts';
import { durationsOf } from '../durations.ts';
import { lackingIn } from './completeness.ts';
import { evaluateStored } from './evaluate-stored.ts';
import { pagesOfPart, unreadable } from './journal-pages.ts';
import { journalFile, printsOfParts, type StoredPart } from './journal-prints.ts';
import { withMergedChanges } from './merged-changes.ts';
import { timeNotes } from './same-run.ts';
import type { ShardResults } from './shard-results.ts';
import { commonNotes, MergeError, numberOf } from './shards.ts';

/**
 * Shards that divide what is asked say nothing alone: requirements are judged by what all of them have observed.
 * @param merged what the reports of the shards come to; what only some of them say is said anew
 */
export async function withSweepsMerged(
  contract: Contract,
  merged: Conformance,
  left: (ShardResults | undefined)[],
  reports: Conformance[],
): Promise<Conformance> {
  const shards = inOrder(left, reports);
  const results = await resultsOf(contract, shards);
  const runs = shards.map(({ run }) => run);
  const conclusion = evaluateStored(contract, merged, results, runs);
  const lacking = lackingIn(contract, reports);
  const all: Conformance = {
    ...merged,
    verdict: lacking.length > 0 ? 'error' : conclusion.verdict,
    notes: [...new Set([...lacking, ...timeNotes(reports), ...commonNotes(reports), ...conclusion.notes])],
    requirements: conclusion.requirements.map(resultOf),
    gates: conclusion.gates,
    findings: conclusion.findings,
    coverage: conclusion.coverage,
    sweeps: conclusion.sweeps ?? [],
    observed: results.behaviour?.observed ?? merged.observed,
    requestsMade: results.requests ?? [],
    durations: durationsOf(results.requests ?? []),
  };
  const folders = shards.map(({ folder }) => folder);
  return withMergedChanges(all, reports, folders);
}

/** Those that have left something, in the order of their numbers. */
const inOrder = (left: (ShardResults | undefined)[], reports: Conformance[]): ShardResults[] =>
  reports
    .flatMap((report, index) => (left[index] ? [{ number: numberOf(report), results: left[index] }] : []))
    .toSorted((one, other) => one.number - other.number)
    .map(({ results }) => results);

/** What one run would have left. */
async function resultsOf(contract: Contract, shards: ShardResults[]): Promise<RunResults> {
  const { sweeps, observations } = await mergedSweeps(contract, shards);
  const asked = shards.flatMap((shard) => shard.observations.filter(({ swept }) => !swept));
  const all = [...asked, ...observations];
  const probes = shards.flatMap(({ requests = [] }) => requests.filter(({ probe }) => probe));
  return {
    run: mergedRun(shards.map(({ run }) => run)),
    observations: all,
    // The first one sends what the contract leaves open.
    behaviour: shards[0]?.behaviour,
    requests: [...requestsOf(all, []), ...probes],
    sweeps,
  };
}

function mergedRun(runs: Run[]): Run | undefined {
  const [first] = runs;
  const requests = runs.reduce((sum, run) => sum + run.requests, 0);
  return first && { ...first, requests, repeated: summed(runs.map(({ repeated }) => repeated)) };
}

/** Sweeps of the same records are parts of one. */
async function mergedSweeps(
  contract: Contract,
  shards: ShardResults[],
): Promise<{ sweeps: SweepResult[]; observations: Observation[] }> {
  const parts = shards.flatMap(({ sweeps = [], folder }) => sweeps.map((sweep) => ({ sweep, folder })));
  const journals = [...new Set(parts.map(({ sweep }) => sweep.journal))];
  const all: Omit<Swept, 'earlierRequests'>[] = [];
  for (const journal of journals)
    all.push(
      await mergedSweep(
        contract,
        parts.filter(({ sweep }) => sweep.journal === journal),
      ),
    );
  return {
    sweeps: all.map(({ result }) => result),
    observations: all.flatMap(sweptObservations),
  };
}

/** Takes the pages of all parts of a sweep in their order, as one run does. @throws {MergeError} when a journal does not fit. */
export async function mergedSweep(
  contract: Contract,
  parts: StoredPart[],
): Promise<Omit<Swept, 'earlierRequests'>> {
  try {
    return await addedUpOf(contract, parts);
  } catch (error) {
    // A page of a journal may lack anything.
    throw error instanceof MergeError ? error : unreadable(parts.map(journalFile).join(' or '));
  }
}

async function addedUpOf(contract: Contract, parts: StoredPart[]): Promise<Omit<Swept, 'earlierRequests'>> {
  const across = acrossParts(printsOfParts(parts));
  const sweeps = parts.map(({ sweep }) => sweep);
  const edged = withEdges(inOrderOfNumbers(parts.map(pagesOfPart)), across);
  const pages = withGrown(withMissing(edged, sweeps), sweeps);
  const tally = new Tally(contract.operations);
  const once = new BrokenOnce();
  const all = await withAllTwins(contract, parts, once.noting(pages), across.twins);
  for (const page of all) tally.add(page);
  return { result: mergeParts(sweeps, tally, across, once), observations: tally.observations() };
}

async function withAllTwins(
  { operations }: Contract,
  [part]: StoredPart[],
  pages: Iterable<PageResult>,
  twins: number[],
): Promise<Iterable<PageResult>> {
  const operation = operations.find(({ id }) => id === part?.sweep.operation);
  const list = operation && (await exchangesOf(operation)).sweptList;
  return list && part?.sweep.pointer !== '' ? withTwins(pages, operation, list, twins) : pages;
}

/** Whether requirements have to be judged anew, since the shards have divided what was asked. */
export const hasSweeps = (reports: Conformance[]): boolean =>
  reports.some(({ sweeps = [] }) => sweeps.length > 0);
