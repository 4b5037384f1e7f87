import { html } from 'hono/html';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { parameterAddress } from '../../schemas/contract/requirements.ts';
import type { ProbeAnswer } from '../../tests/probes/probe-answers.ts';
import { observedLine } from '../observed.ts';
import { type Html, prose } from './badges.ts';
import type { ReportModel } from './report-model.ts';

/** Answers to open questions about an operation, a parameter, a field or a schema, where a reader looks for them. */
export function observedAt(model: ReportModel, address: string): Html | string {
  const all = model.conformance.observed.filter((one) => placesOf(model, one).includes(address));
  const [open, answers] = [all.filter(isOpen), all.filter((one) => !isOpen(one))];
  return html`${noteOf('Observed, not promised:', answers)}${noteOf('Left open by the contract, not observed:', open)}`;
}

const isOpen = ({ confidence }: ProbeAnswer) => confidence === 'unknown';

function noteOf(title: string, answers: ProbeAnswer[]): Html | string {
  if (answers.length === 0) return '';
  const entry = (one: ProbeAnswer) =>
    html`<li><a href="#observed/${one.id}">${prose(one.question)}</a> ${isOpen(one) ? '' : one.answer}</li>`;
  return html`<div class="note">${title}<ul>${answers.map(entry)}</ul></div>`;
}

const known = new WeakMap<ProbeAnswer, string[]>();

function placesOf(model: ReportModel, one: ProbeAnswer): string[] {
  const places = known.get(one) ?? findPlaces(model, one);
  known.set(one, places);
  return places;
}

/** The fields that a question names, or else the operations or schemas of its section. */
function findPlaces({ contract, nodes }: ReportModel, { section, question }: ProbeAnswer): string[] {
  const named = (name: string, source: string | undefined) =>
    source === section && question.includes(`\`${name}\``);
  const fields = nodes.filter(({ name, source }) => named(name, source));
  const parameters = contract.operations.flatMap(({ id, parameters: all }) =>
    all.filter((one) => named(one.name, one['x-source'])).map(({ name }) => parameterAddress(id, name)),
  );
  const exact = [...parameters, ...fields.map(({ operation, pointer }) => addressOf(operation, pointer))];
  const operations = contract.operations.filter(({ source }) => source === section).map(({ id }) => id);
  const schemas = Object.entries(contract.components).filter(([, schema]) => schema['x-source'] === section);
  const names = schemas.map(([name]) => `schemas/${name}`);
  return [exact, operations, names].find((places) => places.length > 0) ?? [];
}

/** All answers to open questions, with how they were found out. */
export function observedSection({ conformance }: ReportModel): Html | string {
  const { observed } = conformance;
  if (observed.length === 0) return '';
  return html`<section id="observed" aria-labelledby="observed-title">
    <h2 id="observed-title">Observed behaviour</h2>
    <p>What the contract leaves open, as this target answered it. Nobody has promised it. ${observedLine(conformance)}.</p>
    <dl class="observed">${observed.map(entry)}</dl>
  </section>`;
}

const entry = ({ id, question, section, asked, answer, confidence, evidence, recorded }: ProbeAnswer) => html`
  <dt id="observed/${id}">${prose(question)} <span class="meta">section ${section}</span></dt>
  <dd><b>${prose(answer)}</b> ${answer === confidence ? '' : html`<span class="meta">${confidence}</span>`}
    ${recorded !== undefined ? html`<p class="note">Recorded before: ${recorded}</p>` : ''}
    <details><summary>how it was found out<span class="hidden">: ${id}</span></summary><p>${prose(asked)}</p>
      <ul>${evidence.map((line) => html`<li>${line}</li>`)}</ul></details>
  </dd>`;
