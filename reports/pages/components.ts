import { html } from 'hono/html';
import type { Schema } from '../../schemas/contract/contract.ts';
import { expectation } from '../../schemas/contract/nodes.ts';
import { times } from '../../schemas/counted.ts';
import { badge, type Html, prose } from './badges.ts';
import { links, table } from './fields.ts';
import { observedAt } from './observed.ts';
import { type } from './promises.ts';
import { placesOf, type ReportModel, verdictAt } from './report-model.ts';

/** Every schema that has a name, with the results of its fields wherever it is used. */
export function componentsSection(model: ReportModel): Html {
  return html`<section id="schemas" aria-labelledby="schemas-title">
    <h2 id="schemas-title">Schemas</h2>
    ${Object.entries(model.contract.components).map(([name, schema]) => component(model, name, schema))}
  </section>`;
}

function component(model: ReportModel, name: string, schema: Schema): Html {
  const places = placesOf(model, name);
  return html`<section id="schemas/${name}" aria-labelledby="schemas-${name}">
    <h3 id="schemas-${name}">${name}</h3>
    <p>${prose(schema.description ?? expectation(schema))} ${schema['x-source'] ? html`<span class="meta">section ${schema['x-source']}</span>` : ''}</p>
    ${schema.pattern ? html`<p>Pattern <code>${schema.pattern}</code></p>` : ''}
    ${observedAt(model, `schemas/${name}`)}
    ${schema.properties ? fields(model, name, schema, places) : uses(model, places)}
  </section>`;
}

const uses = (model: ReportModel, places: string[]) =>
  places.length === 0
    ? html`<p class="meta">Used by parameters only.</p>`
    : html`<details><summary>Used in ${places.length} places</summary>${links(model, places)}</details>`;

function fields(model: ReportModel, name: string, schema: Schema, places: string[]): Html {
  const rows = Object.entries(schema.properties ?? {}).map(([field, own]) => {
    const word = schema.required?.includes(field) ? 'required' : 'optional';
    return html`<tr role="row"><th role="rowheader" scope="row"><code>${field}</code></th>
      <td role="cell">${type(own)}<p>${prose(own.description)}</p><p class="meta">${word}</p></td>
      <td role="cell" class="result">${places.map((place) => inPlace(model, `${place}/${field}`))}</td></tr>`;
  });
  return html`<p class="meta">In ${places.map((place, index) => html`${index > 0 ? ', ' : ''}<a href="#${place}">${place}</a>`)}</p>
    ${table(`Fields of ${name}`, ['Field', 'Promise', 'Result'], rows)}`;
}

const inPlace = (model: ReportModel, address: string) =>
  html`<p><a href="#${address}">${address.split('/')[0]}<span class="hidden"> ${address}</span></a> ${badge(verdictAt(model, address), often(model, address))}</p>`;

const often = ({ result }: ReportModel, address: string) =>
  result(address)?.verdict === 'pass' ? times(result(address)?.exercised ?? 0) : '';
