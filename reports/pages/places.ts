import { html } from 'hono/html';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { describeExpectation } from '../../schemas/contract/expectations.ts';
import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import {
  formatAddress,
  formatValueState,
  getCoverageStates,
  listKnownValues,
  type Node,
} from '../../schemas/contract/nodes.ts';
import {
  formatOccurringValuesAddress,
  formatParameterAddress,
  getRulePointer,
} from '../../schemas/contract/requirements.ts';
import { formatCount, formatTimes } from '../../schemas/counted.ts';
import type { Finding } from '../../src/redact/observation.ts';
import { describeShare } from '../../src/sweep/summary.ts';
import { type FailureSummary, listFacts, summarizeFailure, sumPlaces } from '../../src/verdict/entry.ts';
import { selectEntriesInForce } from '../../src/verdict/ledger-use.ts';
import { formatVerdictCounts, isJudged, notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { ReportedRequirement } from '../conformance.ts';
import { formatDay, formatLedgerNote, formatMinute, formatMismatch } from '../lines.ts';
import { renderAnswersAt } from './answers.ts';
import {
  allowLineBreaks,
  type Html,
  renderFold,
  renderFoldedTable,
  renderProse,
  renderTable,
  renderVerdictBadge,
} from './html.ts';
import {
  type ContractPageData,
  findCounts,
  findEarlierResult,
  findVerdict,
  listResults,
} from './page-data.ts';

/* Tables of the contract page: a row for each parameter, rule and field, with the promise and the result; and the schemas. */

function renderEarlier(page: ContractPageData, address: string): Html | undefined {
  const earlier = findEarlierResult(page, address);
  if (!earlier) return undefined;
  return html`<p class="earlier">last judged <time datetime="${earlier.startedAt}">${formatDay(earlier.startedAt)}</time>: ${earlier.verdict} ${formatTimes(earlier.exercised)}</p>`;
}

const renderLink = (page: ContractPageData, address: string): Html =>
  html`<a href="#${address}"><code>${allowLineBreaks(address)}</code></a> ${renderVerdictBadge(findVerdict(page, address))}`;

/**
 * Names of the facts that a table row lists, keyed by the verdict of the row. The row lists the facts in this order.
 * If the verdict has no key here, such as `deviation`, the row lists no facts.
 * The names `also at` and `repeat` are missing, because `renderFacts` always adds these two facts.
 */
const shownFactNames: Partial<Record<Verdict, string[]>> = {
  violation: 'expected,actual,elsewhere,how often,request,id,place,against,sent'.split(','),
  blocked: ['how often', 'request', 'id'],
};

function renderResult(page: ContractPageData, address: string): Html {
  const result = page.results.get(address);
  if (!result)
    return html`${renderVerdictBadge(findVerdict(page, address))} <p class="reason">not part of this run</p>`;
  const { verdict, exercised, reason } = result;
  const countText = verdict === 'pass' ? formatTimes(exercised) : '';
  const failure = summarizeFailure(result, page.run.findings);
  // A deviation shows its ledger entry in place of the facts of the failure.
  const isDeviation = verdict === 'deviation';
  return html`${renderVerdictBadge(verdict, countText)}
    ${listNotes(page, result).map((note) => html`<p class="reason">${renderProse(note)}</p>`)}
    ${reason && html`<p class="reason">${reason}</p>`}
    ${renderEarlier(page, address)}
    ${failure && renderFailureFacts(result, failure)}
    ${failure && isDeviation && html`<p class="reason">${renderFailureEntry(failure)}</p>`}`;
}

function renderFailureFacts(result: ReportedRequirement, failure: FailureSummary): Html | '' {
  const { verdict, requests: judgedRequests } = result;
  if (verdict === 'deviation') return '';
  // If no request was judged, the same request blocks each row of the operation. Only the section "Needs attention" shows it.
  const hasOwnFacts = verdict === 'violation' || judgedRequests > 0;
  return hasOwnFacts ? renderFacts(failure, shownFactNames[verdict] ?? []) : '';
}

function renderFacts(failure: FailureSummary, shownNames: string[]): Html {
  const linesByName = new Map(listFacts(failure));
  const entries: Html[] = [];
  for (const name of shownNames) {
    const lines = linesByName.get(name);
    if (lines)
      entries.push(html`<dt>${name}</dt>${lines.map((line) => html`<dd>${allowLineBreaks(line)}</dd>`)}`);
  }
  const list = entries.length > 0 && html`<dl class="finding">${entries}</dl>`;
  return html`${list}${renderFurtherPlaces(linesByName.get('also at'))}${renderCommands(linesByName.get('repeat'))}`;
}

const renderFurtherPlaces = (places: string[] = []) =>
  places.length > 0 &&
  html`<details><summary>also at</summary><ul class="places">${places.map((place) => html`<li>${allowLineBreaks(place)}</li>`)}</ul></details>`;

const renderCommands = (commands: string[] = []) =>
  commands.length > 0 &&
  html`<details><summary>repeat<span class="hidden"> the request that shows it</span></summary>${commands.map((command) => html`<code class="shell">${command}</code>`)}</details>`;

function listNotes(page: ContractPageData, result: ReportedRequirement): string[] {
  const { address, verdict, swept: sweepShare } = result;
  const requirement = page.requirements.get(address);
  const isQueryParameter = requirement?.kind === 'parameter' && requirement.parameter.in === 'query';
  const notes: string[] = [];
  if (isQueryParameter && verdict === 'pass') notes.push(parameterNote);
  if (verdict !== 'deviation') notes.push(...selectLedgerEntries(page, address).flatMap(adviseClient));
  notes.push(...describeSince(page, address));
  // "broken by none of 950 customers". A failure shows its own share.
  if (sweepShare?.broken === 0) notes.push(`broken by ${describeShare(sweepShare)}`);
  return notes;
}

/**
 * Selects the ledger entries that name a requirement and were in force in the run.
 * Expired entries and entries for other targets are not in force. With `PROFILE=documented`, no entry is in force.
 */
export function selectLedgerEntries({ contract, run }: ContractPageData, address: string): LedgerEntry[] {
  const { target: name, profile, startedAt } = run;
  const entriesInForce = selectEntriesInForce({ name, profile }, startedAt, contract.ledger);
  return entriesInForce.filter(({ requirement }) => requirement === address);
}

/** Advice for a field such as `period`, whose documented values may be incomplete (contract section 2.3). */
const otherValuesNote = 'Expect other values too: the list is of those seen so far.';

const parameterNote = 'The server accepted the parameter. What it did with it is not judged.';

/**
 * Formats advice for developers of clients about a tolerated deviation, such as `['Read both names: …']`.
 * @returns an empty list if the deviation is another name of the field, and the table row of the field already shows the name
 */
export function adviseClient({ requirement, accepts, because, fieldSchema }: LedgerEntry): string[] {
  if ('name' in accepts) {
    const otherName = accepts.name;
    const isShownInRow = fieldSchema?.['x-observed-names']?.includes(otherName);
    return isShownInRow ? [] : [`Read both names: some responses call this field \`${otherName}\`.`];
  }
  const isAboutListedValues = requirement.endsWith('/values-that-occur');
  return [isAboutListedValues ? otherValuesNote : `Be prepared for both: ${because}`];
}

/**
 * Formats since when a requirement has the verdict `violation` or `deviation`: `['since 2026-03-02 08:00 UTC']`.
 * @returns an empty list for any other verdict, and if this is the first known run with the verdict
 */
export function describeSince({ run, results }: ContractPageData, address: string): string[] {
  const { verdict, since } = results.get(address) ?? {};
  const isOlder = since !== undefined && since !== run.startedAt;
  return isBroken(verdict) && isOlder ? [`since ${formatMinute(since)}`] : [];
}

const isBroken = (verdict: Verdict | undefined) => verdict === 'violation' || verdict === 'deviation';

function renderLedgerEntry({ ledger: entry }: Pick<Finding, 'ledger'>): Html | '' {
  if (!entry) return '';
  const { link, ...entryWithoutLink } = entry;
  const ticket = link && /^https?:\/\//.test(link) ? html`<a href="${link}">${link}</a>` : link;
  return html`<span class="meta">(${formatLedgerNote({ ledger: entryWithoutLink })}${link && html`, ${ticket}`})</span>`;
}

export function renderFailureEntry(failure: FailureSummary): Html {
  const { first: firstFinding, extent, reason } = failure;
  const { because } = firstFinding;
  const mismatch = renderProse(formatMismatch(failure));
  const reasonText = reason && `; ${reason}`;
  const knownDeviation = because && html`<br>Known deviation: ${because}`;
  return html`${extent}: ${mismatch}${reasonText}${knownDeviation} ${renderLedgerEntry(firstFinding)}`;
}

function renderRow(
  page: ContractPageData,
  address: string,
  { depth = 0, name, promise, presence, source, details }: PageRow,
): Html {
  const facts = [presence, page.results.get(address)?.level, `section ${source}`].filter(Boolean);
  return html`<tr role="row" id="${address}" data-verdict="${findVerdict(page, address)}">
    <th role="rowheader" scope="row" style="--depth:${depth}">${name} <a class="anchor" href="#${address}" aria-label="link to ${address}">#</a></th>
    <td role="cell">${promise}<p class="meta">${facts.join(' · ')}</p>${renderAnswersAt(page, address)}</td>
    <td role="cell" class="result">${renderResult(page, address)}${details}</td>
  </tr>`;
}

interface PageRow {
  /** Levels of indentation, such as 2 for the field `/data/card`. The default is 0. */
  depth?: number;
  name: Html;
  promise: Html;
  presence?: string;
  /** Section of the contract, such as `2.4`. */
  source: string;
  details?: Html[];
}

export function renderParameterTable(page: ContractPageData, { id, parameters }: Operation): Html {
  const rows = parameters.map(({ name, required, schema, description, 'x-source': source, in: place }) => {
    const address = formatParameterAddress(id, name);
    return renderRow(page, address, {
      name: html`<code>${name}</code>`,
      promise: html`${renderType(schema)}<p>${renderProse(description)}</p>${renderValues(page, address, schema.enum, 'parameter')}`,
      presence: `${required ? 'required' : 'optional'} in the ${place}`,
      source,
    });
  });
  const count = formatCount(rows.length, 'parameter');
  return renderFoldedTable('Parameters', ['Parameter', 'Promise', 'Result'], rows, count);
}

export function renderRuleTable(page: ContractPageData, { id }: Operation): Html {
  const rules = listResults(page, id).filter(({ address }) => isInRuleTable(page, address));
  const rows = rules.map(({ address, statement, source }) => {
    const addressInOperation = address.slice(`${id}/`.length);
    const name = html`<code>${allowLineBreaks(addressInOperation)}</code>`;
    return renderRow(page, address, { name, promise: html`<p>${renderProse(statement)}</p>`, source });
  });
  const addresses = rules.map(({ address }) => address);
  const meta = formatTableSummary(page, formatCount(rows.length, 'rule'), addresses);
  const hasUnpassedRule = rules.some(({ verdict }) => verdict !== 'pass');
  const heads = ['Rule', 'Promise', 'Result'];
  return renderFoldedTable('Rules of each response', heads, rows, meta, { isOpen: hasUnpassedRule });
}

function formatTableSummary({ results }: ContractPageData, countText: string, addresses: string[]): string {
  const tableResults = addresses.flatMap((address) => results.get(address) ?? []);
  if (tableResults.length === 0) return countText;
  const unpassedResults = tableResults.filter(({ verdict }) => verdict !== 'pass');
  if (unpassedResults.length === 0) return `${countText}, all pass`;
  return [countText, ...formatVerdictCounts(unpassedResults)].join(', ');
}

function isInRuleTable({ requirements }: ContractPageData, address: string): boolean {
  const kind = requirements.get(address)?.kind;
  const hasOtherTable = kind === 'node' || kind === 'parameter';
  return kind !== undefined && !hasOtherTable;
}

export function renderFieldTable(page: ContractPageData, { id }: Operation): Html {
  const nodes = page.nodes.filter(({ operation }) => operation === id);
  const rows = nodes.map((node) => renderFieldRow(page, node));
  const addresses = nodes.map(({ pointer }) => formatAddress(id, pointer));
  const meta = formatTableSummary(page, formatCount(rows.length, 'place'), addresses);
  return html`${renderFoldedTable('Body of a success', ['Field', 'Promise', 'Result'], rows, meta)}
    <p class="meta">The contract promises no other fields. Responses may have more, and may lose them again.</p>`;
}

function renderFieldRow(page: ContractPageData, node: Node): Html {
  const { pointer, schema, source, operation } = node;
  const address = formatAddress(operation, pointer);
  const { description, default: defaultValue } = schema;
  const isConstant = schema.const !== undefined;
  const showsDefault = defaultValue !== undefined && !isConstant;
  const promise = html`${renderType(schema)}${description && html`<p>${renderProse(description)}</p>`}
    ${showsDefault && html`<p>Default <code>${String(defaultValue)}</code>.</p>`}
    ${renderOtherNames(schema)}${renderValues(page, address, listKnownValues(schema), 'field')}
    ${renderValuesNote(node)}`;
  return renderRow(page, address, {
    depth: getDepth(pointer),
    name: renderName(node),
    promise,
    presence: formatPresence(page, node),
    source,
    details: renderBrokenRules(page, node),
  });
}

function renderValuesNote({ schema }: Node): Html | '' {
  if (schema['x-values-that-occur']) return html`<p>${otherValuesNote}</p>`;
  return schema.enum ? html`<p>The contract lists all of its values.</p>` : '';
}

const renderOtherNames = ({ 'x-observed-names': names = [] }: Schema): Html | '' =>
  names.length > 0
    ? html`<p>Read both names: some responses call this field ${names.map((name) => html`<code>${name}</code>`)}.</p>`
    : '';

function renderBrokenRules(page: ContractPageData, { operation, pointer }: Node): Html[] {
  const isRuleOfField = (address: string) => {
    const requirement = page.requirements.get(address);
    return requirement?.kind === 'rule' && getRulePointer(requirement.rule) === pointer;
  };
  const addressOfListedValues = formatOccurringValuesAddress(operation, pointer);
  const brokenResults = listResults(page, operation).filter(({ verdict }) => isBroken(verdict));
  const brokenRules = brokenResults.filter(
    ({ address }) => address === addressOfListedValues || isRuleOfField(address),
  );
  return brokenRules.map(
    ({ address }) => html`<p class="reason">Rule about this field: ${renderLink(page, address)}</p>`,
  );
}

const getDepth = (pointer: string) => pointer.split('/').length - 1;

function renderName({ pointer, name, kind }: Node): Html {
  const parentSteps = pointer.split('/').slice(1, -1);
  // "data.limits[]" for the steps `data`, `limits` and `*`, where `*` stands for the elements of a list.
  const parentPath = parentSteps.join('.').replaceAll('.*', '[]');
  const separator = kind === 'element' ? '' : '.';
  const parents = parentPath && html`<span class="parents">${allowLineBreaks(parentPath + separator)}</span>`;
  const label = kind === 'element' ? html`<code>[]</code> each element` : html`<code>${name}</code>`;
  return html`${parents}${label}`;
}

function renderType(schema: Schema): Html {
  const component = schema['x-component'];
  const link = component && html` <a class="component" href="#schemas/${component}">${component}</a>`;
  return html`<p class="type">${describeExpectation(schema)}${link}</p>`;
}

function formatPresence(page: ContractPageData, node: Node): string {
  if (node.kind === 'body') return '';
  if (node.kind === 'element') return 'never null';
  const isFieldOfEnvelope = getDepth(node.pointer) === 1;
  const promise = describePresence(node.required === true, isFieldOfEnvelope ? ' in a success' : '');
  const occurrences = formatOccurrences(page, node);
  return occurrences ? `${promise} · ${occurrences}` : promise;
}

function formatOccurrences(page: ContractPageData, node: Node): string {
  const { presence: presenceKeys } = getCoverageStates(node);
  const isRequired = presenceKeys === undefined;
  if (isRequired) return '';
  const address = formatAddress(node.operation, node.pointer);
  const earlier = findEarlierResult(page, address);
  const isJudgedByAnyRun = earlier !== undefined || isJudged(page.results.get(address)?.verdict);
  if (!isJudgedByAnyRun) return '';
  const counts = findCounts(page, address);
  const presentCount = counts[presenceKeys.presentState] ?? 0;
  const absentCount = counts[presenceKeys.absentState] ?? 0;
  if (presentCount + absentCount === 0) return '';
  const presentText = formatPresentCount(presentCount, countNulls(page, address));
  const absentText = absentCount === 0 ? 'absent never' : `absent ${formatTimes(absentCount)}`;
  const dayText = earlier ? ` on ${formatDay(earlier.startedAt)}` : '';
  return `${presentText}, ${absentText}${dayText}`;
}

function formatPresentCount(presentCount: number, nullCount: number): string {
  if (presentCount === 0) return 'never present';
  const nullText = nullCount > 0 ? `, ${nullCount} of them null` : '';
  return `present ${formatTimes(presentCount)}${nullText}`;
}

function countNulls({ run: { findings } }: ContractPageData, address: string): number {
  const isNull = ({ requirement, actual }: Finding) => requirement === address && actual === 'null';
  return sumPlaces(findings.filter(isNull));
}

const describePresence = (isRequired: boolean, suffix: '' | ' in a success' = '') =>
  // The contract (sections 2.1 to 2.7) allows null for no field.
  isRequired ? `required${suffix}, never null` : `optional${suffix}: may be absent, never null`;

function renderValues(
  page: ContractPageData,
  address: string,
  documentedValues: unknown[] = [],
  kind: 'parameter' | 'field',
): Html | false {
  if (documentedValues.length === 0) return false;
  const seenText = kind === 'parameter' ? 'accepted' : 'seen';
  const unseenMark = renderUnseenMark(page, address, kind);
  const renderValue = (value: unknown) => {
    const state = formatValueState(address, value);
    const count = findCounts(page, address)[state];
    const mark = count ? html`<span class="quiet">${seenText} ${formatTimes(count)}</span>` : unseenMark;
    return html`<li id="${state.replaceAll(' ', '')}"><code>${String(value)}</code> ${mark}</li>`;
  };
  return html`<ul class="values">${documentedValues.map(renderValue)}</ul>`;
}

function renderUnseenMark(page: ContractPageData, address: string, kind: 'parameter' | 'field'): Html {
  const verdict = findVerdict(page, address);
  const isNotJudged = verdict === 'blocked' || verdict === notSelected;
  // "never seen" would be wrong, because no response could show the value.
  if (isNotJudged && !findEarlierResult(page, address)) return renderVerdictBadge(notSelected);
  const unseenText = kind === 'parameter' ? 'not sent, or not accepted' : 'never seen';
  return html`<span class="mark not-exercised">${unseenText}</span>`;
}

export function renderComponents(page: ContractPageData): Html {
  const schemas = Object.entries(page.contract.components);
  const objects = schemas.filter(([, schema]) => schema.properties);
  const values = schemas.filter(([, schema]) => !schema.properties);
  return html`<section id="schemas" aria-labelledby="schemas-title">
    <h2 id="schemas-title">Schemas</h2>
    ${objects.map(([name, schema]) => renderObjectSchema(page, name, schema))}
    ${values.length > 0 && renderValueSchemas(page, values)}
  </section>`;
}

function renderObjectSchema(page: ContractPageData, name: string, schema: Schema): Html {
  const { properties = {} } = schema;
  const content = html`${renderMeaning(page, name, schema)}${renderFields(name, schema)}${renderUsage(page, name)}`;
  const count = formatCount(Object.keys(properties).length, 'field');
  return renderFold(name, count, content, { id: `schemas/${name}` });
}

function renderValueSchemas(page: ContractPageData, schemas: [name: string, schema: Schema][]): Html {
  const renderSchema = ([name, schema]: [string, Schema]) =>
    html`<tr role="row" id="schemas/${name}"><th role="rowheader" scope="row"><code>${name}</code></th>
      <td role="cell">${renderMeaning(page, name, schema)}</td><td role="cell">${renderUsage(page, name)}</td></tr>`;
  const rows = schemas.map(renderSchema);
  const count = formatCount(rows.length, 'schema');
  return renderFoldedTable('Single values', ['Schema', 'Promise', 'Used in'], rows, count);
}

function renderMeaning(page: ContractPageData, name: string, schema: Schema): Html {
  const { description = describeExpectation(schema), 'x-source': source, pattern } = schema;
  return html`<p>${renderProse(description)} ${source && html`<span class="meta">section ${source}</span>`}</p>
    ${pattern && html`<p>Pattern <code>${pattern}</code></p>`}
    ${renderAnswersAt(page, `schemas/${name}`)}`;
}

function renderUsage(page: ContractPageData, name: string): Html {
  const usingNodes = page.nodes.filter(({ schema }) => schema['x-component'] === name);
  if (usingNodes.length === 0) return html`<p class="meta">Used by parameters only.</p>`;
  const addresses = usingNodes.map(({ operation, pointer }) => formatAddress(operation, pointer));
  const links = addresses.map((address) => html`<li>${renderLink(page, address)}</li>`);
  return html`<details><summary>Used in ${formatCount(addresses.length, 'place')}</summary><ul class="places">${links}</ul></details>`;
}

function renderFields(schemaName: string, { properties = {}, required = [] }: Schema): Html {
  const rows = Object.entries(properties).map(
    ([field, schema]) =>
      html`<tr role="row" id="schemas/${schemaName}/${field}"><th role="rowheader" scope="row"><code>${field}</code></th>
      <td role="cell">${renderType(schema)}<p>${renderProse(schema.description)}</p>${renderOtherNames(schema)}<p class="meta">${describePresence(required.includes(field))}</p></td></tr>`,
  );
  return renderTable(`Fields of ${schemaName}`, ['Field', 'Promise'], rows);
}
