import { html } from 'hono/html';
import { gateSentence } from '../../tests/verdict/gates.ts';
import { headings } from '../../tests/verdict/verdicts.ts';
import { found, withVerdict } from '../conformance.ts';
import {
  type BrokenEntry,
  byReason,
  elsewhereText,
  entriesOf,
  ledgerText,
  shapeNotes,
  type Unjudged,
} from '../entries.ts';
import { failedGates } from '../gates.ts';
import { drifts, serverErrors } from '../observed.ts';
import { type Html, prose, steps } from './badges.ts';
import { links } from './fields.ts';
import { counts } from './operations.ts';
import type { ReportModel } from './report-model.ts';

/** Everything that does not simply pass, with links. */
export function attention(model: ReportModel): Html {
  const { conformance, contract } = model;
  const { requirements } = conformance;
  const passed =
    conformance.verdict === 'pass' && withVerdict(conformance, 'pass').length === requirements.length;
  return html`<section id="attention" aria-labelledby="attention-title"><h2 id="attention-title">What needs a look</h2>
    ${listed(headings.violation, entriesOf(conformance, 'violation'))}
    ${shapeNotes(conformance).map((note) => html`<p class="meta">${note}</p>`)}
    ${failedGates(conformance).map((gate) => html`<p class="note"><strong>${gate.verdict}</strong>: ${gateSentence(gate)}</p>`)}
    ${staleEntries(model)}
    ${lines('Server errors on bad input', serverErrors(conformance))}
    ${lines('Behaviour that has changed since it was recorded', drifts(conformance))}
    ${listed(headings.deviation, entriesOf(conformance, 'deviation'))}
    ${(['error', 'blocked', 'not exercised'] as const).map((verdict) => unjudged(model, verdict))}
    ${passed ? html`<p>Nothing: each requirement passes.</p>` : ''}
    <h3>Each operation</h3>
    <ul class="operations">${contract.operations.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a>: ${counts(model, id)}</li>`)}</ul>
  </section>`;
}

const listed = (title: string, entries: BrokenEntry[]) =>
  entries.length === 0 ? '' : html`<h3>${title} (${entries.length})</h3><ul>${entries.map(listedEntry)}</ul>`;

function listedEntry(entry: BrokenEntry): Html {
  const { address, statement, first, extent, reason } = entry;
  const more = [elsewhereText(entry), reason].filter(Boolean).map((text) => `; ${text}`);
  return html`<li><strong>${prose(statement)}</strong> <a href="#${address}"><code>${steps(address)}</code></a><br>${extent}: expected ${first.expected}; got ${prose(first.actual)}${more}${first.ledger ? html` <span class="meta">${ledgerText(first)}</span>` : ''}</li>`;
}

const staleEntries = ({ conformance }: ReportModel) =>
  found(conformance, 'stale').map(
    ({ requirement, expected, actual }) =>
      html`<p class="note">stale: <a href="#${requirement}"><code>${requirement}</code></a>: expected ${expected}; got ${actual}</p>`,
  );

const lines = (title: string, sentences: string[]) =>
  sentences.length === 0
    ? ''
    : html`<h3>${title} (${sentences.length})</h3><ul>${sentences.map((one) => html`<li>${one}</li>`)}</ul>`;

/** Requirements without a verdict on the target, by the reason for it. */
function unjudged(model: ReportModel, verdict: Unjudged): Html | string {
  const reasons = byReason(model.conformance, verdict);
  if (reasons.length === 0) return '';
  const count = withVerdict(model.conformance, verdict).length;
  return html`<details><summary>${verdict} (${count})</summary>${reasons.map(
    ([reason, addresses]) => html`<p>${reason}</p>${links(model, addresses)}`,
  )}</details>`;
}
