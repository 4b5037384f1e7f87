import { html } from 'hono/html';
import { counted } from '../../schemas/counted.ts';
import { runVerdicts, signs, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance } from '../conformance.ts';
import { day, minute } from '../lines.ts';
import type { Html } from './html.ts';

/* Earlier runs of a target on a site: `history.json`, and how the index shows it. */

/** Entry of `history.json`. Hashes and versions show whether the target or its judge has changed. */
export interface PublishedRun
  extends Pick<Conformance, 'startedAt' | 'verdict' | 'suite' | 'contract' | 'ledger' | 'configuration'> {
  /** Address of the pipeline's run. */
  link?: string;
  /** Verdict in a sentence, if the run judged nothing, as during an outage. */
  unjudged?: string;
  /** Requirements that did not pass, with their verdicts. Absent in earlier histories. */
  verdicts?: Record<string, Verdict>;
}

/** Returns the newest run that judged anything, or else the newest one. */
export const latestJudged = (history: PublishedRun[]): PublishedRun | undefined =>
  history.findLast(({ unjudged }) => !unjudged) ?? history.at(-1);

/** Says since when a target could not be checked, and why; undefined if the newest run judged something. */
export function uncheckedText(history: PublishedRun[]): string | undefined {
  const shown = latestJudged(history);
  const unchecked = shown ? history.slice(history.indexOf(shown) + 1) : [];
  const [first] = unchecked;
  if (!first || !shown) return undefined;
  const runs = unchecked.length > 1 ? ` (${counted(unchecked.length, 'run')})` : '';
  const reason = unchecked.at(-1)?.unjudged?.replace(/^ERROR[^:]*: /, '');
  return `Not checked since ${minute(first.startedAt)}${runs}: ${reason}. The results below are of ${minute(shown.startedAt)}.`;
}

/** Since when the verdict of the last judged run holds, and how many runs had which verdict. */
export function trendText(history: PublishedRun[]): string {
  const counts = runVerdicts.flatMap((verdict) => {
    const { length } = history.filter((run) => run.verdict === verdict);
    return length > 0 ? [`${length} ${verdict}`] : [];
  });
  return `${counted(history.length, 'run')} since ${day(history[0]?.startedAt ?? '')}: ${counts.join(', ')}`;
}

/** "Broken since 2026-03-02 08:00 UTC", or "Passes since …". Runs that judged nothing do not count. */
export function lastingText(history: PublishedRun[]): string {
  const judged = history.filter(({ unjudged }) => !unjudged);
  const passes = judged.at(-1)?.verdict === 'pass';
  const lasting = judged.slice(judged.findLastIndex(({ verdict }) => (verdict === 'pass') !== passes) + 1);
  const first = passes ? lasting[0] : lasting.find(({ verdict }) => verdict === 'fail');
  if (!first) return '';
  const when =
    first === judged[0]
      ? `since the first run here, ${minute(first.startedAt)}`
      : `since ${minute(first.startedAt)}`;
  return `${passes ? 'Passes' : 'Broken'} ${when}`;
}

/** Number of runs of a trend that are not folded. */
const maxInSight = 10;

/** Lists the runs with their dates, the newest first. Earlier ones are folded. */
export function trendList(history: PublishedRun[]): Html {
  const entries = history.toReversed().map(trendEntry);
  const earlier = entries.slice(maxInSight);
  return html`<ol class="trend">${entries.slice(0, maxInSight)}</ol>
    ${earlier.length > 0 && html`<details><summary>${counted(earlier.length, 'earlier run')}</summary><ol class="trend">${earlier}</ol></details>`}`;
}

/** Sign, colour and word of the runs of a trend. */
const marks = {
  pass: ['pass', signs.pass, 'pass'],
  fail: ['violation', signs.violation, 'fail'],
  error: ['blocked', signs.error, 'error'],
} as const;

function trendEntry({ startedAt, verdict, unjudged, link }: PublishedRun): Html {
  const [color, sign, word] = unjudged
    ? (['blocked', signs.blocked, 'not checked'] as const)
    : marks[verdict];
  const text = html`<span aria-hidden="true">${sign}</span> <time datetime="${startedAt}">${day(startedAt)}</time> ${word}`;
  return html`<li class="mark ${color}">${link ? html`<a href="${link}">${text}</a>` : text}</li>`;
}
