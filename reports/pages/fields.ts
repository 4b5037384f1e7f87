import { html } from 'hono/html';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { addressOf, type Node } from '../../schemas/contract/nodes.ts';
import {
  fieldOfRule,
  occurring,
  parameterAddress,
  type Requirement,
} from '../../schemas/contract/requirements.ts';
import { type Html, linkTo, prose, resultAt, steps } from './badges.ts';
import { observedAt } from './observed.ts';
import { byDefault, presence, related, tolerated, type, values } from './promises.ts';
import { type ReportModel, verdictAt } from './report-model.ts';

/** A table whose rows stay rows for a screen reader when a phone shows them as blocks. */
export const table = (caption: string, heads: string[], rows: Html[]): Html => html`<table role="table">
    <caption>${caption}</caption>
    <thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows}</tbody>
  </table>`;

/** A row of a place of the contract: its name, its promise, its result. */
function row(model: ReportModel, address: string, depth: number, name: Html, promise: Html): Html {
  return html`<tr role="row" id="${address}" data-verdict="${verdictAt(model, address)}">
    <th role="rowheader" scope="row" class="depth-${depth}">${name} <a class="anchor" href="#${address}" aria-label="link to ${address}">#</a></th>
    <td role="cell">${promise}${observedAt(model, address)}</td>
    <td role="cell" class="result">${resultAt(model, address)}</td>
  </tr>`;
}

const meta = (model: ReportModel, address: string, word: string, source: string) =>
  html`<p class="meta">${[word, model.result(address)?.level, `section ${source}`].filter(Boolean).join(' · ')}</p>`;

/** Rows of the parameters of an operation. */
export const parameterTable = (model: ReportModel, operation: Operation) =>
  table(
    'Parameters',
    ['Parameter', 'Promise', 'Result'],
    operation.parameters.map((parameter) => parameterRow(model, operation, parameter)),
  );

function parameterRow(model: ReportModel, { id }: Operation, parameter: Parameter): Html {
  const { name, required, schema, description } = parameter;
  const address = parameterAddress(id, name);
  const word = `${required ? 'required' : 'optional'} in the ${parameter.in}`;
  const promise = html`${type(schema)}<p>${prose(description)}</p>
    ${values(model, address, schema.enum ?? [], 'accepted')}${meta(model, address, word, parameter['x-source'])}`;
  return row(model, address, 0, html`<code>${name}</code>`, promise);
}

/** Rows of every place in the answer of an operation. */
export const fieldTable = (model: ReportModel, { id }: Operation) =>
  table(
    'Response body',
    ['Field', 'Promise', 'Result'],
    model.nodes
      .filter(({ operation }) => operation === id)
      .flatMap((node) => [fieldRow(model, node), ...occurringRow(model, node), ...ruleRows(model, node)]),
  );

function fieldRow(model: ReportModel, node: Node): Html {
  const { operation, pointer, schema, source } = node;
  const address = addressOf(operation, pointer);
  const promise = html`${type(schema)}${schema.description && html`<p>${prose(schema.description)}</p>`}
    ${byDefault(schema)}${values(model, address, schema.enum ?? [], 'seen')}
    ${related(model, address)}${tolerated(model, address)}${meta(model, address, presence(model, node), source)}`;
  return row(model, address, depthOf(pointer), nameOf(node), promise);
}

function occurringRow(model: ReportModel, { operation, pointer, schema, name }: Node): Html[] {
  const known = schema['x-values-that-occur'];
  if (!known) return [];
  const address = occurring(operation, pointer);
  const { statement = '', source = '' } = model.result(address) ?? {};
  const promise = html`<p>${prose(statement)}</p>${values(model, addressOf(operation, pointer), known, 'seen')}
    ${tolerated(model, address)}${meta(model, address, '', source)}`;
  return [row(model, address, depthOf(pointer), html`values of <code>${name}</code>`, promise)];
}

/** Rules that no schema says, and that are about one field. */
function ruleRows(model: ReportModel, { operation, pointer, name }: Node): Html[] {
  const own = model.conformance.requirements.filter(({ address }) => {
    const requirement = model.requirement(address);
    const isOwn = requirement?.kind === 'rule' && requirement.operation === operation;
    return isOwn && fieldOfRule(requirement.rule) === pointer;
  });
  return own.map(({ address, statement, source }) => {
    const promise = html`<p>${prose(statement)}</p>${tolerated(model, address)}${meta(model, address, '', source)}`;
    return row(model, address, depthOf(pointer), html`rule about <code>${name}</code>`, promise);
  });
}

const depthOf = (pointer: string) => Math.min(6, Math.max(0, pointer.split('/').length - 1));

function nameOf({ pointer, name, kind }: Node): Html {
  const parents = pointer.split('/').slice(1, -1).join('.').replaceAll('.*', '[]');
  const own = kind === 'element' ? html`<code>[]</code> each element` : html`<code>${name}</code>`;
  return html`${parents && html`<span class="parents">${steps(`${parents}.`)}</span>`}${own}`;
}

/** Whether a requirement is about no parameter, and no field of the body. */
const isOfWholeAnswer = (requirement: Requirement | undefined): boolean =>
  requirement?.place === 'http' ||
  (requirement?.kind === 'rule' && fieldOfRule(requirement.rule) === undefined);

/** Rules of the answer as a whole, as rows. */
export function ruleTable(model: ReportModel, { id }: Operation): Html {
  const rules = model.conformance.requirements.filter(
    ({ address, operation }) => operation === id && isOfWholeAnswer(model.requirement(address)),
  );
  const entry = ({ address, statement, source }: (typeof rules)[number]) =>
    row(
      model,
      address,
      0,
      html`<code>${address.slice(id.length + 1)}</code>`,
      html`<p>${prose(statement)}</p>${meta(model, address, '', source)}`,
    );
  return table('Rules of each answer', ['Rule', 'Promise', 'Result'], rules.map(entry));
}

/** Links to places with their verdict. */
export const links = (model: ReportModel, addresses: string[]) =>
  html`<ul class="places">${addresses.map((address) => html`<li>${linkTo(model, address)}</li>`)}</ul>`;
