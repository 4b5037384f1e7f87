import { html } from 'hono/html';
import type { Operation } from '../../schemas/contract.ts';
import { badge, type Html, prose } from './badges.ts';
import { fieldTable, parameterTable, ruleTable } from './fields.ts';
import { observedAt } from './observed.ts';
import { alike, gravity, type ReportModel, verdictAt, words } from './report-model.ts';
import { requestsSection } from './requests.ts';

/** The reference of one operation, each place with its standing. */
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
    ${requestsSection(model, id)}
    <h3>Examples of ${summary}</h3>
    ${Object.entries(operation.examples).map(example)}
  </section>`;
}

/** The gravest standing of an operation. */
export function worst(model: ReportModel, id: string) {
  const own = verdictsOf(model, id);
  return gravity.find((verdict) => own.includes(verdict)) ?? 'unselected';
}

/** The gravest standing as a badge; an operation of which only a part was seen is not one that was never seen. */
export const operationBadge = (model: ReportModel, id: string): Html =>
  worst(model, id) === 'not exercised' && verdictsOf(model, id).includes('pass')
    ? html`<span class="mark not-exercised"><span aria-hidden="true">◐</span> partly seen</span>`
    : badge(worst(model, id));

const verdictsOf = (model: ReportModel, id: string) =>
  model.conformance.requirements
    .filter(({ operation }) => operation === id)
    .map(({ address }) => verdictAt(model, address));

/** Requirements of an operation by standing, in words. */
export function counts(model: ReportModel, id: string): string {
  const own = verdictsOf(model, id);
  const count = (wanted: string) => own.filter((verdict) => verdict === wanted).length;
  const parts = gravity.filter(count).map((verdict) => `${count(verdict)} ${words[verdict].word}`);
  return own.length > 0 ? `${own.length} requirements: ${parts.join(', ')}` : 'not part of this run';
}

const example = ([name, { summary, value }]: [string, { summary: string; value: unknown }]) =>
  html`<details class="example"><summary>${summary} <span class="meta">${name}</span></summary>
    <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;

function undeclared({ conformance }: ReportModel, id: string): Html | string {
  const undeclaredFields = conformance.findings.filter(
    (one) => one.kind === 'undeclared' && one.operation === id,
  );
  if (undeclaredFields.length === 0) return '';
  const entry = ({ first, places }: ReturnType<typeof alike>[number]) =>
    html`<li><code>${first.pointer.replace(/\/\d+/g, '/*')}</code>: ${prose(first.actual)}, ${places === 1 ? 'once' : `${places} times`} (${prose(first.expected)})</li>`;
  return html`<h3>Fields that the contract does not name</h3><ul>${alike(undeclaredFields).map(entry)}</ul>`;
}
