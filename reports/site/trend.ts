import { html } from 'hono/html';
import { counted } from '../../schemas/counted.ts';
import { runVerdicts } from '../../tests/verdict/verdicts.ts';
import { day, minute } from '../moments.ts';
import type { Html } from '../pages/badges.ts';
import type { PublishedRun } from './history.ts';

/** In units of the drawing. */
const width = 240;
const height = 40;
const widestBar = 12;

/** The runs of a target as bars: coverage by height, verdict by colour, and by a sign where it is not `pass`. */
export function trend(history: PublishedRun[]): Html {
  const step = Math.min(widestBar, width / Math.max(1, history.length));
  return html`<svg class="trend" role="img" viewBox="0 -8 ${width} ${height + 8}" aria-label="Coverage and verdict of each run">
    ${history.map((run, index) => bar(run, index * step, step))}
  </svg>
  <p class="meta">${trendText(history)}</p>`;
}

function bar(run: PublishedRun, left: number, step: number): Html {
  const { startedAt, verdict, coverage, violations } = run;
  const tall = Math.max(1, (coverage / 100) * height);
  const top = height - tall;
  const about = `${minute(startedAt)}: ${verdict}, ${coverage} % exercised, ${violations} violated`;
  return html`<g class="${verdict}"><title>${about}</title>
    <rect x="${left}" y="${top}" width="${step * 0.8}" height="${tall}"></rect>
    ${verdict === 'pass' ? '' : html`<text x="${left + step * 0.4}" y="${top - 2}">${verdict === 'fail' ? '✗' : '!'}</text>`}</g>`;
}

/** The same in words: how many runs since when, and how many of them had each verdict. */
export function trendText(history: PublishedRun[]): string {
  const [first] = history;
  if (!first) return 'no run';
  const counts = runVerdicts
    .map((verdict) => [verdict, history.filter((run) => run.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
  return `${counted(history.length, 'run')} since ${day(first.startedAt)}: ${counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`;
}
