import { html } from 'hono/html';
import { areAlike, type Comparison, type Difference, sentenceOf } from '../comparison/compare-runs.ts';
import {
  type ComparisonTable,
  differenceTables,
  factsOf,
  undecidedTables,
  undecidedText,
} from '../comparison/tables.ts';
import { type Html, prose } from './badges.ts';
import { table } from './fields.ts';
import { pageHead } from './page-head.ts';

/** `compare.html`: two runs side by side. It needs no script, and may not reach for the network. */
export function comparisonPage(comparison: Comparison): string {
  const tables = [...differenceTables(comparison), factsOf(comparison)];
  const undecided = undecidedTables(comparison);
  const page = html`<!doctype html>
<html lang="en">
${pageHead(sentenceOf(comparison))}
<body>
<a class="skip" href="#main">Skip to the content</a>
<header id="verdict" class="verdict ${areAlike(comparison) ? 'pass' : ''}">
  <h1>${sentenceOf(comparison)}</h1>
  ${comparison.caveats.map((caveat) => html`<p class="note"><strong>${caveat}</strong></p>`)}
</header>
<nav aria-label="Contents">
  <ul>${[...tables, ...undecided.slice(0, 1).map(() => folded)].map(entry)}</ul>
  <ul class="reports"><li><a href="compare.md">Summary</a></li></ul>
</nav>
<main id="main">
${tables.map((one) => section(one, comparison))}
${undecided.length > 0 ? rest(comparison, undecided) : ''}
</main>
</body>
</html>
`;
  return String(page);
}

const folded = { id: 'undecided', title: 'Undecided' };

const entry = ({ id, title }: Pick<ComparisonTable, 'id' | 'title'>) =>
  html`<li><a href="#${id}">${title}</a></li>`;

function section({ id, title, rows }: ComparisonTable, { labels }: Comparison): Html {
  const heads = [id === 'runs' ? 'Fact' : 'Place', ...labels];
  return html`<section id="${id}" aria-label="${title}">${table(
    title,
    heads,
    rows.map((one) => row(one, labels)),
  )}</section>`;
}

const row = ({ id, statement, sides }: Difference, labels: Comparison['labels']) => html`<tr role="row">
  <th role="rowheader" scope="row"><code>${id}</code>${statement && html`<p>${prose(statement)}</p>`}</th>
  ${sides.map((side, index) => html`<td role="cell" data-label="${labels[index]}">${prose(side)}</td>`)}
</tr>`;

const rest = (comparison: Comparison, tables: ComparisonTable[]) =>
  html`<section id="undecided" aria-labelledby="undecided-title"><h2 id="undecided-title">${folded.title}</h2>
  <details><summary>${undecidedText(comparison)}</summary>${tables.map((one) => section(one, comparison))}</details></section>`;
