import { html } from 'hono/html';
import { times } from '../../schemas/counted.ts';
import { placeInBody } from '../../tests/verdict/extent.ts';
import { sweptText } from '../../tests/verdict/swept.ts';
import { type notSelected, signs, type Verdict } from '../../tests/verdict/verdicts.ts';
import type { ReportedRequirement } from '../conformance.ts';
import { type BrokenEntry, elsewhereText, toleratedText } from '../entries.ts';
import { day } from '../moments.ts';
import { type ReportModel, verdictAt } from './report-model.ts';

/** Text of a page in which everything is escaped. */
export type Html = ReturnType<typeof html>;

/** Text of the contract, in which backticks mark names. */
export const prose = (text = ''): Html =>
  html`${text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))}`;

/** An address or a path, which may be wrapped behind each of its steps. */
export const steps = (text: string): Html =>
  html`${text.split(/(?<=[^ ][/.])/).map((step, index) => (index > 0 ? html`<wbr>${step}` : step))}`;

/** A verdict as a badge: sign, word, and how often. */
export const badge = (verdict: Verdict | typeof notSelected, more = ''): Html =>
  html`<span class="mark ${verdict.replace(' ', '-')}"><span aria-hidden="true">${signs[verdict]}</span> ${verdict}${more ? ` ${more}` : ''}</span>`;

/** A link to a place of the page with its verdict. */
export function linkTo(model: ReportModel, address: string): Html {
  return html`<a href="#${address}"><code>${steps(address)}</code></a> ${badge(verdictAt(model, address))}`;
}

/** The result of one requirement: badge, reason, and what was found. */
export function resultAt(model: ReportModel, address: string): Html {
  const result = model.result(address);
  if (!result) return html`${badge(verdictAt(model, address))} <p class="reason">not part of this run</p>`;
  const { verdict, exercised } = result;
  const entry = model.entry(address);
  return html`${badge(verdict, verdict === 'pass' ? times(exercised) : '')}
    ${since(model, result)}
    ${sweptShare(result)}
    ${result.reason && html`<p class="reason">${result.reason}</p>`}
    ${entry && entryTexts[verdict]?.(entry)}`;
}

/** What an entry says under a verdict; under another the reason says all. */
const entryTexts: Partial<Record<Verdict, (entry: BrokenEntry) => Html>> = {
  violation: violated,
  deviation: deviating,
};

/** How many records a requirement was judged on that a sweep has found kept. */
const sweptShare = ({ swept }: ReportedRequirement): Html | undefined =>
  swept && swept.broken === 0 ? html`<p class="reason">broken by ${sweptText(swept)}</p>` : undefined;

/** Since when a requirement is not kept, if that is known from earlier runs. */
function since(
  { conformance }: ReportModel,
  { verdict, since: first }: ReportedRequirement,
): Html | undefined {
  const lasting = first && first !== conformance.startedAt;
  return verdict === 'violation' && lasting ? html`<p class="reason">since ${day(first)}</p>` : undefined;
}

function violated({ first, extent, elsewhere }: BrokenEntry): Html {
  const { expected, actual, repeat, against, sent = [] } = first;
  return html`<dl class="finding">
    <dt>expected</dt><dd>${expected}</dd>
    <dt>got</dt><dd>${actual}</dd>
    <dt>where</dt><dd>${extent}; first ${placed(first)}</dd>
    ${against && html`<dt>against</dt><dd>${against.actual}; ${placed(against)}</dd>`}
    ${sent.length > 0 && html`<dt>sent</dt><dd><ol>${sent.map((text) => html`<li><code>${text}</code></li>`)}</ol></dd>`}
    ${elsewhere.length > 0 ? html`<dt>also</dt><dd>${elsewhere.slice(0, 5).map((text) => html`<p>${text}</p>`)}${elsewhere.length > 5 ? html`<p>and ${elsewhere.length - 5} more</p>` : ''}</dd>` : ''}
  </dl>
  ${repeat && html`<details><summary>repeat<span class="hidden"> the request that shows it</span></summary><code class="shell">${repeat}</code>${against && html`<code class="shell">${against.repeat}</code>`}</details>`}`;
}

/** A place of a body and its request, or the request alone. */
const placed = ({ pointer, exchange }: { pointer: string; exchange: string }): Html =>
  html`${placeInBody(pointer) ? html`<code>${steps(pointer)}</code> of ` : ''}<code>${steps(exchange)}</code>`;

function deviating(entry: BrokenEntry): Html {
  const more = elsewhereText(entry);
  return html`<p class="reason">${entry.first.actual}, ${entry.extent}${more ? `; ${more}` : ''}. Tolerated: ${toleratedText(entry.first)}</p>`;
}
