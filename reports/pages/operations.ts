import { html } from 'hono/html';
import type { Operation } from '../../schemas/contract.ts';
import { fieldTable, parameterTable, ruleTable } from './fields.ts';
import { badge, type Html, prose } from './marks.ts';
import { observedAt } from './observed.ts';
import { alike, gravity, type Reading, verdictAt, words } from './reading.ts';
import { requestsSection } from './requests.ts';

/** The reference of one operation, each place with its standing. */
export function operationSection(reading: Reading, operation: Operation): Html {
  const { id, path, summary, description, source, tag } = operation;
  return html`<section id="${id}" aria-labelledby="${id}-title" data-verdict="${worst(reading, id)}">
    <p class="tag">${tag}</p>
    <h2 id="${id}-title">${summary}</h2>
    <p class="route"><code>GET ${path}</code></p>
    <p>${prose(description)} <span class="meta">${id} · section ${source}</span></p>
    <p>${operationBadge(reading, id)} ${counts(reading, id)}</p>
    ${observedAt(reading, id)}
    ${operation.parameters.length > 0 ? parameterTable(reading, operation) : ''}
    ${ruleTable(reading, operation)}
    ${fieldTable(reading, operation)}
    ${undeclared(reading, id)}
    ${requestsSection(reading, id)}
    <h3>Examples of ${summary}</h3>
    ${Object.entries(operation.examples).map(example)}
  </section>`;
}

/** The gravest standing of an operation. */
export function worst(reading: Reading, id: string) {
  const own = verdictsOf(reading, id);
  return gravity.find((verdict) => own.includes(verdict)) ?? 'unselected';
}

/** The gravest standing as a badge; an operation of which only a part was seen is not one that was never seen. */
export const operationBadge = (reading: Reading, id: string): Html =>
  worst(reading, id) === 'not exercised' && verdictsOf(reading, id).includes('pass')
    ? html`<span class="mark not-exercised"><span aria-hidden="true">◐</span> partly seen</span>`
    : badge(worst(reading, id));

const verdictsOf = (reading: Reading, id: string) =>
  reading.conformance.requirements
    .filter(({ operation }) => operation === id)
    .map(({ address }) => verdictAt(reading, address));

/** Requirements of an operation by standing, in words. */
export function counts(reading: Reading, id: string): string {
  const own = verdictsOf(reading, id);
  const count = (wanted: string) => own.filter((verdict) => verdict === wanted).length;
  const parts = gravity.filter(count).map((verdict) => `${count(verdict)} ${words[verdict].word}`);
  return own.length > 0 ? `${own.length} requirements: ${parts.join(', ')}` : 'not part of this run';
}

const example = ([name, { summary, value }]: [string, { summary: string; value: unknown }]) =>
  html`<details class="example"><summary>${summary} <span class="meta">${name}</span></summary>
    <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;

function undeclared({ conformance }: Reading, id: string): Html | string {
  const strangers = conformance.findings.filter((one) => one.kind === 'undeclared' && one.operation === id);
  if (strangers.length === 0) return '';
  const entry = ({ first, places }: ReturnType<typeof alike>[number]) =>
    html`<li><code>${first.pointer.replace(/\/\d+/g, '/*')}</code>: ${prose(first.actual)}, ${places === 1 ? 'once' : `${places} times`} (${prose(first.expected)})</li>`;
  return html`<h3>Fields that the contract does not name</h3><ul>${alike(strangers).map(entry)}</ul>`;
}
