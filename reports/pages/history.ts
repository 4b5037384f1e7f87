import { html } from 'hono/html';
import { formatCount } from '../../schemas/counted.ts';
import { endSentence } from '../../src/verdict/gates.ts';
import { runVerdicts, signs } from '../../src/verdict/verdicts.ts';
import type { Conformance } from '../conformance.ts';
import { formatDay, formatMinute } from '../lines.ts';
import type { Html } from './html.ts';

/** Run in the `history.json` of a target. */
export interface PublishedRun extends Pick<Conformance, 'startedAt' | 'verdict'> {
  /** URL of the run in the pipeline. */
  link?: string;
  /** Verdict sentence, such as "ERROR: …", of a run that judged nothing. Any other run has no `unjudged`. */
  unjudged?: string;
}

/**
 * Finds the newest run that judged at least one requirement. If no run did, returns the newest run.
 * @param history oldest run first
 */
export const findLatestJudged = (history: PublishedRun[]): PublishedRun | undefined =>
  history.findLast(({ unjudged }) => !unjudged) ?? history.at(-1);

/** Matches the beginning of a verdict sentence, such as "ERROR: " or "ERROR (MOCK): ". */
const errorPrefix = /^ERROR[^:]*: /;

/**
 * Explains that the newest runs judged nothing: "Could not be checked since 2026-03-02 08:00 UTC (2 runs): …".
 * "Could not be checked since" has the time of the first of these runs.
 * The text ends with the time of the latest run that judged anything: "The results below are of 2026-03-01 08:00 UTC."
 * @param history oldest run first
 * @returns undefined if the newest run judged anything, or if no run judged anything
 */
export function describeUnchecked(history: PublishedRun[]): string | undefined {
  const judgedRun = findLatestJudged(history);
  if (!judgedRun) return undefined;
  const uncheckedRuns = history.slice(history.indexOf(judgedRun) + 1);
  const firstUnchecked = uncheckedRuns.at(0);
  const lastUnchecked = uncheckedRuns.at(-1);
  if (!firstUnchecked || !lastUnchecked) return undefined;
  const start = formatMinute(firstUnchecked.startedAt);
  const countText = uncheckedRuns.length > 1 ? ` (${formatCount(uncheckedRuns.length, 'run')})` : '';
  const { unjudged: verdictSentence } = lastUnchecked;
  const reason = verdictSentence?.replace(errorPrefix, '') ?? '';
  return `Could not be checked since ${start}${countText}: ${endSentence(reason)} The results below are of ${formatMinute(judgedRun.startedAt)}.`;
}

/** Formats "5 runs since 2026-03-02: 4 pass, 1 fail". @param history oldest run first */
export function describeTrend(history: PublishedRun[]): string {
  const countTexts: string[] = [];
  for (const verdict of runVerdicts) {
    const count = history.filter((run) => run.verdict === verdict).length;
    if (count > 0) countTexts.push(`${count} ${verdict}`);
  }
  const firstDay = formatDay(history[0]?.startedAt ?? '');
  return `${formatCount(history.length, 'run')} since ${firstDay}: ${countTexts.join(', ')}`;
}

/**
 * Formats since when the target passes: "Passes since 2026-03-02 08:00 UTC".
 * If the latest run did not pass, formats "Broken since 2026-03-02 08:00 UTC".
 * "Passes since" has the time of the first run with the verdict `pass` after the last run with another verdict.
 * "Broken since" has the time of the first run with the verdict `fail` after the last run with the verdict `pass`.
 * If no run before this time judged anything, the words "the first run here, " stand before the time.
 * Ignores runs that judged nothing.
 * @param history oldest run first
 * @returns an empty text if no run judged anything, or if each run after the last pass has the verdict `error`
 */
export function describeLatestSeries(history: PublishedRun[]): string {
  const judgedRuns = history.filter(({ unjudged: reasonUnjudged }) => !reasonUnjudged);
  const hasPassed = ({ verdict }: PublishedRun) => verdict === 'pass';
  const latestRun = judgedRuns.at(-1);
  if (!latestRun) return '';
  const isPassing = hasPassed(latestRun);
  // -1 if all runs have the outcome of the latest run.
  const lastOtherIndex = judgedRuns.findLastIndex((run) => hasPassed(run) !== isPassing);
  const latestSeries = judgedRuns.slice(lastOtherIndex + 1);
  // A broken series may begin with runs that ended with an error. It counts from the first run that failed.
  const firstRun = isPassing ? latestSeries[0] : latestSeries.find(({ verdict }) => verdict === 'fail');
  if (!firstRun) return '';
  const time = formatMinute(firstRun.startedAt);
  const start = firstRun === judgedRuns[0] ? `the first run here, ${time}` : time;
  return `${isPassing ? 'Passes' : 'Broken'} since ${start}`;
}

const maxUnfoldedRuns = 10;

export function renderTrend(history: PublishedRun[]): Html {
  const trendEntries = history.toReversed().map(renderRun);
  const earlier = trendEntries.slice(maxUnfoldedRuns);
  return html`<ol class="trend">${trendEntries.slice(0, maxUnfoldedRuns)}</ol>
    ${earlier.length > 0 && html`<details><summary>${formatCount(earlier.length, 'earlier run')}</summary><ol class="trend">${earlier}</ol></details>`}`;
}

const verdictMarks = {
  pass: ['pass', signs.pass, 'pass'],
  fail: ['violation', signs.violation, 'fail'],
  error: ['blocked', signs.error, 'error'],
} as const;

function renderRun({ startedAt, verdict, unjudged, link }: PublishedRun): Html {
  const [color, sign, word] = unjudged
    ? (['blocked', signs.blocked, 'not checked'] as const)
    : verdictMarks[verdict];
  const text = html`<span aria-hidden="true">${sign}</span> <time datetime="${startedAt}">${formatDay(startedAt)}</time> ${word}`;
  return html`<li class="mark ${color}">${link ? html`<a href="${link}">${text}</a>` : text}</li>`;
}
