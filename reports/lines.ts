import { formatLedgerLocation } from '../schemas/contract/ledger.ts';
import { generalizePointer } from '../schemas/contract/nodes.ts';
import { formatCount } from '../schemas/counted.ts';
import { groupBy } from '../schemas/group-by.ts';
import { mentionsShape } from '../src/redact/describe-value.ts';
import type { Finding } from '../src/redact/observation.ts';
import { formatCallerPath } from '../src/run/caller-folder.ts';
import { describeSweep } from '../src/sweep/summary.ts';
import { formatSourceTitle } from '../src/traffic/shown-source.ts';
import { sortLikelyCausesFirst } from '../src/verdict/cause-order.ts';
import { type ChangesOfKind, formatCause, listChangesByKind } from '../src/verdict/changes.ts';
import { type FailureSummary, formatFailure, summarizeFailure, sumPlaces } from '../src/verdict/entry.ts';
import { describeGate, formatFindings, type GateResult } from '../src/verdict/gates.ts';
import {
  describeShardOrSelection,
  formatSampleBound,
  formatVerdictSentence,
} from '../src/verdict/sentence.ts';
import { formatVerdictCounts, hasJudged, headings, type Verdict } from '../src/verdict/verdicts.ts';
import { type Conformance, filterByVerdict, selectFindings } from './conformance.ts';
import { isAnswered } from './last-seen.ts';

/* Texts about a run that the terminal, Markdown and the pages have in common. */

export const formatDay = (time: string): string => time.slice(0, 10);

/** Formats an ISO 8601 time in UTC: "2026-11-22 06:44 UTC". */
export const formatMinute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

const formatSecond = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`;

/**
 * Formats the number of requests of a run: "120 requests (trace …)".
 * For recorded traffic, formats the number of exchanges: "90 of 95 recorded exchanges judged, from … to …".
 */
export function formatRequestsOrTraffic({ requests, trace, traffic }: Conformance): string {
  if (traffic)
    return `${traffic.judged} of ${traffic.exchanges} recorded exchanges judged${formatSpan(traffic)}`;
  const traceText = trace ? ` (trace ${trace})` : '';
  return `${formatCount(requests, 'request')}${traceText}`;
}

function formatSpan({ from, until }: NonNullable<Conformance['traffic']>): string {
  if (from === undefined || until === undefined) return '';
  return from === until
    ? `, of ${formatSecond(from)}`
    : `, from ${formatSecond(from)} to ${formatSecond(until)}`;
}

export const formatVersions = ({ suite, edition, contract }: Conformance): string =>
  `suite ${suite}, contract edition ${edition} (${contract})`;

/**
 * Formats the number of requirements with each verdict: "120 requirements, 1 violation, 119 pass".
 * If the user selected only some requirements, leaves out their number: "1 violation, 2 pass". If a run of selected requirements
 * passes, returns ''. In both cases, the verdict sentence already says what is left out.
 */
export function formatCounts({ requirements, selection, verdict }: Conformance): string {
  const verdictCounts = formatVerdictCounts(requirements);
  if (!selection) return [`${requirements.length} requirements`, ...verdictCounts].join(', ');
  return verdict === 'pass' ? '' : verdictCounts.join(', ');
}

/**
 * Formats the duration of a run: "18.6 s including start-up; responses took 3.2 s, partly in parallel".
 * Leaves out the part about responses if all response times add up to 0 ms, for example because nothing was sent.
 */
export function formatDuration({ durationMs, requestsMade }: Conformance): string {
  const responseMs = requestsMade.reduce((sum, request) => sum + (request.durationMs ?? 0), 0);
  const responses = responseMs > 0 ? `; responses took ${formatSeconds(responseMs)}, partly in parallel` : '';
  return `${formatSeconds(durationMs)} including start-up${responses}`;
}

const formatSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

export function describeCircumstances({ profile, startedAt, shard }: Conformance): string {
  const part = shard ? `, ${describeShardOrSelection({ shard })}: merge all shards for the verdict` : '';
  return `profile ${profile}, ${formatMinute(startedAt)}${part}`;
}

export function formatAnsweredCount({ observed }: Conformance): string {
  return `${observed.filter(isAnswered).length} of ${observed.length} open questions answered`;
}

/**
 * Returns whether a run is a shard, or covers only selected tests. Reports leave out the coverage of such a run. The coverage would
 * also count operations whose tests were not selected, because a run first sends requests that check the target.
 */
export const isPartial = (run: Conformance): boolean => describeShardOrSelection(run) !== undefined;

/** Formats what was expected and what was received: "expected a string; got a number; elsewhere got null". */
export function formatMismatch({ first, elsewhere: otherValues }: FailureSummary): string {
  const othersText = otherValues.length > 0 ? `; elsewhere got ${joinFirst(otherValues, 3)}` : '';
  return `expected ${first.expected}; got ${first.actual}${othersText}`;
}

function joinFirst(texts: string[], maxTexts: number): string {
  const moreText = texts.length > maxTexts ? ` and ${texts.length - maxTexts} more` : '';
  return texts.slice(0, maxTexts).join(', ') + moreText;
}

/** Formats the place of the ledger entry that tolerates a finding: "spec/ledger.yaml, line 30, until 2026-12-31", or ''. */
export function formatLedgerNote({ ledger: entry }: Pick<Finding, 'ledger'>): string {
  if (!entry) return '';
  const untilText = entry.until && `until ${entry.until}`;
  return [formatLedgerLocation(entry), untilText, entry.link].filter(Boolean).join(', ');
}

function formatDeviationLine({ address, extent, first }: FailureSummary, formatCode: FormatCode): string {
  const ledgerText = first.ledger ? ` (${formatLedgerNote(first)})` : '';
  return `${formatCode(address)}: ${extent}; ${first.actual}. ${first.because}${ledgerText}`;
}

/** Functions that format the lines of a report. `Line` is the type of a formatted line. A line of Markdown is a string. */
export interface LineFormatters<Line> {
  /**
   * Maximum number of addresses in a line such as "fixed: `getCard/data`".
   * A report also lists at most this number of undeclared fields.
   */
  maxAddresses: number;
  /** Formats a name such as `getCard/http/status` as code. Returns the name unchanged if the report has no format for code. */
  formatCode(text: string): string;
  /** Formats a line such as "fixed: `getCard/data`". */
  formatText(line: string): Line;
  formatViolation(failure: FailureSummary): Line;
  /** Formats a deviation that the ledger tolerates. By default, `formatText` formats the deviation as one line. */
  formatDeviation?(failure: FailureSummary): Line;
  formatBlocked(reasonWithAddresses: string, cause: BlockedCause): Line;
}

type FormatCode = LineFormatters<unknown>['formatCode'];
type AddressFormat = Pick<LineFormatters<unknown>, 'maxAddresses' | 'formatCode'>;

/** Reason why requirements could not be judged, such as "no response". */
export interface BlockedCause {
  reason: string;
  addresses: string[];
  first: Finding;
}

type Section<Line> = [title: string, lines: Line[]];

/** Builds the sections of a report, such as "Violations". Urgent sections come first. Empty sections are left out. */
export function buildSections<Line>(run: Conformance, formatters: LineFormatters<Line>): Section<Line>[] {
  const { formatCode, formatText } = formatters;
  const failedGates = listFailedGatesToShow(run);
  const createSection = (title: string, lines: string[]): Section<Line> => [title, lines.map(formatText)];
  const createReasonSection = (verdict: Verdict) =>
    createSection(headings[verdict], formatReasonLines(run, verdict, formatCode, failedGates));
  const changesAndViolations = [
    createSection(formatChangesTitle(run), formatChangeLines(run, formatters)),
    createFailureSection(run, 'violation', formatters.formatViolation),
  ];
  const errorsAndBlocked = [createReasonSection('error'), createBlockedSection(run, formatters)];
  // If the run ended with an error, the cause of the error comes first.
  const urgentSections =
    run.verdict === 'error'
      ? [...errorsAndBlocked, ...changesAndViolations]
      : [...changesAndViolations, ...errorsAndBlocked];
  const sections = [
    ...urgentSections,
    createSection('Checks of the run as a whole', formatGateLines(failedGates, formatCode)),
    createSection('Server errors on bad input', formatFindings(run, 'server error')),
    createSection('Unexpected behaviour, which the contract does not forbid', formatAttentionLines(run)),
    createSection('How to read a shape', explainShapes(run)),
    createSection('Recorded traffic', formatTrafficLines(run)),
    createSection('Notes', selectShownNotes(run, failedGates)),
    createSection('Sweep', (run.sweeps ?? []).flatMap(describeSweep)),
    createDeviationSection(run, formatters),
    createSection('Undeclared fields', formatUndeclaredFieldLines(run, formatters)),
    createReasonSection('not exercised'),
    createSection('Behaviour that has changed since it was recorded', formatFindings(run, 'drift')),
  ];
  return sections.filter(([, lines]) => lines.length > 0);
}

function createDeviationSection<Line>(run: Conformance, formatters: LineFormatters<Line>): Section<Line> {
  const { formatCode, formatText, formatDeviation } = formatters;
  const formatAsText = (failure: FailureSummary) => formatText(formatDeviationLine(failure, formatCode));
  return createFailureSection(run, 'deviation', formatDeviation ?? formatAsText);
}

function formatChangesTitle({ changes }: Conformance): string {
  if (!changes) return 'Changes';
  const { target, startedAt } = changes.since;
  return `Changes since ${target}, ${formatMinute(startedAt)}`;
}

const selectShownNotes = (run: Conformance, failedGates: GateResult[]): string[] =>
  run.notes.filter((note) => !isInVerdictSentence(run, note) && !isNamedByFailedGate(note, failedGates));

const isInVerdictSentence = (run: Conformance, text: string) => formatVerdictSentence(run).endsWith(text);

function listFailedGatesToShow(run: Conformance): GateResult[] {
  const failedGates = run.gates.filter(({ verdict }) => verdict !== 'pass');
  const isInFirstLine = ({ address, reason = '' }: GateResult) =>
    address === 'run/target' && isInVerdictSentence(run, reason);
  return failedGates.filter((gate) => !isInFirstLine(gate));
}

function createFailureSection<Line>(
  run: Conformance,
  verdict: 'violation' | 'deviation',
  formatLine: (failure: FailureSummary) => Line,
): Section<Line> {
  const requirements = sortLikelyCausesFirst(filterByVerdict(run, verdict));
  const failures = requirements.flatMap((requirement) => summarizeFailure(requirement, run.findings) ?? []);
  return [headings[verdict], failures.map(formatLine)];
}

function createBlockedSection<Line>(run: Conformance, formatters: LineFormatters<Line>): Section<Line> {
  const causes = listBlockedCauses(run);
  const causeLines = causes.map((cause) => {
    const addresses = formatAddresses(run, cause.addresses, formatters.formatCode);
    return formatters.formatBlocked(appendAddresses(cause.reason, addresses), cause);
  });
  const adviceLines = adviseBlocked(run, causes).map(formatters.formatText);
  return [headings.blocked, [...causeLines, ...adviceLines]];
}

const formatGateLines = (failedGates: GateResult[], formatCode: FormatCode): string[] =>
  failedGates.map(({ address, variable, verdict, expected, actual }) => {
    const name = variable ? `${formatCode(address)} (${variable})` : formatCode(address);
    return `${name} ${gateVerdictWords[verdict]}: expected ${expected}; got ${actual}`;
  });

const gateVerdictWords = { pass: 'passed', fail: 'failed', error: 'could not be checked' };

function isNamedByFailedGate(note: string, failedGates: GateResult[]): boolean {
  const [unsetVariable] = /^[A-Z_]+(?= is not set)/.exec(note) ?? [];
  return unsetVariable !== undefined && failedGates.some(({ actual }) => actual.includes(unsetVariable));
}

function formatAttentionLines({ observed: answers }: Conformance): string[] {
  const lines: string[] = [];
  for (const { attention: warning, evidence } of answers)
    if (warning !== undefined) lines.push(`${warning} (${describeEvidence(evidence)})`);
  return lines;
}

const describeEvidence = ([first = '', ...moreResponses]: string[]): string =>
  moreResponses.length > 0 ? `first of ${moreResponses.length + 1} responses: ${first}` : first;

const getOperation = (address: string) => address.split('/')[0] ?? '';

/**
 * Lists the annotations of a run, such as GitHub's `::error`. Each requirement with a violation or an error gets an annotation.
 * A failed gate gets an annotation, too, with these exceptions:
 * - In an incomplete run, which may have judged too little for other gates, only the gates of the target and of custom tests do.
 * - If the target was not reached, the gates that could not be checked do not, because their only reason is that of the target.
 *
 * If nothing else explains an `error`, the only annotation is the sentence of the verdict, such as the reason of a blocked requirement.
 */
export function listAnnotations(run: Conformance): { title: string; text: string }[] {
  const failedRequirements = sortLikelyCausesFirst([
    ...filterByVerdict(run, 'violation'),
    ...filterByVerdict(run, 'error'),
  ]);
  const requirementAnnotations = failedRequirements.map((requirement) => {
    const texts = [formatFailure(requirement, run.findings), requirement.reason];
    return { title: requirement.address, text: texts.filter(Boolean).join('\n\n') };
  });
  const gateAnnotations = listAnnotatedGates(run).map((gate) => ({
    title: gate.address,
    text: describeGate(gate),
  }));
  const annotations = [...requirementAnnotations, ...gateAnnotations];
  // The reporter annotates the problems of an incomplete run itself.
  const needsSentence = annotations.length === 0 && run.verdict !== 'pass' && !run.incomplete;
  return needsSentence ? [{ title: 'run', text: formatVerdictSentence(run) }] : annotations;
}

function listAnnotatedGates({ gates, incomplete }: Conformance): GateResult[] {
  const failedGates = gates.filter(({ verdict }) => verdict !== 'pass');
  if (incomplete) return failedGates.filter(({ address }) => /^run\/(target|custom-tests)$/.test(address));
  const isTargetReached = failedGates.every(({ address }) => address !== 'run/target');
  return failedGates.filter(
    ({ address, verdict }) => isTargetReached || address === 'run/target' || verdict === 'fail',
  );
}

/**
 * Formats the changes since an earlier run, such as "fixed: `getCard/data`". If nothing changed, the only line says so.
 * Returns no lines if the run was not compared with an earlier run.
 */
export function formatChangeLines(run: Conformance, formatters: AddressFormat): string[] {
  if (!run.changes) return [];
  const changes = listChangesByKind(run.changes).filter(({ addresses }) => addresses.length > 0);
  if (changes.length === 0) return ['no verdict has changed'];
  const lines = changes.map(
    (change) => `${change.heading}: ${formatChangedAddresses(run, change, formatters)}`,
  );
  return [...lines, formatCause(run.changes)];
}

function formatChangedAddresses(
  run: Conformance,
  { kind, addresses }: Pick<ChangesOfKind, 'kind' | 'addresses'>,
  { maxAddresses, formatCode }: AddressFormat,
): string {
  // An operation that is judged for the first time, or no longer, has tens of requirements, so they are counted instead of listed.
  if (kind === 'newlyExercised' || kind === 'noLongerExercised')
    return formatAddresses(run, addresses, formatCode);
  const texts =
    kind === 'newlyTolerated'
      ? addresses.map((address) => formatAddressWithLedger(run, address, formatCode))
      : addresses.map(formatCode);
  return joinFirst(texts, maxAddresses);
}

function formatAddressWithLedger(run: Conformance, address: string, formatCode: FormatCode): string {
  const deviations = selectFindings(run, 'deviation');
  const deviation = deviations.findLast(({ requirement }) => requirement === address);
  const ledgerNote = deviation ? formatLedgerNote(deviation) : '';
  return ledgerNote ? `${formatCode(address)} (${ledgerNote})` : formatCode(address);
}

function formatTrafficLines({ traffic }: Conformance): string[] {
  if (!traffic) return [];
  const { sources, withoutBody: bodylessCount, skipped } = traffic;
  const lines = [
    `read from ${sources.map(formatSourceTitle).join(', ')}`,
    'nothing was sent, so open questions have no answers from this run',
  ];
  if (bodylessCount)
    lines.push(
      `bodies not judged: ${bodylessCount}, because the recording lacks them, or has cut or changed them`,
    );
  const mostFrequentFirst = Object.entries(skipped).sort(([, count], [, otherCount]) => otherCount - count);
  for (const [reason, count] of mostFrequentFirst) lines.push(`not judged: ${count}, ${reason}`);
  return lines;
}

function listBlockedCauses(run: Conformance): BlockedCause[] {
  const findingsByReason = groupBy(selectFindings(run, 'blocked'), ({ actual: reason }) => reason);
  return [...findingsByReason].map(([reason, findings]) => {
    const addresses = new Set(findings.map(({ requirement }) => requirement));
    return { reason, addresses: [...addresses], first: findings[0] };
  });
}

const appendAddresses = (reason: string, addresses: string): string =>
  reason.endsWith('?') ? `${reason} (${addresses})` : `${reason}: ${addresses}`;

function adviseBlocked({ requirements, traffic }: Conformance, causes: BlockedCause[]): string[] {
  if (causes.length === 0 || traffic) return [];
  if (!hasJudged(requirements))
    return ['what to do: remove the cause, and run again; `npm run doctor` looks for the cause'];
  const hasId = causes.some(({ first }) => first.id !== undefined);
  const search = hasId ? '; if this stays, the provider can search its log for the id' : '';
  return [`what to do: run again${search}`];
}

const maxListedAddresses = 3;

function formatAddresses({ requirements }: Conformance, addresses: string[], formatCode: FormatCode): string {
  if (addresses.length <= maxListedAddresses) return addresses.map(formatCode).join(', ');
  const countText = formatCount(addresses.length, 'requirement');
  if (addresses.length === requirements.length) return `all ${countText}`;
  const addressesByOperation = groupBy(addresses, getOperation);
  const [firstOperation = '', ...otherOperations] = addressesByOperation.keys();
  if (otherOperations.length === 0) return `${countText} of ${formatCode(firstOperation)}`;
  const countsByOperation = [...addressesByOperation].map(
    ([operation, operationAddresses]) => `${operationAddresses.length} of ${formatCode(operation)}`,
  );
  return `${countText}: ${countsByOperation.join(', ')}`;
}

function formatReasonLines(
  run: Conformance,
  verdict: Verdict,
  formatCode: FormatCode,
  failedGates: GateResult[],
): string[] {
  const requirementsByReason = groupBy(filterByVerdict(run, verdict), ({ reason = '' }) => reason);
  const isStatedByGate = (reason: string) =>
    reason !== '' && failedGates.some(({ actual }) => actual.includes(reason));
  const lines: string[] = [];
  for (const [reason, requirements] of requirementsByReason) {
    if (isStatedByGate(reason)) continue;
    const addresses = requirements.map(({ address }) => address);
    lines.push(appendAddresses(reason, formatAddresses(run, addresses, formatCode)));
  }
  return lines;
}

function formatUndeclaredFieldLines(run: Conformance, { maxAddresses, formatCode }: AddressFormat): string[] {
  const formatField = ({ operation, pointer }: Finding) =>
    `${operation} ${formatCode(generalizePointer(pointer))}`;
  const findingsByField = groupBy(selectFindings(run, 'undeclared'), formatField);
  const allLines = [...findingsByField].map(([field, findings]) => {
    const placeCount = sumPlaces(findings);
    return `${field}: ${findings[0].actual}, in ${formatCount(placeCount, 'place')}`;
  });
  const listedLines = allLines.slice(0, maxAddresses);
  const unlistedCount = allLines.length - listedLines.length;
  if (unlistedCount === 0) return listedLines;
  return [...listedLines, `and ${formatCount(unlistedCount, 'more undeclared field')}`];
}

const explainShapes = ({ findings }: Conformance): string[] =>
  findings.some(({ actual }) => mentionsShape(actual))
    ? ['A shape shows each letter of a value as A or a, and each digit as 0. It is not the value.']
    : [];

const terminalFormatters: LineFormatters<string> = {
  maxAddresses: 3,
  formatCode: (text) => text,
  formatText: (line) => line,
  // The details of a violation were printed when its test failed.
  formatViolation: ({ address, extent, first }) => `${address}: ${first.actual}, ${extent}`,
  // A blocked test is skipped and prints nothing, so only these lines show its request.
  formatBlocked(reasonWithAddresses, cause) {
    const { exchange: requestText, id, repeat: curlCommand } = cause.first;
    const lines = [reasonWithAddresses, `first request: ${requestText}`];
    if (id) lines.push(`id ${id}`);
    if (curlCommand) lines.push(curlCommand);
    return lines.join('\n      ');
  },
};

/**
 * Formats the closing summary of a run for the terminal.
 * @param pageRun run that `contract.html` shows. If `run` covers only selected tests, `pageRun` may be an earlier complete run.
 */
export function formatSummary(run: Conformance, reportsDir: string, pageRun = run): string {
  const lines = [formatVerdictSentence(run)];
  const hasBegun = run.requests > 0 || run.requirements.length > 0;
  if (hasBegun) lines.push(...listRunFacts(run));
  const detailLines = isBlockedForOneReason(run)
    ? ['npm run doctor checks configuration, connection and credentials; the reports have details']
    : formatSections(run);
  lines.push(...detailLines);
  const isPageOfThisRun = pageRun === run;
  const firstFile = isPageOfThisRun ? 'contract.html' : 'conformance.md';
  lines.push(`reports: ${formatCallerPath(reportsDir)}, ${firstFile} first`);
  if (!isPageOfThisRun)
    lines.push(`contract.html and badge.svg still show the whole run of ${formatMinute(pageRun.startedAt)}`);
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function formatSections(run: Conformance): string[] {
  const sections = buildSections(run, terminalFormatters);
  return sections.flatMap(([title, lines]) => [`${title}:`, ...lines.map((line) => `  - ${line}`)]);
}

function isBlockedForOneReason(run: Conformance): boolean {
  if (run.traffic || hasJudged(run.requirements)) return false;
  const reasons = filterByVerdict(run, 'blocked').map(({ reason }) => reason);
  return new Set(reasons).size === 1;
}

function formatCoverage(run: Conformance): string {
  const { nodes, states: values } = run.coverage;
  if (isPartial(run)) return '';
  return `coverage ${nodes.percentage} % of schema nodes, ${values.percentage} % of values and states`;
}

function listRunFacts(run: Conformance): string[] {
  const facts = [
    `target ${run.target}, ${describeCircumstances(run)}, ${formatRequestsOrTraffic(run)}`,
    formatCounts(run),
    formatDuration(run),
    formatCoverage(run),
    formatSampleBound(run.requirements),
    formatVersions(run),
    run.observed.length > 0 ? `observed: ${formatAnsweredCount(run)}` : '',
  ];
  return facts.filter(Boolean);
}
