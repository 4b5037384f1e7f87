import { html } from 'hono/html';
import { type RequestMade, responseText } from '../../tests/run/requests-made.ts';
import type { Html } from './badges.ts';
import type { ReportModel } from './report-model.ts';

/** The requests that were sent for an operation, each with its response. */
export function requestsSection({ conformance }: ReportModel, id: string): Html | string {
  const own = (conformance.requestsMade ?? []).filter(({ operation }) => operation === id);
  if (own.length === 0) return '';
  return html`<details class="example" id="${id}/requests"><summary>Requests <span class="meta">${own.length}</span></summary>
    <ul>${own.map(entry)}</ul></details>`;
}

const entry = (request: RequestMade) =>
  html`<li><code>${request.exchange}</code> ${responseText(request)}</li>`;
