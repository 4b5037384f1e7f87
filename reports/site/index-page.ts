import { html } from 'hono/html';
import { counted } from '../../schemas/counted.ts';
import { verdictSentence } from '../../tests/verdict/sentence.ts';
import { badgeOf } from '../badge.ts';
import type { Conformance } from '../conformance.ts';
import { minute } from '../moments.ts';
import type { Html } from '../pages/badges.ts';
import { table } from '../pages/fields.ts';
import { pageHead } from '../pages/page-head.ts';
import type { PublishedRun } from './history.ts';
import { trend } from './trend.ts';

/** A target of a site, as it was judged last. */
export interface PublishedTarget {
  /** Its folder, relative to the site. */
  folder: string;
  run: Conformance;
  history: PublishedRun[];
  /** Whether the Allure report of the run is there. */
  testReport: boolean;
}

/** `index.html` of a site: every target with its latest run, its trend, and the way to its pages. */
export function indexPage(targets: PublishedTarget[]): string {
  const title = titleOf(targets);
  const page = html`<!doctype html>
<html lang="en">
${pageHead(title)}
<body>
<main id="main">
<header id="verdict" class="verdict ${gravestOf(targets)}">
  <h1>Lookup API conformance</h1>
  <p class="sentence"><strong>${title}</strong></p>
  <p class="meta">Each bar of a trend is a run: its height is the coverage, its colour and sign the verdict.</p>
</header>
${table('Targets', ['Target', 'Latest run', 'Trend', 'Reports'], targets.map(row))}
</main>
</body>
</html>
`;
  return String(page);
}

const gravestOf = (targets: PublishedTarget[]) =>
  (['error', 'fail'] as const).find((verdict) => targets.some(({ run }) => run.verdict === verdict)) ??
  'pass';

function titleOf(targets: PublishedTarget[]): string {
  const passing = targets.filter(({ run }) => run.verdict === 'pass').length;
  return `${passing} of ${counted(targets.length, 'target')} passed the latest run`;
}

function row({ folder, run, history, testReport }: PublishedTarget): Html {
  const { target, profile, startedAt } = run;
  return html`<tr role="row" class="target" id="${folder}">
    <th role="rowheader" scope="row"><a href="${folder}/contract.html"><b>${target}</b></a><p class="meta">profile ${profile}</p>${badgeImage(run)}</th>
    <td role="cell"><p>${verdictSentence(run)}</p><p class="meta"><time datetime="${startedAt}">${minute(startedAt)}</time></p></td>
    <td role="cell">${trend(history)}</td>
    <td role="cell"><ul class="links">${linksOf(folder, testReport)}</ul></td>
  </tr>`;
}

/** As data, since a page may load nothing. */
const badgeImage = (run: Conformance) =>
  html`<img src="data:image/svg+xml;base64,${Buffer.from(badgeOf(run)).toString('base64')}" alt="conformance: ${run.verdict}, ${run.coverage.nodes.percentage} % exercised">`;

function linksOf(folder: string, testReport: boolean): Html[] {
  const link = (file: string, text: string) => html`<li><a href="${folder}/${file}">${text}</a></li>`;
  return [
    link('contract.html', 'Contract page'),
    ...(testReport ? [link('allure-report/index.html', 'Test report')] : []),
    link('conformance.md', 'Summary'),
    link('conformance.json', 'Data of the run'),
    link('badge.svg', 'Badge'),
  ];
}
