import { html } from 'hono/html';
import { formatCount } from '../../schemas/counted.ts';
import { runVerdicts, signs, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance } from '../conformance.ts';
import { formatDay, formatMinute } from '../lines.ts';
import type { Html } from './html.ts';

/* Earlier runs of a target on a site: `history.json`, and the texts about it. */

/** Run in `history.json`, with the versions and hashes that tell a change of the target from one of suite or settings. */
export interface PublishedRun
  extends Pick<Conformance, 'startedAt' | 'verdict' | 'suite' | 'contract' | 'ledger' | 'configuration'> {
  /** Address of the run in the pipeline that judged it. */
  link?: string;
  /** Sentence of the verdict; only if the run judged nothing, for example because the target was out of order. */
  unjudged?: string;
  /** Verdicts of the requirements that did not pass, keyed by address. Older versions of the suite did not write them. */
  verdicts?: Record<string, Verdict>;
}

/** Returns the newest run that judged anything, or the newest run if none did. */
export const findLatestJudged = (history: PublishedRun[]): PublishedRun | undefined =>
  history.findLast(({ unjudged }) => !unjudged) ?? history.at(-1);

/** Formats "Not checked since … (2 runs): … The results below are of …"; undefined if the newest run judged something. */
export function describeUnchecked(history: PublishedRun[]): string | undefined {
  const judgedRun = findLatestJudged(history);
  const unchecked = judgedRun ? history.slice(history.indexOf(judgedRun) + 1) : [];
  const [first] = unchecked;
  if (!first || !judgedRun) return undefined;
  const runs = unchecked.length > 1 ? ` (${formatCount(unchecked.length, 'run')})` : '';
  const reason = unchecked.at(-1)?.unjudged?.replace(/^ERROR[^:]*: /, '');
  return `Not checked since ${formatMinute(first.startedAt)}${runs}: ${reason}. The results below are of ${formatMinute(judgedRun.startedAt)}.`;
}

/** Formats the number of runs of each verdict: "5 runs since 2026-03-02: 4 pass, 1 fail". */
export function describeTrend(history: PublishedRun[]): string {
  const counts = runVerdicts.flatMap((verdict) => {
    const { length } = history.filter((run) => run.verdict === verdict);
    return length > 0 ? [`${length} ${verdict}`] : [];
  });
  return `${formatCount(history.length, 'run')} since ${formatDay(history[0]?.startedAt ?? '')}: ${counts.join(', ')}`;
}

/** Formats "Broken since 2026-03-02 08:00 UTC", or "Passes since …". Runs that judged nothing do not count. */
export function describeLastingViolations(history: PublishedRun[]): string {
  const judgedRuns = history.filter(({ unjudged }) => !unjudged);
  const passes = judgedRuns.at(-1)?.verdict === 'pass';
  const lastSeries = judgedRuns.slice(
    judgedRuns.findLastIndex(({ verdict }) => (verdict === 'pass') !== passes) + 1,
  );
  const first = passes ? lastSeries[0] : lastSeries.find(({ verdict }) => verdict === 'fail');
  if (!first) return '';
  const when =
    first === judgedRuns[0]
      ? `since the first run here, ${formatMinute(first.startedAt)}`
      : `since ${formatMinute(first.startedAt)}`;
  return `${passes ? 'Passes' : 'Broken'} ${when}`;
}

/** Number of runs that a trend shows without being opened. */
const maxUnfolded = 10;

/** Renders the runs with dates and verdicts, the newest first. Folds all but the ten newest. */
export function renderTrend(history: PublishedRun[]): Html {
  const trendEntries = history.toReversed().map(renderRun);
  const earlier = trendEntries.slice(maxUnfolded);
  return html`<ol class="trend">${trendEntries.slice(0, maxUnfolded)}</ol>
    ${earlier.length > 0 && html`<details><summary>${formatCount(earlier.length, 'earlier run')}</summary><ol class="trend">${earlier}</ol></details>`}`;
}

/** CSS class, sign and word of a run in the trend, keyed by its verdict. */
const marks = {
  pass: ['pass', signs.pass, 'pass'],
  fail: ['violation', signs.violation, 'fail'],
  error: ['blocked', signs.error, 'error'],
} as const;

/** Renders a run of the trend, with a link to the pipeline if it has one. */
function renderRun({ startedAt, verdict, unjudged, link }: PublishedRun): Html {
  const [color, sign, word] = unjudged
    ? (['blocked', signs.blocked, 'not checked'] as const)
    : marks[verdict];
  const text = html`<span aria-hidden="true">${sign}</span> <time datetime="${startedAt}">${formatDay(startedAt)}</time> ${word}`;
  return html`<li class="mark ${color}">${link ? html`<a href="${link}">${text}</a>` : text}</li>`;
}
