import { html } from 'hono/html';
import type { Verdict } from '../../tests/verdict/evaluate.ts';
import type { ReportedRequirement } from '../conformance.ts';
import { type Found, type ReportModel, verdictAt, words } from './report-model.ts';

export type Html = ReturnType<typeof html>;

/** Text of the contract, in which backticks mark names. */
export const prose = (text = ''): Html =>
  html`${text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))}`;

export const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
export const day = (moment: string) => moment.slice(0, 10);

/** A verdict as a badge: sign, word, and how often. */
export function badge(verdict: Verdict | 'unselected', more = ''): Html {
  const { word, sign } = words[verdict];
  return html`<span class="mark ${verdict.replace(' ', '-')}"><span aria-hidden="true">${sign}</span> ${word}${more ? ` ${more}` : ''}</span>`;
}

/** A link to a place of the page with its standing. */
export function linkTo(model: ReportModel, address: string): Html {
  return html`<a href="#${address}"><code>${address}</code></a> ${badge(verdictAt(model, address))}`;
}

/** The standing of one requirement: badge, reason, and what was found. */
export function standing(model: ReportModel, address: string): Html {
  const result = model.result(address);
  if (!result) return html`${badge('unselected')} <p class="reason">not part of this run</p>`;
  const { verdict, exercised } = result;
  return html`${badge(wordedVerdict(result), verdict === 'pass' ? times(exercised) : '')}
    ${since(model, result)}
    ${result.reason && html`<p class="reason">${result.reason}</p>`}
    ${model.found(address, 'violation').map(violated)}
    ${model.found(address, 'deviation').map((one) => deviating(one, exercised))}`;
}

/** What cannot be seen, but judged only, has not been judged. */
const wordedVerdict = ({ verdict, address }: ReportedRequirement) =>
  verdict === 'not exercised' && /\/(http|rules|parameters)\//.test(address) ? 'unselected' : verdict;

/** Since when a requirement is not kept, if that is known from earlier runs. */
function since(
  { conformance }: ReportModel,
  { verdict, since: first }: ReportedRequirement,
): Html | undefined {
  const lasting = first && first !== conformance.startedAt;
  return verdict === 'violation' && lasting ? html`<p class="reason">since ${day(first)}</p>` : undefined;
}

const places = (count: number) => (count > 1 ? ` and ${count - 1} more` : '');

function violated({ first, places: count }: Found): Html {
  const { expected, actual, pointer, exchange, repeat } = first;
  return html`<dl class="finding">
    <dt>expected</dt><dd>${expected}</dd>
    <dt>came</dt><dd>${actual}</dd>
    <dt>at</dt><dd><code>${pointer}</code>${places(count)} of <code>${exchange}</code></dd>
  </dl>
  ${repeat && html`<details><summary>repeat<span class="hidden"> the request that shows it</span></summary><code class="shell">${repeat}</code></details>`}`;
}

const deviating = ({ first, places: count }: Found, exercised: number) =>
  html`<p class="reason">${first.actual}, ${count === exercised ? 'everywhere' : times(count)}. Tolerated: ${first.because}</p>`;
