import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Finding } from '../../src/redact/observation.ts';
import { sortLikelyCausesFirst } from '../../src/verdict/cause-order.ts';
import { type FailureSummary, summarizeFailure } from '../../src/verdict/entry.ts';
import { formatResponse } from '../../src/verdict/requests-made.ts';
import type { OperationExchange } from '../../src/verdict/results.ts';
import { formatMockOrTrafficMark, formatVerdictSentence } from '../../src/verdict/sentence.ts';
import {
  countByVerdict,
  formatVerdictCounts,
  hasJudged,
  notSelected,
  pluralizeVerdict,
  verdicts,
} from '../../src/verdict/verdicts.ts';
import { type Conformance, filterByVerdict } from '../conformance.ts';
import type { LastSeen } from '../last-seen.ts';
import {
  type BlockedCause,
  buildSections,
  formatAnsweredCount,
  formatDuration,
  formatMinute,
  formatRequestsOrTraffic,
  formatVersions,
  isPartial,
  type LineFormatters,
} from '../lines.ts';
import { describeReliableField, reliableNote, reliableTitle } from '../reliable-fields.ts';
import { explainMissingAnswer, formatAnswer, mockNote, renderAnswersAt, renderSeenAt } from './answers.ts';
import { listIdsInBoxes, renderClientBox, renderErrorBox } from './client-box.ts';
import {
  allowLineBreaks,
  type Html,
  renderFold,
  renderPage,
  renderProse,
  renderVerdictBadge,
} from './html.ts';
import {
  buildPageData,
  type ContractPageData,
  findEarlierResult,
  listResults,
  type ShownAnswer,
} from './page-data.ts';
import {
  describeSince,
  renderComponents,
  renderFailureEntry,
  renderFieldTable,
  renderParameterTable,
  renderRuleTable,
} from './places.ts';

const script = readFileSync(new URL('contract.js', import.meta.url), 'utf8');

export interface PageOptions {
  hasTestReport?: boolean;
  /** Link to the JSON file of the run. By default, the file is `conformance.json`. */
  data?: string | undefined;
  /** Link to the page of all targets, such as `../index.html`. */
  index?: string | undefined;
  lastSeen?: LastSeen | undefined;
  /** Sentence that begins with "Could not be checked since". Set only if the runs after the shown run judged nothing. */
  unchecked?: string | undefined;
}

export function renderContractPage(contract: Contract, run: Conformance, options: PageOptions = {}): string {
  const page = buildPageData(contract, run, options.lastSeen);
  const title = `${contract.title}: ${run.verdict}${formatMockOrTrafficMark(run)} on ${run.target}`;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
${renderHeader(page, options)}
${renderNavigation(page, options)}
<main id="main">
${renderAttention(page)}
${renderReliableFields(page)}
${contract.operations.map((operation) => renderOperation(page, operation))}
${renderComponents(page)}
${renderObserved(page)}
${renderDurationFooter(run)}
</main>`;
  return renderPage(title, body, script);
}

function renderNavigation(page: ContractPageData, options: PageOptions): Html {
  const { hasTestReport, data = 'conformance.json', index } = options;
  return html`<nav aria-label="Contents">
    <form id="search" role="search" hidden>
      <label for="query">Search this page</label>
      <input id="query" type="search" autocomplete="off" placeholder="token, paging, null, …">
      <p id="hits" role="status"></p>
    </form>
    <details id="contents" open><summary>Contents</summary>
    ${index && html`<ul><li><a href="${index}">All targets</a></li></ul>`}
    ${renderContents(page)}
    <ul class="reports">
      ${hasTestReport && html`<li><a href="allure-report/index.html">Test report</a></li>`}
      <li><a href="conformance.md">Summary</a></li>
      <li><a href="${data}">Data of the run</a></li>
    </ul>
    </details>
  </nav>`;
}

function renderContents(page: ContractPageData): Html {
  const { operations, components } = page.contract;
  const { changes, optionalAlwaysPresent, observed } = page.run;
  const renderEntry = (id: string, text: string) => html`<li><a href="#${id}">${text}</a> </li>`;
  const renderOperationEntry = ({ id, summary }: Operation) =>
    html`<li><a href="#${id}">${summary}</a> ${renderOperationBadge(page, id)}</li>`;
  const schemaEntries = Object.keys(components).map((name) => renderEntry(`schemas/${name}`, name));
  return html`<ul>
      ${renderEntry('attention', 'Needs attention')}
      ${changes && renderEntry('changes', 'Changes')}
      ${optionalAlwaysPresent && renderEntry('reliable', reliableTitle)}
      ${operations.map(renderOperationEntry)}
      ${renderEntry('schemas', 'Schemas')}
      <li class="names"><ul>${schemaEntries}</ul></li>
      ${observed.length > 0 && renderEntry('observed', 'Observed behaviour')}
    </ul>`;
}

function renderHeader({ contract, run }: ContractPageData, { unchecked: uncheckedText }: PageOptions): Html {
  return html`<header id="verdict" class="verdict ${run.verdict}">
    <h1>${contract.title}</h1>
    <p>${contract.summary}</p>
    ${uncheckedText && html`<p class="note"><strong>${uncheckedText}</strong></p>`}
    <p class="sentence"><strong>${allowLineBreaks(formatVerdictSentence(run))}</strong></p>
    ${renderFirstViolation(contract, run)}
    ${run.mock && html`<p class="note">${mockNote}</p>`}
    ${renderRunDetails(run)}
    ${renderVerdictCounts(run)}
    ${hasJudged(run.requirements) && !isPartial(run) && renderCoverage(run.coverage)}
    ${hasJudged(run.requirements) && renderLevelNote()}
  </header>`;
}

function renderRunDetails(run: Conformance): Html {
  const { target, profile, startedAt, traffic } = run;
  const tolerance = profile === 'observed' ? 'known deviations are' : 'no deviation is';
  const facts = [
    ['Target', target],
    ['Run', html`<time datetime="${startedAt}">${formatMinute(startedAt)}</time>`],
    ['Profile', `${profile}: ${tolerance} accepted`],
    [traffic ? 'Recording' : 'Requests', formatRequestsOrTraffic(run)],
    ['Contract', html`edition ${run.edition} <code>${run.contract}</code>`],
    ['Suite', run.suite],
  ] as const;
  return html`<dl class="facts">${facts.map(([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

function renderVerdictCounts({ requirements, selection }: Conformance): Html {
  const selectionText = selection && ` of ${selection.total}, selected`;
  const verdictEntries = countByVerdict(requirements).map(
    ([verdict, count]) =>
      html`<li class="${verdict.replace(' ', '-')}"><b>${count}</b> ${pluralizeVerdict(verdict, count)}</li>`,
  );
  return html`<ul class="counts" aria-label="Requirements by verdict"><li><b>${requirements.length}</b> requirements${selectionText}</li>${verdictEntries}</ul>`;
}

function renderFirstViolation({ operations }: Contract, run: Conformance): Html | false {
  const [requirement] = sortLikelyCausesFirst(filterByVerdict(run, 'violation'));
  const failure = requirement && summarizeFailure(requirement, run.findings);
  if (!failure) return false;
  const { summary } = operations.find(({ id }) => id === failure.operation) ?? {};
  return html`<p>${summary}. Expected: ${renderProse(failure.statement)}. Received: ${renderProse(failure.first.actual)}.</p>`;
}

const renderDurationFooter = (run: Conformance): Html =>
  html`<footer id="about" class="meta"><p>The run took ${formatDuration(run)}.</p></footer>`;

function renderCoverage(coverage: ContractPageData['run']['coverage']): Html {
  const { nodes, states: cases, fields } = coverage;
  // Judged fields that were never present under the declared name, because responses use another name (contract section 2.7).
  const renamedFields = fields?.neverPresent ?? [];
  const renamedText = renamedFields.length > 0 && `; only under another name: ${renamedFields.length}`;
  const hasAllCases = cases.exercised >= cases.total;
  const caseCount = hasAllCases ? `All ${cases.total}` : `${cases.exercised} of ${cases.total}`;
  return html`<p>Responses reached <b>${nodes.percentage} %</b> of the fields (${nodes.exercised} of ${nodes.total}${renamedText}).
    ${caseCount} cases occurred: documented values, and optional fields present and absent.</p>`;
}

const renderLevelNote = (): Html =>
  html`<p class="meta">MUST: the contract says so. SHOULD: the contract only reports what it has seen. A break of either is shown.
    Not exercised: no response contained it, so nothing is known.</p>`;

function renderAttention(page: ContractPageData): Html {
  const { run } = page;
  const sections = buildSections(run, createAttentionFormatters(page));
  const hasViolation = filterByVerdict(run, 'violation').length > 0;
  // A run that ended early has no `changes`, whether there is an earlier run or not.
  const hasNoEarlierRun = run.changes === undefined && !run.incomplete;
  return html`<section id="attention" aria-labelledby="attention-title"><h2 id="attention-title">Needs attention</h2>
    ${isClean(run) && html`<p>Nothing; every requirement passes.</p>`}
    ${hasViolation && hasNoEarlierRun && html`<p class="meta">Since when: there is no earlier run to compare with.</p>`}
    ${sections.map(renderAttentionSection)}
  </section>`;
}

function renderAttentionSection([title, lines]: [title: string, lines: Html[]]): Html {
  const [firstWord = ''] = title.split(' ');
  // Links name a section by the first word of its title: `#violations`, `#changes`.
  const id = firstWord.toLowerCase();
  return html`<div id="${id}"><h3>${title}</h3>
      <ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>`;
}

function createAttentionFormatters(page: ContractPageData): LineFormatters<Html> {
  const renderName = (name: string) => renderNameOrLink(page, name);
  const renderFailure = (failure: FailureSummary) => {
    const sinceTexts = describeSince(page, failure.address).map((since) => `${since}, `);
    return html`<strong>${renderProse(failure.statement)}</strong> ${renderName(failure.address)}<br>${sinceTexts}${renderFailureEntry(failure)}`;
  };
  return {
    maxAddresses: 10,
    // `formatText` and `formatBlocked` convert the backticks to HTML.
    formatCode: (text) => `\`${text}\``,
    formatText: (line) => renderProse(line, renderName),
    formatViolation: (failure) => html`${renderFailure(failure)}${renderRepeatCommands(failure.first)}`,
    formatDeviation: renderFailure,
    formatBlocked: (reasonWithAddresses, cause) =>
      html`${renderProse(reasonWithAddresses, renderName)}<br>${renderBlockedRequest(cause)}`,
  };
}

function renderNameOrLink({ contract, requirements }: ContractPageData, name: string): Html {
  const isOnPage = requirements.has(name) || contract.operations.some(({ id }) => id === name);
  return isOnPage
    ? html`<a href="#${name}"><code>${allowLineBreaks(name)}</code></a>`
    : html`<code>${name}</code>`;
}

function isClean({ verdict, requirements, observed }: Conformance): boolean {
  const allPass = requirements.every((requirement) => requirement.verdict === 'pass');
  const hasUnexpectedAnswer = observed.some(({ attention }) => attention !== undefined);
  return verdict === 'pass' && allPass && !hasUnexpectedAnswer;
}

function renderRepeatCommands(finding: Finding): Html[] {
  const commands: Html[] = [];
  if (finding.repeat) commands.push(renderCommand(finding.repeat));
  // `against` is the second of two responses that contradict each other.
  if (finding.against?.repeat) commands.push(renderCommand(finding.against.repeat));
  return commands;
}

const renderCommand = (command: string): Html =>
  html`<details open><summary>repeat<span class="hidden"> the request</span></summary><code class="shell">${command}</code></details>`;

const renderBlockedRequest = (cause: BlockedCause): Html => {
  const { exchange, id, repeat } = cause.first;
  return html`first request: <code>${allowLineBreaks(exchange)}</code>${id && html`<br>id <code>${id}</code>`}
    ${repeat && renderCommand(repeat)}`;
};

function renderReliableFields({ run }: ContractPageData): Html | false {
  const fields = run.optionalAlwaysPresent;
  if (!fields) return false;
  return html`<section id="reliable" aria-labelledby="reliable-title"><h2 id="reliable-title">${reliableTitle}</h2>
    <p>${reliableNote}.</p>
    <ul>${fields.map((field) => html`<li><a href="#${field.address}"><code>${allowLineBreaks(field.address)}</code></a>: ${describeReliableField(field)}</li>`)}</ul>
  </section>`;
}

function renderOperation(page: ContractPageData, operation: Operation): Html {
  const { id } = operation;
  return html`<section id="${id}" aria-labelledby="${id}-title" data-verdict="${findWorstVerdict(page, id)}">
    ${renderOperationHead(page, operation)}
    ${renderEarlierNote(page, id)}
    ${renderClientBox(page, operation)}
    ${renderErrorBox(page, operation)}
    ${renderParameterTable(page, operation)}
    ${renderFieldTable(page, operation)}
    ${renderRuleTable(page, operation)}
    ${renderAnswersAt(page, id, listIdsInBoxes(page, operation))}
    ${renderRequests(page, id)}
    ${renderExamples(page, operation)}
  </section>`;
}

function renderOperationHead(page: ContractPageData, operation: Operation): Html {
  const { id, path, summary, description, source, tag } = operation;
  const results = listResults(page, id);
  const countText = `${formatCount(results.length, 'requirement')}: ${formatVerdictCounts(results).join(', ')}`;
  return html`<p class="tag">${tag}</p>
    <h2 id="${id}-title">${summary}</h2>
    <p class="route"><code>GET ${path}</code></p>
    <p>${renderProse(description)} <span class="meta">${id} · section ${source}</span></p>
    <p>${renderOperationBadge(page, id)} ${results.length > 0 ? countText : 'not part of this run'}</p>`;
}

function renderEarlierNote(page: ContractPageData, id: string): Html | false {
  const judgedEarlier = listResults(page, id).filter(({ address }) => findEarlierResult(page, address));
  if (judgedEarlier.length === 0) return false;
  return html`<p class="note">This run could not judge ${formatCount(judgedEarlier.length, 'requirement')} of this operation that an earlier run has judged. Each row shows its last result, with the date.</p>`;
}

const findWorstVerdict = (page: ContractPageData, id: string) =>
  verdicts.find((verdict) => listResults(page, id).some((result) => result.verdict === verdict)) ??
  notSelected;

function renderOperationBadge(page: ContractPageData, id: string): Html {
  const worstVerdict = findWorstVerdict(page, id);
  const hasPass = listResults(page, id).some(({ verdict }) => verdict === 'pass');
  const isPartlyExercised = worstVerdict === 'not exercised' && hasPass;
  return isPartlyExercised
    ? html`<span class="mark not-exercised"><span aria-hidden="true">◐</span> partly exercised</span>`
    : renderVerdictBadge(worstVerdict);
}

const renderExample = ([name, { summary, value }]: [string, { summary: string; value: unknown }]) =>
  html`<details class="example"><summary>${summary} <span class="meta">${name}</span></summary>
    <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;

function renderExamples({ run }: ContractPageData, operation: Operation): Html {
  const mockExchanges = run.mockExchanges?.filter((exchange) => exchange.operation === operation.id) ?? [];
  const documentedExamples = Object.entries(operation.examples).map(renderExample);
  const examples = [...documentedExamples, ...mockExchanges.map(renderMockExchange)];
  return renderFold('Examples', formatCount(examples.length, 'example'), html`${examples}`);
}

function renderMockExchange(exchange: OperationExchange): Html {
  const { status } = exchange.response;
  const title = status < 400 ? 'Exchange' : 'Error response in an exchange';
  return html`<details class="example"><summary>${title} with the embedded mock <span class="meta">HTTP ${status}</span></summary>
    <pre tabindex="0"><code>${renderExchange(exchange)}</code></pre></details>`;
}

function renderExchange({ request, response }: OperationExchange): string {
  const formatHeaders = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    `${request.method} ${request.url}`,
    ...formatHeaders(request.headers),
    '',
    `HTTP ${response.status}`,
    ...formatHeaders(response.headers),
    '',
    JSON.stringify(response.body, null, 2),
  ].join('\n');
}

function renderRequests({ run }: ContractPageData, id: string): Html | undefined {
  const requests = run.requestsMade.filter(({ operation }) => operation === id);
  if (requests.length === 0) return undefined;
  const requestCount = requests.reduce((sum, { requests: similarRequests = 1 }) => sum + similarRequests, 0);
  const { wholeMs: responseTime } = run.durations.find(({ operation }) => operation === id) ?? {};
  const durationText = responseTime
    ? `, response time ${responseTime.median} ms (median), at most ${responseTime.slowest} ms`
    : '';
  return html`<details class="example" id="${id}/requests"><summary>Requests <span class="meta">${formatNumber(requestCount)}${durationText}</span></summary>
    <ul>${requests.map((request) => html`<li><code>${request.exchange}</code> ${formatResponse(request)}</li>`)}</ul></details>`;
}

function renderObserved(page: ContractPageData): Html | false {
  const { run } = page;
  if (run.observed.length === 0) return false;
  const answers = page.answers.map((answer) => renderAnswer(page, answer));
  return html`<section id="observed" aria-labelledby="observed-title">
    <h2 id="observed-title">Observed behaviour</h2>
    ${run.mock && html`<p class="note">${mockNote}</p>`}
    <p>What the contract leaves open, and what the responses of this target showed. Nobody has promised it.
      Certain: the responses leave no doubt. Likely: other responses might refute it.</p>
    ${renderFold('All answers', formatAnsweredCount(run), html`<dl class="observed">${answers}</dl>`)}
  </section>`;
}

function renderAnswer(page: ContractPageData, shownAnswer: ShownAnswer): Html {
  const { id, question, section, answer, confidence, evidence } = shownAnswer;
  const { asked: method, recorded: earlierAnswer } = shownAnswer;
  const isUnknown = answer === 'unknown';
  // Without an answer, the confidence is `unknown` as well, and need not be repeated.
  const showsConfidence = answer !== confidence;
  return html`
  <div><dt id="observed/${id}">${renderProse(question)} <span class="meta">section ${section}</span></dt>
  <dd><b>${renderProse(formatAnswer(page, shownAnswer))}</b> ${showsConfidence && html`<span class="meta">${confidence}</span>`} ${renderSeenAt(shownAnswer)}
    ${isUnknown && explainMissingAnswer(shownAnswer)}
    ${earlierAnswer !== undefined && html`<p class="note">Recorded before: ${earlierAnswer}</p>`}
    <details><summary>how the suite found the answer<span class="hidden">: ${id}</span></summary><p>${renderProse(method)}</p>
      ${evidence.length > 0 && html`<ul>${evidence.map((line) => html`<li>${line}</li>`)}</ul>`}</details>
  </dd></div>`;
}

/** Renders `contract.html` if the contract or the ledger cannot be read. The page says that the run could not begin. */
export const renderErrorPage = (run: Conformance): string =>
  renderPage(
    'The run could not begin',
    html`<main id="main">
<header id="verdict" class="verdict ${run.verdict}">
  <h1>The run could not begin</h1>
  <p class="sentence"><strong>${formatVerdictSentence(run)}</strong></p>
  <p>Target ${run.target}, <time datetime="${run.startedAt}">${run.startedAt}</time>, ${formatVersions(run)}.</p>
</header>
</main>`,
  );
