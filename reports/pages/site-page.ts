import { html } from 'hono/html';
import { formatCount } from '../../schemas/counted.ts';
import { addChanges } from '../../src/verdict/changes.ts';
import { formatVerdictSentence } from '../../src/verdict/sentence.ts';
import type { Conformance } from '../conformance.ts';
import { formatChangeLines, formatMinute, formatVersions } from '../lines.ts';
import { renderBadge } from '../write.ts';
import {
  describeLatestSeries,
  describeTrend,
  describeUnchecked,
  type PublishedRun,
  renderTrend,
} from './history.ts';
import { allowLineBreaks, type Html, renderPage, renderProse, renderTable } from './html.ts';

export interface PublishedTarget {
  /** Name of the target's folder on the site, such as `staging-documented`. */
  folder: string;
  run: Conformance;
  /** Runs of the target, the oldest first. */
  history: PublishedRun[];
  hasTestReport: boolean;
}

export function renderSitePage(targets: PublishedTarget[]): string {
  const uncheckedCount = targets.filter(({ history }) => describeUnchecked(history)).length;
  // For an unchecked target, `run` is not its latest run.
  const verdicts = targets.map(({ run, history }) => (describeUnchecked(history) ? 'error' : run.verdict));
  const worstVerdict = (['error', 'fail'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'pass';
  const passCount = verdicts.filter((verdict) => verdict === 'pass').length;
  const uncheckedText = uncheckedCount > 0 ? `, ${uncheckedCount} could not be checked` : '';
  const title = `${passCount} of ${formatCount(targets.length, 'target')} passed the latest run${uncheckedText}`;
  const body = html`<main id="main">
<header id="verdict" class="verdict ${worstVerdict}">
  <h1>Lookup API conformance</h1>
  <p class="sentence"><strong>${title}</strong></p>
</header>
${renderTable('Targets', ['Target', 'Latest run', 'Trend', 'Reports'], targets.map(renderTarget))}
</main>`;
  return renderPage(title, body);
}

function renderTarget({ folder, run, history, hasTestReport }: PublishedTarget): Html {
  const { target, profile, verdict, coverage } = run;
  // A `data:` URL (RFC 2397), because the Content-Security-Policy of the page (`img-src data:`) blocks other images.
  const badge = `data:image/svg+xml;base64,${Buffer.from(renderBadge(run)).toString('base64')}`;
  const renderLink = (file: string, text: string) => html`<li><a href="${folder}/${file}">${text}</a></li>`;
  return html`<tr role="row" class="target" id="${folder}">
    <th role="rowheader" scope="row"><a href="${folder}/contract.html"><b>${target}</b></a><p class="meta">profile ${profile}</p>
      <img src="${badge}" alt="conformance: ${verdict}, ${coverage.nodes.percentage} % exercised"></th>
    <td role="cell">${renderLatestRun(run, history)}</td>
    <td role="cell"><p><b>${describeLatestSeries(history)}</b></p><p class="meta">${describeTrend(history)}</p>${renderTrend(history)}${renderChanges(run, history)}</td>
    <td role="cell"><ul class="links">
      ${renderLink('contract.html', 'Contract page')}
      ${hasTestReport && renderLink('allure-report/index.html', 'Test report')}
      ${renderLink('conformance.md', 'Summary')}
      ${renderLink('conformance.json', 'Data of the run')}
      ${renderLink('badge.svg', 'Badge')}
    </ul></td>
  </tr>`;
}

/** Renders the verdict and the time of a run. If later runs could not check the target, a note says so first. */
function renderLatestRun(run: Conformance, history: PublishedRun[]): Html {
  const uncheckedText = describeUnchecked(history);
  const uncheckedNote = uncheckedText && html`<p class="note"><strong>${uncheckedText}</strong></p>`;
  const sentence = allowLineBreaks(formatVerdictSentence(run));
  const time = html`<time datetime="${run.startedAt}">${formatMinute(run.startedAt)}</time>`;
  return html`${uncheckedNote}<p>${sentence}</p><p class="meta">${time}, ${formatVersions(run)}</p>`;
}

/** Compares a run with earlier runs. Groups earlier runs with the same differences; an entry shows the oldest time of its group. */
function renderChanges(run: Conformance, history: PublishedRun[]): Html | false {
  // A run with the verdict `error` has no reliable verdicts to compare.
  const earlierRuns = history.filter(
    ({ startedAt, verdicts, verdict }) => verdicts && verdict !== 'error' && startedAt < run.startedAt,
  );
  const oldestStartByChanges = new Map<string, string>();
  // From the newest to the oldest run, so that the oldest run overwrites the others.
  for (const earlierRun of earlierRuns.toReversed())
    oldestStartByChanges.set(formatChanges(run, earlierRun), earlierRun.startedAt);
  if (oldestStartByChanges.size === 0) return false;
  const renderEntry = ([changes, since]: [changes: string, since: string]) =>
    html`<li>Since ${formatMinute(since)}: ${renderProse(changes)}</li>`;
  return html`<details><summary>What has changed</summary>
    <ul>${[...oldestStartByChanges].map(renderEntry)}</ul></details>`;
}

function formatChanges(run: Conformance, publishedRun: PublishedRun): string {
  const { changes } = addChanges(run, restoreRun(publishedRun, run));
  if (!changes) return '';
  const formatters = { maxAddresses: 10, formatCode: (text: string) => `\`${text}\`` };
  return formatChangeLines({ ...run, changes }, formatters).join('; ');
}

/** Adds to an earlier run what `history.json` omits: verdicts `pass`, and gates, copied from `run` so that no gate differs. */
function restoreRun({ verdicts = {}, ...publishedRun }: PublishedRun, run: Conformance) {
  const { target, profile, gates } = run;
  const requirements = run.requirements.map((requirement) => ({
    ...requirement,
    verdict: verdicts[requirement.address] ?? 'pass',
  }));
  return { ...publishedRun, target, profile, gates, requirements };
}
