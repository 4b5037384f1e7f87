import { html } from 'hono/html';
import type { Operation } from '../../schemas/contract/contract.ts';
import { times } from '../../schemas/counted.ts';
import { gravest, notSelected, verdictCounts } from '../../tests/verdict/verdicts.ts';
import { type UndeclaredField, undeclaredFieldsOf } from '../entries.ts';
import { badge, type Html, prose } from './badges.ts';
import { durationsOfOperation } from './durations.ts';
import { fieldTable, parameterTable, ruleTable } from './fields.ts';
import { observedAt } from './observed.ts';
import type { ReportModel } from './report-model.ts';
import { requestsSection } from './requests.ts';

/** The reference of one operation, each place with its result. */
export function operationSection(model: ReportModel, operation: Operation): Html {
  const { id, path, summary, description, source, tag } = operation;
  return html`<section id="${id}" aria-labelledby="${id}-title" data-verdict="${worst(model, id)}">
    <p class="tag">${tag}</p>
    <h2 id="${id}-title">${summary}</h2>
    <p class="route"><code>GET ${path}</code></p>
    <p>${prose(description)} <span class="meta">${id} · section ${source}</span></p>
    <p>${operationBadge(model, id)} ${counts(model, id)}</p>
    ${observedAt(model, id)}
    ${operation.parameters.length > 0 ? parameterTable(model, operation) : ''}
    ${ruleTable(model, operation)}
    ${fieldTable(model, operation)}
    ${undeclared(model, id)}
    ${durationsOfOperation(model, id)}
    ${requestsSection(model, id)}
    <h3>Examples of ${summary}</h3>
    ${Object.entries(operation.examples).map(example)}
  </section>`;
}

/** The gravest verdict of an operation. */
const worst = (model: ReportModel, id: string) =>
  gravest(resultsOf(model, id).map(({ verdict }) => verdict)) ?? notSelected;

/** The gravest verdict as a badge; an operation of which only a part was exercised is not one that never was. */
export const operationBadge = (model: ReportModel, id: string): Html =>
  worst(model, id) === 'not exercised' && resultsOf(model, id).some(({ verdict }) => verdict === 'pass')
    ? html`<span class="mark not-exercised"><span aria-hidden="true">◐</span> partly exercised</span>`
    : badge(worst(model, id));

const resultsOf = ({ conformance }: ReportModel, id: string) =>
  conformance.requirements.filter(({ operation }) => operation === id);

/** Requirements of an operation by verdict. */
export function counts(model: ReportModel, id: string): string {
  const own = resultsOf(model, id);
  const parts = verdictCounts(own);
  return own.length > 0 ? `${own.length} requirements: ${parts.join(', ')}` : 'not part of this run';
}

const example = ([name, { summary, value }]: [string, { summary: string; value: unknown }]) =>
  html`<details class="example"><summary>${summary} <span class="meta">${name}</span></summary>
    <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;

/** How many undeclared fields are listed at once; the others are folded away. */
const shownFields = 5;

function undeclared({ conformance }: ReportModel, id: string): Html | string {
  const fields = undeclaredFieldsOf(conformance).filter(({ operation }) => operation === id);
  if (fields.length === 0) return '';
  const rest = fields.slice(shownFields);
  return html`<h3>Fields that the contract does not name (${fields.length})</h3>
    <ul>${fields.slice(0, shownFields).map(undeclaredField)}</ul>
    ${rest.length > 0 ? html`<details><summary>and ${rest.length} more</summary><ul>${rest.map(undeclaredField)}</ul></details>` : ''}`;
}

const undeclaredField = ({ place, first, places }: UndeclaredField) =>
  html`<li><code>${place}</code>: ${prose(first.actual)}, ${times(places)} (${prose(first.expected)})</li>`;
