import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { counted } from '../../schemas/counted.ts';
import type { FailureSummary } from '../../src/verdict/entry.ts';
import { formatResponse } from '../../src/verdict/requests-made.ts';
import type { OperationExchange } from '../../src/verdict/results.ts';
import { getOriginMark, verdictSentence } from '../../src/verdict/sentence.ts';
import {
  countByVerdict,
  formatVerdictCounts,
  notSelected,
  pluralizeVerdict,
  type Verdict,
  verdicts,
} from '../../src/verdict/verdicts.ts';
import { type Conformance, withVerdict } from '../conformance.ts';
import type { LastSeen } from '../last-seen.ts';
import {
  type BlockedCause,
  basisOf,
  countsNote,
  firstRequestText,
  minute,
  observedLine,
  sectionsOf,
  timeText,
  versionsLine,
} from '../lines.ts';
import { reliableNote, reliableText, reliableTitle } from '../reliable-fields.ts';
import { answerText, observedAt, seenAtText, wayToAnswer } from './answers.ts';
import { clientBox, idsInBox } from './client-box.ts';
import { badge, fold, type Html, pageOf, prose, steps } from './html.ts';
import { earlierAt, type Model, modelOf, resultsOf, type ShownAnswer } from './model.ts';
import { componentsSection, entryText, fieldTable, parameterTable, ruleTable, sinceText } from './places.ts';

const script = readFileSync(new URL('contract.js', import.meta.url), 'utf8');

/** What lies beside a page, and what a site knows of earlier runs. */
export interface PageLinks {
  /** Whether the Allure report lies there. */
  testReport?: boolean;
  /** File of the run that is shown. */
  data?: string | undefined;
  /** Page of all targets, where this one is published. */
  index?: string | undefined;
  /** Results of earlier runs, shown where this run has none. */
  lastSeen?: LastSeen | undefined;
  /** Since when the target could not be checked, in a sentence. */
  unchecked?: string | undefined;
}

/** `contract.html`: the contract as a reference in which each place carries its result in a run. */
export function contractPage(contract: Contract, run: Conformance, links: PageLinks = {}): string {
  const model = modelOf(contract, run, links.lastSeen);
  const title = `${contract.title}: ${run.verdict}${getOriginMark(run)} on ${run.target}`;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
${verdictHeader(model, links)}
${navigation(model, links)}
<main id="main">
${attention(model)}
${reliableSection(model)}
${contract.operations.map((operation) => operationSection(model, operation))}
${componentsSection(model)}
${observedSection(model)}
</main>`;
  return pageOf(title, body, script);
}

function navigation(model: Model, { testReport, data = 'conformance.json', index }: PageLinks): Html {
  const { contract, run } = model;
  const entry = (href: string, text: string, mark: Html | string = '') =>
    html`<li><a href="#${href}">${text}</a> ${mark}</li>`;
  return html`<nav aria-label="Contents">
    <form id="search" role="search" hidden>
      <label for="query">Search this page</label>
      <input id="query" type="search" autocomplete="off" placeholder="token, paging, null, …">
      <p id="hits" role="status"></p>
    </form>
    <details id="contents" open><summary>Contents</summary>
    ${index && html`<ul><li><a href="${index}">All targets</a></li></ul>`}
    <ul>
      ${entry('attention', 'Needs attention')}
      ${run.changes && entry('changes', 'Changes')}
      ${run.optionalAlwaysPresent && entry('reliable', reliableTitle)}
      ${contract.operations.map(({ id, summary }) => entry(id, summary, operationBadge(model, id)))}
      ${entry('schemas', 'Schemas')}
      <li class="names"><ul>${Object.keys(contract.components).map((name) => entry(`schemas/${name}`, name))}</ul></li>
      ${run.observed.length > 0 && entry('observed', 'Observed behaviour')}
    </ul>
    <ul class="reports">
      ${testReport && html`<li><a href="allure-report/index.html">Test report</a></li>`}
      <li><a href="conformance.md">Summary</a></li>
      <li><a href="${data}">Data of the run</a></li>
    </ul>
    </details>
  </nav>`;
}

/** What a reader needs first: which run this is, and its verdict. */
function verdictHeader({ contract, run }: Model, { unchecked }: PageLinks): Html {
  const { requirements, selection, target, profile, startedAt, traffic } = run;
  const countEntry = ([verdict, count]: readonly [Verdict, number]) =>
    html`<li class="${verdict.replace(' ', '-')}"><b>${count}</b> ${pluralizeVerdict(verdict, count)}</li>`;
  const facts = [
    ['Target', target],
    ['Run', html`<time datetime="${startedAt}">${minute(startedAt)}</time>`],
    [
      'Profile',
      `${profile}: ${profile === 'observed' ? 'known deviations are' : 'no deviation is'} accepted`,
    ],
    [traffic ? 'Recording' : 'Requests', basisOf(run)],
    ['Time', timeText(run)],
    ['Contract', html`edition ${run.edition} <code>${run.contract}</code>`],
    ['Suite', run.suite],
  ] as const;
  const note = countsNote(run);
  return html`<header id="verdict" class="verdict ${run.verdict}">
    <h1>${contract.title}</h1>
    <p>${contract.summary}</p>
    ${unchecked && html`<p class="note"><strong>${unchecked}</strong></p>`}
    <p class="sentence"><strong>${steps(verdictSentence(run))}</strong></p>
    <dl class="facts">${facts.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
    <ul class="counts" aria-label="Requirements by verdict"><li><b>${requirements.length}</b> requirements${selection && ` of ${selection.total}, selected`}</li>${countByVerdict(requirements).map(countEntry)}</ul>
    ${note && html`<p class="meta">${note}.</p>`}
    ${coverage(run.coverage)}
  </header>`;
}

/** How much of the contract responses have shown. In place of a field another name may always stand. */
function coverage({ nodes, states, fields }: Model['run']['coverage']): Html {
  const absent = fields?.neverPresent.length ?? 0;
  return html`<p>Responses reached <b>${nodes.percentage} %</b> of the fields (${nodes.exercised} of ${nodes.total}${absent > 0 && `; always absent: ${absent}`}).
    ${states.exercised < states.total ? `${states.exercised} of ${states.total}` : `All ${states.total}`} documented values, of fields and of parameters, occurred.
    MUST: the contract says so. SHOULD: the contract only reports what it has seen. A break of either is shown.
    Not exercised: no response contained it, so nothing is known.</p>`;
}

/** All that is said of the run beside its verdict, with links. */
function attention(model: Model): Html {
  const { run } = model;
  const isUnexpected = run.observed.some(({ attention: reason }) => reason !== undefined);
  const isKept =
    !isUnexpected && run.verdict === 'pass' && withVerdict(run, 'pass').length === run.requirements.length;
  const linked = (address: string) =>
    model.requirements.has(address)
      ? html`<a href="#${address}"><code>${steps(address)}</code></a>`
      : html`<code>${address}</code>`;
  const broken = (entry: FailureSummary) =>
    html`<strong>${prose(entry.statement)}</strong> ${linked(entry.address)}<br>${sinceText(model, entry.address).map((since) => `${since}, `)}${entryText(entry)}`;
  const sections = sectionsOf<Html>(run, {
    named: 30,
    code: (text) => `\`${text}\``,
    text: (line) => prose(line, linked),
    violation: broken,
    deviation: broken,
    blocked: (reason, cause) => html`${prose(reason, linked)}<br>${blockedRequest(cause)}`,
  });
  return html`<section id="attention" aria-labelledby="attention-title"><h2 id="attention-title">Needs attention</h2>
    ${isKept && html`<p>Nothing; every requirement passes.</p>`}
    ${sections.map(
      ([title, lines]) => html`<div id="${title.split(' ')[0]?.toLowerCase()}"><h3>${title}</h3>
      <ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>`,
    )}
  </section>`;
}

/** First request that was blocked, with its id and the folded command that repeats it. */
const blockedRequest = (cause: BlockedCause): Html => {
  const { exchange, id, repeat } = cause.first;
  return html`${firstRequestText(cause)} <code>${steps(exchange)}</code>${id && html`<br>id <code>${id}</code>`}
    ${repeat && html`<details><summary>repeat<span class="hidden"> the request that was blocked</span></summary><code class="shell">${repeat}</code></details>`}`;
};

/** Optional fields that a client may expect, though the contract does not promise them. */
function reliableSection({ run: { optionalAlwaysPresent: fields = [] } }: Model): Html | false {
  return (
    fields.length > 0 &&
    html`<section id="reliable" aria-labelledby="reliable-title"><h2 id="reliable-title">${reliableTitle}</h2>
    <p>${reliableNote}.</p>
    <ul>${fields.map((field) => html`<li><a href="#${field.address}"><code>${steps(field.address)}</code></a>: ${reliableText(field)}</li>`)}</ul>
  </section>`
  );
}

/** Requirements of an operation by verdict. */
function countsOf(model: Model, id: string): string {
  const own = resultsOf(model, id);
  return own.length > 0
    ? `${counted(own.length, 'requirement')}: ${formatVerdictCounts(own).join(', ')}`
    : 'not part of this run';
}

/** The reference of one operation, each place with its result. */
function operationSection(model: Model, operation: Operation): Html {
  const { id, path, summary, description, source, tag } = operation;
  const examples = [...Object.entries(operation.examples).map(example), ...mockExamples(model, id)];
  return html`<section id="${id}" aria-labelledby="${id}-title" data-verdict="${worst(model, id)}">
    <p class="tag">${tag}</p>
    <h2 id="${id}-title">${summary}</h2>
    <p class="route"><code>GET ${path}</code></p>
    <p>${prose(description)} <span class="meta">${id} · section ${source}</span></p>
    <p>${operationBadge(model, id)} ${countsOf(model, id)}</p>
    ${earlierNote(model, id)}
    ${clientBox(model, operation)}
    ${parameterTable(model, operation)}
    ${fieldTable(model, operation)}
    ${ruleTable(model, operation)}
    ${observedAt(model, id, idsInBox(model, operation))}
    ${requests(model, id)}
    ${fold('Examples', counted(examples.length, 'example'), html`${examples}`)}
  </section>`;
}

/** Says that a page shows results of earlier runs, where the run of the page has none. */
function earlierNote(model: Model, id: string): Html | false {
  const dates = resultsOf(model, id).flatMap(({ address }) => earlierAt(model, address)?.startedAt ?? []);
  return (
    dates.length > 0 &&
    html`<p class="note">This run could not judge ${counted(dates.length, 'requirement')} of this operation that an earlier run has judged. Each row shows its last result, with the date.</p>`
  );
}

/** The gravest verdict of an operation. */
const worst = (model: Model, id: string) =>
  verdicts.find((verdict) => resultsOf(model, id).some((one) => one.verdict === verdict)) ?? notSelected;

/** The gravest verdict as a badge; an operation of which only a part was exercised is not one that never was. */
const operationBadge = (model: Model, id: string): Html =>
  worst(model, id) === 'not exercised' && resultsOf(model, id).some(({ verdict }) => verdict === 'pass')
    ? html`<span class="mark not-exercised"><span aria-hidden="true">◐</span> partly exercised</span>`
    : badge(worst(model, id));

const example = ([name, { summary, value }]: [string, { summary: string; value: unknown }]) =>
  html`<details class="example"><summary>${summary} <span class="meta">${name}</span></summary>
    <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;

/** Shows whole exchanges with the embedded mock as further examples of an operation. */
const mockExamples = ({ run: { mockExchanges = [] } }: Model, id: string): Html[] =>
  mockExchanges
    .filter(({ operation }) => operation === id)
    .map(
      ({ request, response }) =>
        html`<details class="example"><summary>Exchange with the embedded mock <span class="meta">HTTP ${response.status}</span></summary>
    <pre tabindex="0"><code>${formatExchange(request, response)}</code></pre></details>`,
    );

/** Formats an exchange as HTTP shows it: request line and headers, status line and headers, body. */
function formatExchange(
  { method, url, headers }: OperationExchange['request'],
  response: OperationExchange['response'],
): string {
  const formatHeaders = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `${name}: ${value}`);
  return [
    ...[`${method} ${url}`, ...formatHeaders(headers), ''],
    ...[`HTTP ${response.status}`, ...formatHeaders(response.headers), ''],
    JSON.stringify(response.body, null, 2),
  ].join('\n');
}

/** The requests that were sent for an operation, each with its response. */
function requests({ run }: Model, id: string): Html | undefined {
  const own = run.requestsMade.filter(({ operation }) => operation === id);
  if (own.length === 0) return undefined;
  const { wholeMs } = run.durations.find(({ operation }) => operation === id) ?? {};
  const took = wholeMs
    ? `, answered within ${wholeMs.median} ms (median), at most ${wholeMs.slowest} ms`
    : '';
  return html`<details class="example" id="${id}/requests"><summary>Requests <span class="meta">${own.length}${took}</span></summary>
    <ul>${own.map((one) => html`<li><code>${one.exchange}</code> ${formatResponse(one)}</li>`)}</ul></details>`;
}

/** All answers to open questions, with how they were found out. */
function observedSection(model: Model): Html | false {
  const { run } = model;
  const answered = (one: ShownAnswer) => {
    const { id, question, section, asked, answer, confidence, evidence, recorded } = one;
    return html`
  <div><dt id="observed/${id}">${prose(question)} <span class="meta">section ${section}</span></dt>
  <dd><b>${prose(answerText(model, one))}</b> ${answer !== confidence && html`<span class="meta">${confidence}</span>`} ${seenAtText(one)}
    ${answer === 'unknown' && wayToAnswer(one)}
    ${recorded !== undefined && html`<p class="note">Recorded before: ${recorded}</p>`}
    <details><summary>how it was found out<span class="hidden">: ${id}</span></summary><p>${prose(asked)}</p>
      ${evidence.length > 0 && html`<ul>${evidence.map((line) => html`<li>${line}</li>`)}</ul>`}</details>
  </dd></div>`;
  };
  return (
    run.observed.length > 0 &&
    html`<section id="observed" aria-labelledby="observed-title">
    <h2 id="observed-title">Observed behaviour</h2>
    <p>What the contract leaves open, as this target answered it. Nobody has promised it.
      Certain: the responses leave no doubt. Likely: other responses might refute it.</p>
    ${fold('All answers', observedLine(run), html`<dl class="observed">${model.answers.map(answered)}</dl>`)}
  </section>`
  );
}

/** `contract.html` of a run without a contract to show: why there is none. */
export const errorPage = (run: Conformance): string =>
  pageOf(
    'The run could not begin',
    html`<main id="main">
<header id="verdict" class="verdict ${run.verdict}">
  <h1>The run could not begin</h1>
  <p class="sentence"><strong>${verdictSentence(run)}</strong></p>
  <p>Target ${run.target}, <time datetime="${run.startedAt}">${run.startedAt}</time>, ${versionsLine(run)}.</p>
</header>
</main>`,
  );
