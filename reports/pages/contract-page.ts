import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Contract } from '../../schemas/contract/contract.ts';
import { originMark } from '../../tests/verdict/sentence.ts';
import type { Conformance } from '../conformance.ts';
import type { Html } from './badges.ts';
import { componentsSection } from './components.ts';
import { observedSection } from './observed.ts';
import { operationBadge, operationSection } from './operations.ts';
import { overview, verdictHeader } from './overview.ts';
import { pageHead } from './page-head.ts';
import { type ReportModel, reportModelOf } from './report-model.ts';

const script = readFileSync(new URL('contract.js', import.meta.url), 'utf8');

/** What lies beside a page. */
export interface PageLinks {
  /** Whether the Allure report does. */
  testReport?: boolean;
  /** File of the run that is shown. */
  data?: string | undefined;
  /** Page of all targets, where this one is published. */
  index?: string | undefined;
}

/** `contract.html`: the contract as a reference in which each place carries its result in a run. */
export function contractPage(contract: Contract, conformance: Conformance, links: PageLinks = {}): string {
  const model = reportModelOf(contract, conformance);
  const page = html`<!doctype html>
<html lang="en">
${pageHead(`${contract.title}: ${conformance.verdict}${originMark(conformance)} on ${conformance.target}`, script)}
<body>
<a class="skip" href="#main">Skip to the content</a>
${verdictHeader(model)}
${navigation(model, links)}
<main id="main">
${overview(model)}
${contract.operations.map((operation) => operationSection(model, operation))}
${componentsSection(model)}
${observedSection(model)}
</main>
<script>${raw(script)}</script>
</body>
</html>
`;
  return String(page);
}

function navigation(model: ReportModel, { testReport, data = 'conformance.json', index }: PageLinks): Html {
  const { contract, conformance } = model;
  const entry = (href: string, text: string, mark: Html | string = '') =>
    html`<li><a href="#${href}">${text}</a> ${mark}</li>`;
  return html`<nav aria-label="Contents">
    ${index ? html`<ul><li><a href="${index}">All targets</a></li></ul>` : ''}
    <form id="search" role="search" hidden>
      <label for="query">Search fields and rules</label>
      <input id="query" type="search" autocomplete="off" placeholder="token, violation, …">
      <p id="hits" role="status"></p>
    </form>
    <ul>
      ${conformance.changes ? entry('changes', 'Changes') : ''}
      ${entry('attention', 'What needs a look')}
      ${contract.operations.map(({ id, summary }) => entry(id, summary, operationBadge(model, id)))}
      ${entry('schemas', 'Schemas')}
      <li class="names"><ul>${Object.keys(contract.components).map((name) => entry(`schemas/${name}`, name))}</ul></li>
      ${conformance.observed.length > 0 ? entry('observed', 'Observed behaviour') : ''}
    </ul>
    <ul class="reports">
      ${testReport ? html`<li><a href="allure-report/index.html">Test report</a></li>` : ''}
      <li><a href="conformance.md">Summary</a></li>
      <li><a href="${data}">Data of the run</a></li>
    </ul>
  </nav>`;
}
