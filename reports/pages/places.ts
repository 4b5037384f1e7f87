import { html } from 'hono/html';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { describeExpectation } from '../../schemas/contract/expectations.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import {
  addressOf,
  formatValueState,
  listCoverageStates,
  listKnownValues,
  type Node,
} from '../../schemas/contract/nodes.ts';
import { getRulePointer, occurring, parameterAddress } from '../../schemas/contract/requirements.ts';
import { counted, formatTimes } from '../../schemas/counted.ts';
import type { Finding } from '../../src/redact/observation.ts';
import { sweptText } from '../../src/sweep/summary.ts';
import { type FailureSummary, listFacts, summarizeFailure } from '../../src/verdict/entry.ts';
import { entriesInForce } from '../../src/verdict/ledger-use.ts';
import { formatVerdictCounts, isJudged, notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { ReportedRequirement } from '../conformance.ts';
import { day, ledgerText, saysOf } from '../lines.ts';
import { observedAt } from './answers.ts';
import { badge, foldedTable, type Html, prose, steps } from './html.ts';
import { countsAt, earlierAt, type Model, resultsOf, verdictAt } from './model.ts';

/* The places of the contract on its page, each with its result: parameters, rules, fields of responses, schemas. */

/** "last seen 2026-03-02: pass 8 times". */
function earlierText(model: Model, address: string): Html | undefined {
  const earlier = earlierAt(model, address);
  return (
    earlier &&
    html`<p class="earlier">last judged <time datetime="${earlier.startedAt}">${day(earlier.startedAt)}</time>: ${earlier.verdict} ${formatTimes(earlier.exercised)}</p>`
  );
}

/** A link to a place of the page with its verdict. */
const linkTo = (model: Model, address: string): Html =>
  html`<a href="#${address}"><code>${steps(address)}</code></a> ${badge(verdictAt(model, address))}`;

/** Facts that a row shows, in this order. The row has the others anyway, or folds them. */
const shownFacts: Partial<Record<Verdict, string[]>> = {
  violation: 'expected,actual,elsewhere,how often,request,id,place,against,sent'.split(','),
  blocked: ['how often', 'request', 'id'],
};

/** The result of one requirement: badge, reason, and what was found. */
function resultAt(model: Model, address: string): Html {
  const result = model.results.get(address);
  if (!result) return html`${badge(verdictAt(model, address))} <p class="reason">not part of this run</p>`;
  const { verdict, exercised, requests, reason } = result;
  const entry = summarizeFailure(result, model.run.findings);
  // If no request was judged, "Needs attention" names the request once instead of each row of the operation.
  const hasFacts = verdict === 'violation' || requests > 0;
  const facts = entry && hasFacts && verdict !== 'deviation' ? listFacts(entry) : [];
  const shown = shownFacts[verdict]?.flatMap((key) => facts.filter(([name]) => name === key)) ?? [];
  const linesOf = (key: string) => facts.flatMap(([name, lines]) => (name === key ? lines : []));
  const [commands, places] = [linesOf('repeat'), linesOf('also at')];
  return html`${badge(verdict, verdict === 'pass' ? formatTimes(exercised) : '')}
    ${notesOn(model, result).map((fact) => html`<p class="reason">${prose(fact)}</p>`)}
    ${reason && html`<p class="reason">${reason}</p>`}
    ${earlierText(model, address)}
    ${shown.length > 0 && html`<dl class="finding">${shown.map(([name, lines]) => html`<dt>${name}</dt>${lines.map((line) => html`<dd>${steps(line)}</dd>`)}`)}</dl>`}${places.length > 0 && html`<details><summary>also at</summary><ul class="places">${places.map((one) => html`<li>${steps(one)}</li>`)}</ul></details>`}${commands.length > 0 && html`<details><summary>repeat<span class="hidden"> the request that shows it</span></summary>${commands.map((one) => html`<code class="shell">${one}</code>`)}</details>`}
    ${verdict === 'deviation' && entry && html`<p class="reason">${entryText(entry)}</p>`}`;
}

/** Other forms to expect, since when a requirement is broken, and on how many records a sweep has judged it. */
function notesOn(model: Model, { address, verdict, swept }: ReportedRequirement): string[] {
  const { contract, run, requirements } = model;
  const entries = entriesInForce({ ...run, name: run.target }, run.startedAt, contract.ledger);
  const accepted = entries.filter(({ requirement }) => requirement === address && verdict !== 'deviation');
  const requirement = requirements.get(address);
  const isQuery = requirement?.kind === 'parameter' && requirement.parameter.in === 'query';
  return [
    ...(isQuery && verdict === 'pass' ? [parameterNote] : []),
    ...accepted.flatMap((entry) => adviceText(entry)),
    ...sinceText(model, address),
    ...(swept?.broken === 0 ? [`broken by ${sweptText(swept)}`] : []),
  ];
}

const parameterNote = 'The server accepted the parameter. What it did with it: see beside.';

/** Advises a client about a known deviation. A name that the contract reports stands beside the promise. */
function adviceText({ requirement, accepts, because, node }: Entry): string[] {
  if ('name' in accepts)
    return node?.['x-observed-names']?.includes(accepts.name)
      ? []
      : [`Read both names: some responses call this field \`${accepts.name}\`.`];
  if (requirement.endsWith('/values-that-occur'))
    return ['Expect other values too: the list is of those seen so far.'];
  return [`Be prepared for both: ${because}`];
}

/** Since when a requirement is broken, or deviates, if earlier runs tell. */
export function sinceText({ run, results }: Model, address: string): string[] {
  const { verdict = '', since } = results.get(address) ?? {};
  const isLasting = /^(violation|deviation)$/.test(verdict) && since && since !== run.startedAt;
  return isLasting ? [`since ${day(since)}`] : [];
}

/** The entry of the ledger that tolerates a deviation, with a link to where that is tracked. */
function ledgerNote({ ledger }: Pick<Finding, 'ledger'>): Html | '' {
  if (!ledger) return '';
  const { link, ...place } = ledger;
  const ticket = link && /^https?:\/\//.test(link) ? html`<a href="${link}">${link}</a>` : link;
  return html`<span class="meta">(${ledgerText({ ledger: place })}${link && html`, ${ticket}`})</span>`;
}

/** Text of a broken requirement: extent, findings, and the reason if it is a known deviation. */
export const entryText = (entry: FailureSummary): Html => {
  const { first, extent, reason } = entry;
  return html`${extent}: ${prose(saysOf(entry))}${reason && `; ${reason}`}${first.because && html`<br>Known deviation: ${first.because}`} ${ledgerNote(first)}`;
};

/** A row of a place of the contract: its name, its promise with level and section, its result. */
function row(
  model: Model,
  address: string,
  { depth = 0, name, promise, word, source = '', more }: Row,
): Html {
  const facts = [word, model.results.get(address)?.level, `section ${source}`].filter(Boolean);
  return html`<tr role="row" id="${address}" data-verdict="${verdictAt(model, address)}">
    <th role="rowheader" scope="row" style="--depth:${depth}">${name} <a class="anchor" href="#${address}" aria-label="link to ${address}">#</a></th>
    <td role="cell">${promise}<p class="meta">${facts.join(' · ')}</p>${observedAt(model, address)}</td>
    <td role="cell" class="result">${resultAt(model, address)}${more}</td>
  </tr>`;
}

interface Row {
  depth?: number;
  name: Html;
  promise: Html;
  /** Whether it is required, and how often it was there. */
  word?: string;
  source?: string | undefined;
  /** Shown below the result. */
  more?: Html[];
}

/** Folded rows of the parameters of an operation. */
export function parameterTable(model: Model, { id, parameters }: Operation): Html {
  const rows = parameters.map(({ name, required, schema, description, 'x-source': source, in: place }) => {
    const address = parameterAddress(id, name);
    return row(model, address, {
      name: html`<code>${name}</code>`,
      promise: html`${type(schema)}<p>${prose(description)}</p>${values(model, address, schema.enum, 'accepted')}`,
      word: `${required ? 'required' : 'optional'} in the ${place}`,
      source,
    });
  });
  return foldedTable(
    'Parameters',
    ['Parameter', 'Promise', 'Result'],
    rows,
    counted(rows.length, 'parameter'),
  );
}

/** Folded rows of what is promised of each response beside its fields. Closed if all of it passes. */
export function ruleTable(model: Model, { id }: Operation): Html {
  const rules = resultsOf(model, id).filter(({ address }) => isRule(model, address));
  const rows = rules.map(({ address, statement, source }) =>
    row(model, address, {
      name: html`<code>${steps(address.slice(id.length + 1))}</code>`,
      promise: html`<p>${prose(statement)}</p>`,
      source,
    }),
  );
  const isKept = rules.every(({ verdict }) => verdict === 'pass');
  const addresses = rules.map(({ address }) => address);
  const meta = metaOf(model, counted(rows.length, 'rule'), addresses);
  return foldedTable('Rules of each response', ['Rule', 'Promise', 'Result'], rows, meta, !isKept);
}

/** Counts the rows of a folded table, and those that do not pass. */
function metaOf({ results }: Model, count: string, addresses: string[]): string {
  const judged = addresses.flatMap((address) => results.get(address) ?? []);
  const odd = judged.filter(({ verdict }) => verdict !== 'pass');
  return [count, ...(judged.length > 0 && odd.length === 0 ? ['all pass'] : formatVerdictCounts(odd))].join(
    ', ',
  );
}

/** Checks that a requirement stands in no schema of a field or a parameter. */
function isRule({ requirements }: Model, address: string): boolean {
  const requirement = requirements.get(address);
  return (
    requirement?.kind === 'rule' || requirement?.kind === 'occurring-values' || requirement?.place === 'http'
  );
}

/** Folded rows of each place in the response of an operation. */
export function fieldTable(model: Model, { id }: Operation): Html {
  const nodes = model.nodes.filter(({ operation }) => operation === id);
  const rows = nodes.map((node) => fieldRow(model, node));
  return html`${foldedTable(
    'Response body',
    ['Field', 'Promise', 'Result'],
    rows,
    metaOf(
      model,
      counted(rows.length, 'place'),
      nodes.map(({ pointer }) => addressOf(id, pointer)),
    ),
  )}
    <p class="meta">The contract promises no other fields. Responses may have more, and may lose them again.</p>`;
}

function fieldRow(model: Model, node: Node): Html {
  const { pointer, schema, source, operation } = node;
  const address = addressOf(operation, pointer);
  const { description, default: byDefault } = schema;
  const promise = html`${type(schema)}${description && html`<p>${prose(description)}</p>`}
    ${byDefault !== undefined && schema.const === undefined && html`<p>Default <code>${String(byDefault)}</code>.</p>`}
    ${otherNames(schema)}${values(model, address, listKnownValues(schema), 'seen')}`;
  const name = nameOf(node);
  const own = { depth: depthOf(pointer), name, promise, word: presence(model, node), source };
  return row(model, address, { ...own, more: brokenRules(model, node) });
}

/** Other names under which responses carry a field. */
const otherNames = ({ 'x-observed-names': names = [] }: Schema): Html | '' =>
  names.length > 0
    ? html`<p>Read both names: some responses call this field ${names.map((name) => html`<code>${name}</code>`)}.</p>`
    : '';

/** Links the rules about a field that do not pass, since the field alone may. */
function brokenRules(model: Model, { operation, pointer }: Node): Html[] {
  const ofField = resultsOf(model, operation).filter(({ address, verdict }) => {
    const requirement = model.requirements.get(address);
    const isOfField =
      address === occurring(operation, pointer) ||
      (requirement?.kind === 'rule' && getRulePointer(requirement.rule) === pointer);
    return isOfField && /^(violation|deviation)$/.test(verdict);
  });
  return ofField.map(
    ({ address }) => html`<p class="reason">Rule about this field: ${linkTo(model, address)}</p>`,
  );
}

const depthOf = (pointer: string) => pointer.split('/').length - 1;

function nameOf({ pointer, name, kind }: Node): Html {
  const parents = pointer.split('/').slice(1, -1).join('.').replaceAll('.*', '[]');
  const own = kind === 'element' ? html`<code>[]</code> each element` : html`<code>${name}</code>`;
  return html`${parents && html`<span class="parents">${steps(`${parents}.`)}</span>`}${own}`;
}

/** What a value is, with a link to the schema that describes it, if that has a name. */
function type(schema: Schema): Html {
  const component = schema['x-component'];
  const link = component && html` <a class="component" href="#schemas/${component}">${component}</a>`;
  return html`<p class="type">${describeExpectation(schema)}${link}</p>`;
}

/** Says whether a field may be absent or null and, if it may be absent, how often it was. */
function presence(model: Model, node: Node): string {
  if (node.kind === 'body') return '';
  if (node.kind === 'element') return 'never null';
  const states = listCoverageStates(node).presence;
  if (!states) return presenceWords(true);
  const address = addressOf(node.operation, node.pointer);
  const earlier = earlierAt(model, address);
  const { [states.present]: present = 0, [states.absent]: absent = 0 } = countsAt(model, address);
  const isSeen = earlier || isJudged(model.results.get(address)?.verdict);
  if (!isSeen || present + absent === 0) return presenceWords(false);
  const when = earlier ? ` on ${day(earlier.startedAt)}` : '';
  const often = present === 0 ? 'never present' : `present ${formatTimes(present)}`;
  return `${presenceWords(false)} · ${often}, absent ${absent === 0 ? 'never' : formatTimes(absent)}${when}`;
}

/** The type of a schema of the contract never includes null. */
const presenceWords = (isRequired: boolean) =>
  isRequired ? 'required, never null' : 'optional: may be absent, never null';

/** Each known value with how often it was met. */
function values(
  model: Model,
  address: string,
  known: unknown[] = [],
  word: 'accepted' | 'seen',
): Html | false {
  const isOpen = !earlierAt(model, address) && ['blocked', notSelected].includes(verdictAt(model, address));
  const never = isOpen
    ? badge(notSelected)
    : html`<span class="mark not-exercised">${word === 'accepted' ? 'not sent, or not accepted' : 'never seen'}</span>`;
  const entry = (value: unknown) => {
    const state = formatValueState(address, value);
    const count = countsAt(model, address)[state];
    const mark = count ? html`<span class="quiet">${word} ${formatTimes(count)}</span>` : never;
    return html`<li id="${state.replaceAll(' ', '')}"><code>${String(value)}</code> ${mark}</li>`;
  };
  return known.length > 0 && html`<ul class="values">${known.map(entry)}</ul>`;
}

/** Every schema that has a name, with the results of its fields wherever it is used. */
export const componentsSection = (model: Model): Html =>
  html`<section id="schemas" aria-labelledby="schemas-title">
    <h2 id="schemas-title">Schemas</h2>
    ${Object.entries(model.contract.components).map(([name, schema]) => component(model, name, schema))}
  </section>`;

function component(model: Model, name: string, schema: Schema): Html {
  const { description = describeExpectation(schema), 'x-source': source, pattern } = schema;
  const places = model.nodes
    .filter((node) => node.schema['x-component'] === name)
    .map(({ operation, pointer }) => addressOf(operation, pointer));
  return html`<section id="schemas/${name}" aria-labelledby="schemas-${name}">
    <h3 id="schemas-${name}">${name}</h3>
    <p>${prose(description)} ${source && html`<span class="meta">section ${source}</span>`}</p>
    ${pattern && html`<p>Pattern <code>${pattern}</code></p>`}
    ${observedAt(model, `schemas/${name}`)}
    ${schema.properties && fields(name, schema)}
    ${
      places.length === 0
        ? html`<p class="meta">Used by parameters only.</p>`
        : html`<details><summary>Used in ${counted(places.length, 'place')}</summary><ul class="places">${places.map((address) => html`<li>${linkTo(model, address)}</li>`)}</ul></details>`
    }
  </section>`;
}

function fields(name: string, { properties = {}, required = [] }: Schema): Html {
  const rows = Object.entries(properties).map(
    ([field, schema]) =>
      html`<tr role="row" id="schemas/${name}/${field}"><th role="rowheader" scope="row"><code>${field}</code></th>
      <td role="cell">${type(schema)}<p>${prose(schema.description)}</p>${otherNames(schema)}<p class="meta">${presenceWords(required.includes(field))}</p></td></tr>`,
  );
  return foldedTable(`Fields of ${name}`, ['Field', 'Promise'], rows, counted(rows.length, 'field'));
}
