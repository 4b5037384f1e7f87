import { html } from 'hono/html';
import type { Contract, Operation, Schema } from '../../schemas/contract/contract.ts';
import { describeExpectation } from '../../schemas/contract/expectations.ts';
import {
  addressOf,
  formatValueState,
  listCoverageStates,
  type Node,
  nodesOf,
} from '../../schemas/contract/nodes.ts';
import {
  getRulePointer,
  occurring,
  parameterAddress,
  type Requirement,
  requirementsOf,
} from '../../schemas/contract/requirements.ts';
import { counted, formatTimes } from '../../schemas/counted.ts';
import { inWords, type ProbeAnswer } from '../../src/questions/answers.ts';
import type { Finding } from '../../src/redact/observation.ts';
import { sweptText } from '../../src/sweep/summary.ts';
import { type FailureSummary, listFacts, summarizeFailure } from '../../src/verdict/entry.ts';
import { entriesInForce } from '../../src/verdict/ledger-use.ts';
import { isJudged, notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { day, ledgerText, saysOf } from '../lines.ts';
import { badge, type Html, prose, steps, table } from './html.ts';

/* The places of the contract on its page, each with its result: parameters, rules, fields of responses, schemas. */

/** The contract beside what a run says of it: all that a page is made from. */
export interface Model {
  contract: Contract;
  run: Conformance;
  nodes: Node[];
  /** What the contract says of each address. */
  requirements: Map<string, Requirement>;
  /** What the run says of it. */
  results: Map<string, ReportedRequirement>;
  /** Answers to open questions, by the address of the operation, parameter, field or schema that they are about. */
  observed: Map<string, ProbeAnswer[]>;
}

/** Looks results up by the places of a contract. */
export function modelOf(contract: Contract, run: Conformance): Model {
  const nodes = contract.operations.flatMap(nodesOf);
  const observed = new Map<string, ProbeAnswer[]>();
  for (const one of run.observed)
    for (const place of placesOf(contract, nodes, one))
      observed.set(place, [...(observed.get(place) ?? []), one]);
  return {
    contract,
    run,
    nodes,
    requirements: new Map(requirementsOf(contract).map((one) => [one.address, one])),
    results: new Map(run.requirements.map((one) => [one.address, one])),
    observed,
  };
}

/** The verdict at a place of the contract. */
const verdictAt = ({ results }: Model, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

/** The requirements of an operation, as the run judged them. */
export const resultsOf = ({ run }: Model, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

/** The fields that a question names, or else the operations or schemas of its section. */
function placesOf({ operations, components }: Contract, nodes: Node[], one: ProbeAnswer): string[] {
  const { section, question } = one;
  const isNamed = (name: string, source: string | undefined) =>
    source === section && question.includes(`\`${name}\``);
  const parameters = operations.flatMap(({ id, parameters: all }) =>
    all.filter((each) => isNamed(each.name, each['x-source'])).map(({ name }) => parameterAddress(id, name)),
  );
  const fields = nodes
    .filter(({ name, source }) => isNamed(name, source))
    .map(({ operation, pointer }) => addressOf(operation, pointer));
  const ofSection = operations.filter(({ source }) => source === section).map(({ id }) => id);
  const schemas = Object.entries(components).filter(([, schema]) => schema['x-source'] === section);
  const names = schemas.map(([name]) => `schemas/${name}`);
  return [[...parameters, ...fields], ofSection, names].find((places) => places.length > 0) ?? [];
}

/** A link to a place of the page with its verdict. */
const linkTo = (model: Model, address: string): Html =>
  html`<a href="#${address}"><code>${steps(address)}</code></a> ${badge(verdictAt(model, address))}`;

/** What is shown of a violation, in this order: all else stands in its row, or is hidden until it is asked for. */
const shownFacts = 'expected,actual,elsewhere,how often,request,id,place,against,sent'.split(',');

/** The result of one requirement: badge, reason, and what was found. */
function resultAt(model: Model, address: string): Html {
  const result = model.results.get(address);
  if (!result) return html`${badge(verdictAt(model, address))} <p class="reason">not part of this run</p>`;
  const { verdict, exercised, reason } = result;
  const entry = summarizeFailure(result, model.run.findings);
  const facts = entry && verdict === 'violation' ? listFacts(entry) : [];
  const shown = shownFacts.flatMap((key) => facts.filter(([name]) => name === key));
  const linesOf = (key: string) => facts.flatMap(([name, lines]) => (name === key ? lines : []));
  const [commands, places] = [linesOf('repeat'), linesOf('also at')];
  return html`${badge(verdict, verdict === 'pass' ? formatTimes(exercised) : '')}
    ${notesOn(model, result).map((fact) => html`<p class="reason">${fact}</p>`)}
    ${reason && html`<p class="reason">${reason}</p>`}
    ${shown.length > 0 && html`<dl class="finding">${shown.map(([name, lines]) => html`<dt>${name}</dt>${lines.map((line) => html`<dd>${steps(line)}</dd>`)}`)}</dl>`}${places.length > 0 && html`<details><summary>also at</summary><ul class="places">${places.map((one) => html`<li>${steps(one)}</li>`)}</ul></details>`}${commands.length > 0 && html`<details><summary>repeat<span class="hidden"> the request that shows it</span></summary>${commands.map((one) => html`<code class="shell">${one}</code>`)}</details>`}
    ${verdict === 'deviation' && entry && html`<p class="reason">${entryText(entry)}</p>`}`;
}

/** What is tolerated in its place, since when it is broken or tolerated, and on how many records a sweep has found it kept. */
function notesOn(model: Model, { address, verdict, swept }: ReportedRequirement): string[] {
  const { contract, run, requirements } = model;
  const entries = entriesInForce({ ...run, name: run.target }, run.startedAt, contract.ledger);
  const known = entries.filter(({ requirement }) => requirement === address && verdict !== 'deviation');
  const requirement = requirements.get(address);
  const isQuery = requirement?.kind === 'parameter' && requirement.parameter.in === 'query';
  return [
    ...(isQuery && verdict === 'pass' ? ['accepted; how it was applied is observed, not judged'] : []),
    ...known.map(({ because }) => `another form is tolerated: ${because}`),
    ...sinceText(model, address),
    ...(swept?.broken === 0 ? [`broken by ${sweptText(swept)}`] : []),
  ];
}

/** Since when a requirement is broken or tolerated, if earlier runs tell. */
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

/** How far what breaks a requirement reaches, what was found, and why that is tolerated, if it is. */
export const entryText = (entry: FailureSummary): Html => {
  const { first, extent, reason } = entry;
  return html`${extent}: ${prose(saysOf(entry))}${reason && `; ${reason}`}${first.because && html`<br>Tolerated: ${first.because}`} ${ledgerNote(first)}`;
};

/** Answers to open questions about an operation, a parameter, a field or a schema, where a reader looks for them. */
export function observedAt(model: Model, address: string): Html {
  const all = model.observed.get(address) ?? [];
  const answers = all.filter((one) => !isOpen(one));
  return html`${noteOf(model, 'Observed, not promised:', answers)}${noteOf(model, 'Left open by the contract, not observed:', all.filter(isOpen))}`;
}

/** An answer to an open question in words that fit it. */
export function answerText({ contract }: Model, { id, answer }: ProbeAnswer): string {
  const question = contract.questions.find((one) => one.id === id);
  return question ? inWords(question, answer) : answer;
}

/** What would answer a question that this run has left open. */
export function wayToAnswer({ answer, asked, evidence: [reason = ''] }: ProbeAnswer): Html {
  if (reason.includes('PROBES'))
    return html`<span class="meta">not asked in this run: PROBES=on asks it</span>`;
  return html`<span class="meta">${answer === 'unknown' ? html`${reason}; what would answer it: ${prose(asked)}` : answer}</span>`;
}

const isOpen = ({ confidence }: ProbeAnswer) => confidence === 'unknown';

const noteOf = (model: Model, title: string, answers: ProbeAnswer[]) =>
  answers.length > 0 &&
  html`<div class="note">${title}<ul>${answers.map(
    (one) =>
      html`<li><a href="#observed/${one.id}">${prose(one.question)}</a> ${isOpen(one) ? wayToAnswer(one) : answerText(model, one)}</li>`,
  )}</ul></div>`;

/** A row of a place of the contract: its name, its promise with level and section, its result. */
function row(model: Model, address: string, { depth = 0, name, promise, word, source = '' }: Row): Html {
  const facts = [word, model.results.get(address)?.level, `section ${source}`].filter(Boolean);
  return html`<tr role="row" id="${address}" data-verdict="${verdictAt(model, address)}">
    <th role="rowheader" scope="row" style="--depth:${depth}">${name} <a class="anchor" href="#${address}" aria-label="link to ${address}">#</a></th>
    <td role="cell">${promise}<p class="meta">${facts.join(' · ')}</p>${observedAt(model, address)}</td>
    <td role="cell" class="result">${resultAt(model, address)}</td>
  </tr>`;
}

interface Row {
  depth?: number;
  name: Html;
  promise: Html;
  /** Whether it is required, and how often it was there. */
  word?: string;
  source?: string | undefined;
}

/** Rows of the parameters of an operation. */
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
  return table('Parameters', ['Parameter', 'Promise', 'Result'], rows);
}

/** Rules of the answer as a whole, as rows: those about no parameter, and no field of the body. */
export function ruleTable(model: Model, { id }: Operation): Html {
  const rules = resultsOf(model, id).filter(({ address }) => {
    const requirement = model.requirements.get(address);
    const isRule = requirement?.kind === 'rule' && getRulePointer(requirement.rule) === undefined;
    return isRule || requirement?.place === 'http';
  });
  const rows = rules.map(({ address }) =>
    sentenceRow(model, address, html`<code>${address.slice(id.length + 1)}</code>`),
  );
  return table('Rules of each answer', ['Rule', 'Promise', 'Result'], rows);
}

/** Rows of every place in the answer of an operation. */
export function fieldTable(model: Model, { id }: Operation): Html {
  const nodes = model.nodes.filter(({ operation }) => operation === id);
  const rows = nodes.flatMap((node) => {
    const { pointer, schema, source } = node;
    const address = addressOf(id, pointer);
    const { description, default: byDefault } = schema;
    const promise = html`${type(schema)}${description && html`<p>${prose(description)}</p>`}
      ${byDefault !== undefined && schema.const === undefined && html`<p>Default <code>${String(byDefault)}</code>.</p>`}
      ${values(model, address, schema.enum, 'seen')}`;
    const own = { depth: depthOf(pointer), name: nameOf(node), promise, word: presence(model, node), source };
    return [row(model, address, own), ...ruleRows(model, node)];
  });
  return html`${table('Response body', ['Field', 'Promise', 'Result'], rows)}
    <p class="note">A field that is not listed is not promised: it may be there, and may go. A field may be null only where its promise says so.</p>`;
}

/** Requirements about one field that its schema does not say: rules, and values that occur. */
function ruleRows(model: Model, { operation, pointer, schema, name }: Node): Html[] {
  const [known, depth] = [schema['x-values-that-occur'], depthOf(pointer)];
  return resultsOf(model, operation).flatMap(({ address }) => {
    if (known && address === occurring(operation, pointer)) {
      const seen = values(model, addressOf(operation, pointer), known, 'seen');
      return [sentenceRow(model, address, html`values of <code>${name}</code>`, depth, seen)];
    }
    const requirement = model.requirements.get(address);
    const isOfField = requirement?.kind === 'rule' && getRulePointer(requirement.rule) === pointer;
    return isOfField ? [sentenceRow(model, address, html`rule about <code>${name}</code>`, depth)] : [];
  });
}

/** A row of a requirement that its sentence says, rather than a schema. */
function sentenceRow(model: Model, address: string, name: Html, depth = 0, more?: Html | false): Html {
  const { statement, source } = model.results.get(address) ?? {};
  return row(model, address, { depth, name, promise: html`<p>${prose(statement)}</p>${more}`, source });
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

/** Whether a field has to be there and, if not, how often it was. */
function presence({ run, results }: Model, node: Node): string {
  if (node.kind !== 'field') return '';
  const states = listCoverageStates(node).presence;
  if (!states) return 'required';
  const { [states.present]: present = 0, [states.absent]: absent = 0 } = run.coverage.seen;
  if (!isJudged(results.get(addressOf(node.operation, node.pointer))?.verdict) || present + absent === 0)
    return 'optional';
  return `optional: ${present === 0 ? 'never present' : `present ${formatTimes(present)}`}, absent ${formatTimes(absent)}`;
}

/** Each known value with how often it was met. */
function values(
  model: Model,
  address: string,
  known: unknown[] = [],
  word: 'accepted' | 'seen',
): Html | false {
  const isOpen = ['blocked', notSelected].includes(verdictAt(model, address));
  const never = isOpen
    ? badge(notSelected)
    : html`<span class="mark not-exercised">${word === 'accepted' ? 'not sent, or not accepted' : 'never seen'}</span>`;
  const entry = (value: unknown) => {
    const state = formatValueState(address, value);
    const count = model.run.coverage.seen[state];
    const mark = count ? html`<span class="mark pass">${word} ${formatTimes(count)}</span>` : never;
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
  const rowOf = ([field, own]: [string, Schema]) =>
    html`<tr role="row" id="schemas/${name}/${field}"><th role="rowheader" scope="row"><code>${field}</code></th>
      <td role="cell">${type(own)}<p>${prose(own.description)}</p><p class="meta">${required.includes(field) ? 'required' : 'optional'}</p></td></tr>`;
  return table(`Fields of ${name}`, ['Field', 'Promise'], Object.entries(properties).map(rowOf));
}
