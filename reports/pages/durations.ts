import { html } from 'hono/html';
import { durationCells, durationHeads, durationNote } from '../durations.ts';
import type { Html } from './badges.ts';
import type { ReportModel } from './report-model.ts';

/** How long the responses of an operation took. */
export function durationsOfOperation({ conformance }: ReportModel, id: string): Html | string {
  const own = conformance.durations?.find(({ operation }) => operation === id);
  if (!own) return '';
  const cells = durationCells(own);
  return html`<div class="durations" id="${id}/durations"><h3>How long responses took</h3>
    <dl class="facts">${durationHeads.map((head, index) => html`<div><dt>${head}</dt><dd>${cells[index]}</dd></div>`)}</dl>
    <p class="meta">${durationNote}</p></div>`;
}
