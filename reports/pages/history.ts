import { html } from 'hono/html';
import { formatCount } from '../../schemas/counted.ts';
import { endSentence } from '../../src/verdict/gates.ts';
import { runVerdicts, signs, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance } from '../conformance.ts';
import { formatDay, formatMinute } from '../lines.ts';
import type { Html } from './html.ts';

/** Run in the `history.json` of a target. Versions and hashes tell whether suite, contract, ledger or configuration changed. */
export interface PublishedRun
  extends Pick<Conformance, 'startedAt' | 'verdict' | 'suite' | 'contract' | 'ledger' | 'configuration'> {
  link?: string;
  /** Sentence of the verdict if the run judged nothing, for example because the target was down. */
  unjudged?: string;
  /** Verdicts other than `pass`, keyed by address; undefined if an older version of the suite wrote the run. */
  verdicts?: Record<string, Verdict>;
}

/** Finds the newest run that judged anything, or else the newest one. @param history oldest run first */
export const findLatestJudged = (history: PublishedRun[]): PublishedRun | undefined =>
  history.findLast(({ unjudged }) => !unjudged) ?? history.at(-1);

/** Matches the beginning of a verdict sentence: "ERROR: ", "ERROR (MOCK): ". */
const errorPrefix = /^ERROR[^:]*: /;

/** Formats "Could not be checked since …" if the newest run judged nothing, and an earlier one did. Otherwise undefined. */
export function describeUnchecked(history: PublishedRun[]): string | undefined {
  const judgedRun = findLatestJudged(history);
  if (!judgedRun) return undefined;
  const uncheckedRuns = history.slice(history.indexOf(judgedRun) + 1);
  const [firstUnchecked] = uncheckedRuns;
  const lastUnchecked = uncheckedRuns.at(-1);
  if (!firstUnchecked) return undefined;
  const countText = uncheckedRuns.length > 1 ? ` (${formatCount(uncheckedRuns.length, 'run')})` : '';
  const reason = endSentence(lastUnchecked?.unjudged?.replace(errorPrefix, '') ?? '');
  return `Could not be checked since ${formatMinute(firstUnchecked.startedAt)}${countText}: ${reason} The results below are of ${formatMinute(judgedRun.startedAt)}.`;
}

/** Formats "5 runs since 2026-03-02: 4 pass, 1 fail". @param history oldest run first */
export function describeTrend(history: PublishedRun[]): string {
  const counts = runVerdicts.flatMap((verdict) => {
    const { length } = history.filter((run) => run.verdict === verdict);
    return length > 0 ? [`${length} ${verdict}`] : [];
  });
  return `${formatCount(history.length, 'run')} since ${formatDay(history[0]?.startedAt ?? '')}: ${counts.join(', ')}`;
}

/** Formats since when runs pass ("Passes since 2026-03-02 08:00 UTC") or fail ("Broken since …"); otherwise empty. */
export function describeLatestSeries(history: PublishedRun[]): string {
  const judgedRuns = history.filter(({ unjudged: reasonUnjudged }) => !reasonUnjudged);
  const passes = judgedRuns.at(-1)?.verdict === 'pass';
  // -1 if there is no other series.
  const endOfOtherSeries = judgedRuns.findLastIndex(({ verdict }) => (verdict === 'pass') !== passes);
  const latestSeries = judgedRuns.slice(endOfOtherSeries + 1);
  const first = latestSeries.find(({ verdict }) => verdict === (passes ? 'pass' : 'fail'));
  if (!first) return '';
  const time = formatMinute(first.startedAt);
  const when = first === judgedRuns[0] ? `since the first run here, ${time}` : `since ${time}`;
  return `${passes ? 'Passes' : 'Broken'} ${when}`;
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
