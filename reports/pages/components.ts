import { html } from 'hono/html';
import type { Schema } from '../../schemas/contract.ts';
import { expectation } from '../../schemas/nodes.ts';
import { links, table, type } from './fields.ts';
import { badge, type Html, prose, times } from './marks.ts';
import { observedAt } from './observed.ts';
import { placesOf, type Reading, verdictAt } from './reading.ts';

/** Every schema that has a name, with the standing of its fields wherever it is used. */
export function componentsSection(reading: Reading): Html {
  return html`<section id="schemas" aria-labelledby="schemas-title">
    <h2 id="schemas-title">Schemas</h2>
    ${Object.entries(reading.contract.components).map(([name, schema]) => component(reading, name, schema))}
  </section>`;
}

function component(reading: Reading, name: string, schema: Schema): Html {
  const places = placesOf(reading, name);
  return html`<section id="schemas/${name}" aria-labelledby="schemas-${name}">
    <h3 id="schemas-${name}">${name}</h3>
    <p>${prose(schema.description ?? expectation(schema))} ${schema['x-source'] ? html`<span class="meta">section ${schema['x-source']}</span>` : ''}</p>
    ${schema.pattern ? html`<p>Pattern <code>${schema.pattern}</code></p>` : ''}
    ${observedAt(reading, `schemas/${name}`)}
    ${schema.properties ? fields(reading, name, schema, places) : uses(reading, places)}
  </section>`;
}

const uses = (reading: Reading, places: string[]) =>
  places.length === 0
    ? html`<p class="meta">Used by parameters only.</p>`
    : html`<details><summary>Used in ${places.length} places</summary>${links(reading, places)}</details>`;

function fields(reading: Reading, name: string, schema: Schema, places: string[]): Html {
  const rows = Object.entries(schema.properties ?? {}).map(([field, own]) => {
    const word = schema.required?.includes(field) ? 'required' : 'optional';
    return html`<tr role="row"><th role="rowheader" scope="row"><code>${field}</code></th>
      <td role="cell">${type(own)}<p>${prose(own.description)}</p><p class="meta">${word}</p></td>
      <td role="cell" class="standing">${places.map((place) => inPlace(reading, `${place}/${field}`))}</td></tr>`;
  });
  return html`<p class="meta">In ${places.map((place, index) => html`${index > 0 ? ', ' : ''}<a href="#${place}">${place}</a>`)}</p>
    ${table(`Fields of ${name}`, ['Field', 'Promise', 'Standing'], rows)}`;
}

const inPlace = (reading: Reading, address: string) =>
  html`<p><a href="#${address}">${address.split('/')[0]}<span class="hidden"> ${address}</span></a> ${badge(verdictAt(reading, address), often(reading, address))}</p>`;

const often = ({ result }: Reading, address: string) =>
  result(address)?.verdict === 'pass' ? times(result(address)?.exercised ?? 0) : '';
