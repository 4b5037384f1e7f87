import { html } from 'hono/html';
import type { Html } from './marks.ts';
import { prose } from './marks.ts';
import type { Reading } from './reading.ts';

/** What was seen of that which the contract leaves open. */
interface Answered {
  id: string;
  question?: string;
  answer?: unknown;
  confidence?: unknown;
  evidence?: unknown;
}

const answered = ({ conformance }: Reading): Answered[] =>
  (conformance.observed as Answered[]).filter((one) => typeof one?.id === 'string');

/** Answers to open questions about an operation or a place of it. */
export const observedAt = (reading: Reading, address: string): Html[] =>
  answered(reading)
    .filter(({ id }) => placeOf(reading, id) === address)
    .map(
      (one) =>
        html`<p class="note">Observed, not promised: <a href="#observed/${one.id}">${prose(one.question ?? one.id)}</a> ${text(one.answer)}</p>`,
    );

/** The longest address that the id of a question begins with. */
function placeOf({ contract, conformance }: Reading, id: string): string | undefined {
  const places = [
    ...conformance.requirements.map(({ address }) => address),
    ...contract.operations.map((one) => one.id),
  ];
  return places
    .filter((place) => id === place || id.startsWith(`${place}/`))
    .sort((one, other) => other.length - one.length)[0];
}

export function observedSection(reading: Reading): Html | string {
  const all = answered(reading);
  if (all.length === 0) return '';
  return html`<section id="observed" aria-labelledby="observed-title">
    <h2 id="observed-title">Observed behaviour</h2>
    <p>What the contract leaves open, as this target answered it. Nobody has promised it.</p>
    <dl class="observed">${all.map(entry)}</dl>
  </section>`;
}

const entry = ({ id, question, answer, confidence, evidence }: Answered) => html`
  <dt id="observed/${id}">${prose(question ?? id)}</dt>
  <dd>${text(answer)}${confidence === undefined ? '' : html` <span class="meta">confidence: ${text(confidence)}</span>`}
    ${evidence === undefined ? '' : html`<details><summary>evidence<span class="hidden"> for ${id}</span></summary><pre tabindex="0">${text(evidence)}</pre></details>`}
  </dd>`;

const text = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'not answered');
