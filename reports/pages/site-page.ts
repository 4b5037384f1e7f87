import { html } from 'hono/html';
import { formatCount } from '../../schemas/counted.ts';
import { formatVerdictSentence } from '../../src/verdict/sentence.ts';
import type { RunVerdict } from '../../src/verdict/verdicts.ts';
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
  /** Name such as `staging-documented` (target and profile). */
  folder: string;
  run: Conformance;
  /** Runs, the oldest first. */
  history: PublishedRun[];
  hasTestReport: boolean;
}

export function renderSitePage(targets: PublishedTarget[]): string {
  const isUnchecked = ({ history }: PublishedTarget) => describeUnchecked(history) !== undefined;
  const uncheckedCount = targets.filter(isUnchecked).length;
  // For an unchecked target, `run` is not its latest run.
  const verdicts = targets.map((target) => (isUnchecked(target) ? 'error' : target.run.verdict));
  const passCount = verdicts.filter((verdict) => verdict === 'pass').length;
  const uncheckedText = uncheckedCount > 0 ? `, ${uncheckedCount} could not be checked` : '';
  const title = `${passCount} of ${formatCount(targets.length, 'target')} passed the latest run${uncheckedText}`;
  const body = html`<main id="main">
<header id="verdict" class="verdict ${findWorstRunVerdict(verdicts)}">
  <h1>Lookup API conformance</h1>
  <p class="sentence"><strong>${title}</strong></p>
</header>
${renderTable('Targets', ['Target', 'Latest run', 'Trend', 'Reports'], targets.map(renderTarget))}
</main>`;
  return renderPage(title, body);
}

function findWorstRunVerdict(verdicts: RunVerdict[]): RunVerdict {
  if (verdicts.includes('error')) return 'error';
  return verdicts.includes('fail') ? 'fail' : 'pass';
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
    <td role="cell"><p><b>${describeLatestSeries(history)}</b></p><p class="meta">${describeTrend(history)}</p>${renderTrend(history)}${renderChanges(run)}</td>
    <td role="cell"><ul class="links">
      ${renderLink('contract.html', 'Contract page')}
      ${hasTestReport && renderLink('allure-report/index.html', 'Test report')}
      ${renderLink('conformance.md', 'Summary')}
      ${renderLink('conformance.json', 'Data of the run')}
      ${renderLink('badge.svg', 'Badge')}
    </ul></td>
  </tr>`;
}

function renderLatestRun(run: Conformance, history: PublishedRun[]): Html {
  const uncheckedText = describeUnchecked(history);
  const uncheckedNote = uncheckedText && html`<p class="note"><strong>${uncheckedText}</strong></p>`;
  const sentence = allowLineBreaks(formatVerdictSentence(run));
  const time = html`<time datetime="${run.startedAt}">${formatMinute(run.startedAt)}</time>`;
  return html`${uncheckedNote}<p>${sentence}</p><p class="meta">${time}, ${formatVersions(run)}</p>`;
}

function renderChanges(run: Conformance): Html | false {
  if (!run.changes) return false;
  const formatters = { maxAddresses: 10, formatCode: (text: string) => `\`${text}\`` };
  const lines = formatChangeLines(run, formatters);
  return html`<details><summary>Changes since ${formatMinute(run.changes.since.startedAt)}</summary>
    <ul>${lines.map((line) => html`<li>${renderProse(line)}</li>`)}</ul></details>`;
}
