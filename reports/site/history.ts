import { existsSync } from 'node:fs';
import { isRecord } from '../../schemas/json/read.ts';
import { readRegularFile } from '../../tests/configuration/regular-file.ts';
import { isTime } from '../../tests/run/previous.ts';
import { isRunVerdict, type RunVerdict } from '../../tests/verdict/verdicts.ts';
import { type Conformance, withVerdict } from '../conformance.ts';
import { ReportError } from '../read-conformance.ts';

/** What a site keeps of a run. */
export interface PublishedRun {
  /** As `Date` writes it. */
  startedAt: string;
  verdict: RunVerdict;
  /** Percentage of schema nodes. */
  coverage: number;
  violations: number;
}

/** How many runs of a target a site keeps: two months of nights. */
export const maxRuns = 60;

/** What a site keeps of a `conformance.json`. */
export const publishedRunOf = (run: Conformance): PublishedRun => ({
  startedAt: run.startedAt,
  verdict: run.verdict,
  coverage: run.coverage.nodes.percentage,
  violations: withVerdict(run, 'violation').length,
});

/** A history with one more run, the oldest first. A run that is published again is in it once. */
export const withRun = (history: PublishedRun[], run: PublishedRun): PublishedRun[] =>
  [...history.filter(({ startedAt }) => startedAt !== run.startedAt), run]
    .sort((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
    .slice(-maxRuns);

/** How far clocks may be apart. */
const tolerableMs = 24 * 3600 * 1000;

/** Whether a run began at a moment that is to come, or that no clock shows. */
export const isFuture = ({ startedAt }: Pick<PublishedRun, 'startedAt'>): boolean =>
  !(Date.parse(startedAt) < Date.now() + tolerableMs);

/** The history in a file; empty where there is none. @throws {ReportError} when the file holds something else. */
export function readHistory(file: string): PublishedRun[] {
  if (!existsSync(file)) return [];
  try {
    const history: unknown = JSON.parse(readRegularFile(file).toString('utf8'));
    if (Array.isArray(history) && history.every(isPublishedRun)) return history.slice(-maxRuns);
  } catch {
    // Reported below, like JSON of something else.
  }
  throw new ReportError(`${file} is no history of a site: remove it, and the trend begins anew`);
}

function isPublishedRun(run: unknown): run is PublishedRun {
  if (!isRecord(run)) return false;
  const { startedAt, verdict, coverage, violations } = run;
  const isCount = (number: unknown) => typeof number === 'number' && number >= 0;
  return (
    isTime(startedAt) &&
    !isFuture({ startedAt }) &&
    isRunVerdict(verdict) &&
    [coverage, violations].every(isCount) &&
    Number(coverage) <= 100
  );
}
