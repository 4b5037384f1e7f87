import type { Contract } from '../../schemas/contract/contract.ts';
import { type Run, type RunResults, readStoredResults } from '../../tests/run/results.ts';
import { usesOf } from '../../tests/run/used-results.ts';
import type { SweepResult } from '../../tests/sweep/results/result.ts';
import type { RunConclusion } from '../../tests/verdict/verdict.ts';
import type { Conformance } from '../conformance.ts';
import { checkStoredResults } from './check-stored-results.ts';
import { isUnfinished } from './completeness.ts';
import { evaluateStored, firstDifference, firstLeftOut } from './evaluate-stored.ts';
import { MergeError } from './shards.ts';

/** What a shard has left, by which what it says is added up to what the others say. */
export interface ShardResults extends RunResults {
  folder: string;
  run: Run;
}

/** The same with the verdicts that follow from it. */
interface EvaluatedResults extends ShardResults {
  conclusion: RunConclusion;
}

/**
 * What the shards have left beside their reports, each in its folder. Of one that did not come to its end there may be
 * nothing.
 * @throws {MergeError} when something is not there, or is not of the run whose report stands beside it.
 */
export function readShardResults(
  contract: Contract,
  folders: string[],
  reports: Conformance[],
): (ShardResults | undefined)[] {
  const left = reports.map((report, index) => resultsOf(contract, folders[index] ?? '', report));
  assertSameSweeps(left.flatMap((one) => one ?? []));
  return left;
}

/**
 * What a shard that came to its end has left beside its report.
 * @throws {MergeError} when it is not of the same run, or shows something else.
 */
export function evaluatedResults(contract: Contract, folder: string, report: Conformance): EvaluatedResults {
  const left = ownResults(folder, report);
  const { addresses, failed } = usesOf({ reportsDir: folder });
  const conclusion = evaluateStored(contract, report, left, [left.run], failed);
  const address = firstDifference(report, conclusion) ?? firstLeftOut(contract, report, addresses);
  if (address === undefined) return { ...left, conclusion };
  throw new MergeError(
    `the report in ${folder} says something else of ${address} than the observations beside it: ${asOneRun}`,
  );
}

const asOneRun = 'merge needs REPORTS_DIR as one run has left it';

function ownResults(folder: string, report: Conformance): ShardResults {
  const left = storedIn(folder, report);
  if (!left)
    throw new MergeError(
      `${folder} holds no observations of its shard: merge needs the whole of REPORTS_DIR`,
    );
  if (!isOf(report, left))
    throw new MergeError(
      `the observations in ${folder} are not of the run whose report stands beside them: ${asOneRun}`,
    );
  return left;
}

function resultsOf(contract: Contract, folder: string, report: Conformance): ShardResults | undefined {
  if (!isUnfinished(report)) return evaluatedResults(contract, folder, report);
  const left = storedIn(folder, report);
  return left && isOf(report, left) ? left : undefined;
}

/** What is in a folder; nothing where it cannot be read and the shard did not come to its end. */
function storedIn(folder: string, report: Conformance): ShardResults | undefined {
  try {
    checkStoredResults(folder);
  } catch (error) {
    if (isUnfinished(report)) return undefined;
    throw error;
  }
  const { run, problem, ...rest } = readStoredResults(folder);
  return run && !problem ? { ...rest, run, folder } : undefined;
}

/** Whether observations are of the run that a report is of, as far as both say. */
function isOf(report: Conformance, results: ShardResults): boolean {
  const { run, sweeps = [], traffic, behaviour } = results;
  const keys = ['target', 'profile', 'contract', 'startedAt', 'requests'] as const;
  return (
    keys.every((key) => report[key] === run[key]) &&
    (run.mock ?? report.mock) === report.mock &&
    (report.sweeps ?? []).length === sweeps.length &&
    report.observed.length === (behaviour?.observed ?? []).length &&
    (report.traffic === undefined) === (traffic === undefined) &&
    sweeps.every(({ part }) => isPartOf(report, part)) &&
    hasAllRequests(report, results)
  );
}

/** Whether each request of a report has left an observation. Reports of earlier versions do not list them. */
function hasAllRequests(
  { requestsMade }: Conformance,
  { requests = [], observations }: ShardResults,
): boolean {
  const judged = requests.filter(({ probe }) => !probe);
  return (
    requestsMade === undefined ||
    (requestsMade.length === requests.length && judged.length === observations.length)
  );
}

const isPartOf = ({ shard }: Conformance, part: SweepResult['part']): boolean =>
  part?.current === shard?.current && part?.total === shard?.total;

/** What only some shards have swept, none has swept to its end. */
function assertSameSweeps(left: ShardResults[]): void {
  const kinds = left.map(({ sweeps = [] }) => sweeps.map(kindOf).join('; '));
  const odd = kinds.findIndex((kind) => kind !== kinds[0]);
  if (odd > 0)
    throw new MergeError(
      `the shards in ${left[0]?.folder} and ${left[odd]?.folder} have swept different things (${kinds[0] || 'nothing'}, and ${kinds[odd] || 'nothing'}): run all with the same SWEEP, SWEEP_SEED and files of identifiers`,
    );
}

const kindOf = ({ operation, noun, mode, seed }: SweepResult): string =>
  [operation, noun, mode, ...(seed === undefined ? [] : [seed])].join(' ');
