import { formatEntryPlace } from '../schemas/contract/ledger.ts';
import { generalizePointer } from '../schemas/contract/nodes.ts';
import { formatCount } from '../schemas/counted.ts';
import { mentionsShape } from '../src/redact/describe-value.ts';
import type { Finding } from '../src/redact/observation.ts';
import { formatCallerPath, forReader } from '../src/run/caller-folder.ts';
import { describeSweep } from '../src/sweep/summary.ts';
import { formatSourceTitle } from '../src/traffic/shown-source.ts';
import { formatCause, listChangesByKind } from '../src/verdict/changes.ts';
import { type FailureSummary, formatFailure, summarizeFailure } from '../src/verdict/entry.ts';
import { describeGate, formatFindings, type GateResult } from '../src/verdict/gates.ts';
import { describePart, formatBound, formatVerdictSentence } from '../src/verdict/sentence.ts';
import { formatVerdictCounts, hasJudged, headings, type Verdict } from '../src/verdict/verdicts.ts';
import { type Conformance, filterByVerdict, selectFindings } from './conformance.ts';

/* Lines about a run that terminal, Markdown and pages share. */

/** Returns the day of an ISO time: "2026-11-22". */
export const formatDay = (time: string): string => time.slice(0, 10);

/** Formats an ISO time to the minute: "2026-11-22 06:44 UTC". */
export const formatMinute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

const second = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`;

/** Formats the basis of the verdict: the number of requests, or of judged exchanges of a recording. */
export const formatBasis = ({ requests, trace, traffic }: Conformance): string =>
  traffic
    ? `${traffic.judged} of ${traffic.exchanges} recorded exchanges judged${formatSpan(traffic)}`
    : `${formatCount(requests, 'request')}${trace ? ` (trace ${trace})` : ''}`;

/** Formats the time from the first judged exchange to the last one; empty if the recording has no times. */
function formatSpan({ from, until }: NonNullable<Conformance['traffic']>): string {
  if (from === undefined || until === undefined) return '';
  return from === until ? `, of ${second(from)}` : `, from ${second(from)} to ${second(until)}`;
}

/** Formats the versions: "suite 0.1.0, contract edition 1 (0123456789ab)". */
export const formatVersions = ({ suite, edition, contract }: Conformance): string =>
  `suite ${suite}, contract edition ${edition} (${contract})`;

/** Formats the number of requirements of each verdict in one line. */
export function formatCounts({ requirements, selection }: Conformance): string {
  const all = selection ? `${selection.selected} of ${selection.total}` : `${requirements.length}`;
  return [`${all} requirements${selection ? ' selected' : ''}`, ...formatVerdictCounts(requirements)].join(
    ', ',
  );
}

/** Explains why other reports count more tests than requirements; empty if only a part of the contract was judged. */
export function explainCounts({ requirements, gates, selection, shard }: Conformance): string {
  if (selection || shard || requirements.length === 0 || gates.length === 0) return '';
  const all = requirements.length + gates.length;
  return `JUnit counts ${formatCount(all, 'test')}: the requirements and ${formatCount(gates.length, 'gate')}; Playwright and Allure also count the tests that only list requests or answers`;
}

/** Formats the duration of the run, and of the responses alone: "18.6 s including start-up; responses took 3.2 s, partly in parallel". */
export function formatDuration({ durationMs, requestsMade }: Conformance): string {
  const waiting = requestsMade.reduce((sum, request) => sum + (request.durationMs ?? 0), 0);
  const responses = waiting > 0 ? `; responses took ${seconds(waiting)}, partly in parallel` : '';
  return `${seconds(durationMs)} including start-up${responses}`;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Formats the profile, the start of the run, and the number of the shard if the run is one. */
export function describeCircumstances({ profile, startedAt, shard }: Conformance): string {
  const part = shard ? `, ${describePart({ shard })}: merge all shards for the verdict` : '';
  return `profile ${profile}, ${formatMinute(startedAt)}${part}`;
}

/** Formats the number of answered open questions: "3 of 6 open questions answered". */
export function formatObserved({ observed }: Conformance): string {
  const answered = observed.filter(({ confidence }) => confidence !== 'unknown').length;
  return `${answered} of ${observed.length} open questions answered`;
}

/** Formats what was expected and received: "expected a string; got a number; elsewhere got null". */
export function formatMismatch({ first, elsewhere }: FailureSummary): string {
  const elsewhereText = elsewhere.length > 0 ? `; elsewhere got ${joinFirst(elsewhere, 3)}` : '';
  return `expected ${first.expected}; got ${first.actual}${elsewhereText}`;
}

/** Joins the first texts of a list, and counts the others: "a, b and 3 more". */
function joinFirst(texts: string[], maxTexts: number): string {
  const moreText = texts.length > maxTexts ? ` and ${texts.length - maxTexts} more` : '';
  return texts.slice(0, maxTexts).join(', ') + moreText;
}

/** Formats the ledger entry that tolerates a deviation: "spec/ledger.yaml, line 30, until 2026-12-31". */
export const formatLedgerNote = ({ ledger }: Pick<Finding, 'ledger'>): string =>
  ledger
    ? [formatEntryPlace(ledger), ledger.until && `until ${ledger.until}`, ledger.link]
        .filter(Boolean)
        .join(', ')
    : '';

/** Formats a deviation in one line: extent, received value, and the reason and place of the ledger entry. */
function deviationText({ address, extent, first }: FailureSummary, code: AddressStyle['code']): string {
  const entry = first.ledger ? ` (${formatLedgerNote(first)})` : '';
  return `${code(address)}: ${extent}; ${first.actual}. ${first.because}${entry}`;
}

/** Format of the lines of an output, such as Markdown. */
export interface Style<Line> {
  /** Maximum number of addresses in a line; more are counted. */
  maxAddresses: number;
  /** Marks an address or a place as code. */
  code(text: string): string;
  /** Converts a text to a line of the output. */
  text(line: string): Line;
  violation(entry: FailureSummary): Line;
  /** Formats a deviation; default: one line of text. */
  deviation?(entry: FailureSummary): Line;
  /** Formats the first request of a cause. @param reason reason with the addresses of the blocked requirements */
  blocked(reason: string, cause: BlockedCause): Line;
}

type AddressStyle = Pick<Style<unknown>, 'maxAddresses' | 'code'>;

/** Reason that blocked some requirements, with the first request that shows it. */
export interface BlockedCause {
  reason: string;
  /** Addresses of the blocked requirements. */
  addresses: string[];
  first: Finding;
  /** True if other requests show the reason as well. */
  hasMoreRequests: boolean;
}

/** Title and lines of a section, such as "Violations". */
type Section<Line> = [title: string, lines: Line[]];

/** Builds the sections about a run, in the order in which they need attention. Leaves out empty ones. */
export function buildSections<Line>(run: Conformance, style: Style<Line>): Section<Line>[] {
  const { changes, gates, notes, sweeps = [] } = run;
  const since = changes && `${changes.since.target}, ${formatMinute(changes.since.startedAt)}`;
  // The verdict, which stands above the sections, may be the reason of a gate or a note.
  const isNew = (text: string) => !formatVerdictSentence(run).endsWith(text);
  const unmetGates = gates.filter(
    ({ verdict, address, reason = '' }) => verdict !== 'pass' && (address !== 'run/target' || isNew(reason)),
  );
  const createSection = (title: string, lines: string[]): Section<Line> => [title, lines.map(style.text)];
  const formatDeviation = (entry: FailureSummary) => style.text(deviationText(entry, style.code));
  const summarize = (
    verdict: 'violation' | 'deviation',
    format: (entry: FailureSummary) => Line,
  ): Section<Line> => [
    headings[verdict],
    filterByVerdict(run, verdict)
      .flatMap((requirement) => summarizeFailure(requirement, run.findings) ?? [])
      .map(format),
  ];
  const blocked: Section<Line> = [
    headings.blocked,
    listBlockedCauses(run).map((cause) => style.blocked(formatBlockedCause(run, cause, style), cause)),
  ];
  const groupByReason = (verdict: Verdict) =>
    createSection(headings[verdict], reasonLines(run, verdict, style));
  const sections = [
    createSection(`Changes since ${since}`, formatChangeLines(run, style)),
    summarize('violation', style.violation),
    createSection('Checks of the run as a whole', gateLines(run, unmetGates)),
    createSection('Server errors on bad input', formatFindings(run, 'server error')),
    createSection(attentionTitle, attentionLines(run)),
    createSection('How to read a shape', shapeNotes(run)),
    groupByReason('error'),
    blocked,
    createSection('Recorded traffic', trafficLines(run)),
    createSection('Notes', notes.filter(isNew)),
    createSection('Sweep', sweeps.flatMap(describeSweep)),
    summarize('deviation', style.deviation ?? formatDeviation),
    createSection('Undeclared fields', fieldLines(run, style)),
    groupByReason('not exercised'),
    createSection('Behaviour that has changed since it was recorded', formatFindings(run, 'drift')),
  ];
  return sections.filter(([, lines]) => lines.length > 0);
}

/** Formats a line for each unmet gate, and one line for the gates that fail as a consequence. */
function gateLines(run: Conformance, unmetGates: GateResult[]): string[] {
  const [consequences, failures] = splitBy(unmetGates, (gate) => isConsequence(run, gate));
  return [
    ...failures.map((gate) => `${gate.verdict}: ${describeGate(gate)}`),
    ...(consequences.length > 0
      ? [`as a consequence: ${consequences.map(({ address }) => address).join(', ')}`]
      : []),
  ];
}

const attentionTitle = 'Unexpected behaviour, which the contract does not forbid';

/** Lists the answers to open questions that need attention, each with the first response that shows the answer. */
const attentionLines = ({ observed }: Conformance): string[] =>
  observed.flatMap(({ attention, evidence }) =>
    attention === undefined ? [] : `${attention} (${describeEvidence(evidence)})`,
  );

/** Describes the evidence of an answer by its first response; "Observed behaviour" of the page lists every response. */
const describeEvidence = ([first = '', ...moreResponses]: string[]): string =>
  moreResponses.length > 0 ? `first of ${moreResponses.length + 1} responses: ${first}` : first;

/** Returns whether a gate fails only because of violated or blocked operations, which a report names anyway. */
function isConsequence(run: Conformance, gate: GateResult): boolean {
  const causes = run.requirements.filter(({ verdict }) => /^(violation|blocked|error)$/.test(verdict));
  const operations = new Set(causes.map(({ operation }) => operation));
  if (operations.size === 0) return false;
  if (gate.address === 'run/coverage') return wouldReachCoverage(run, gate, operations);
  return gate.address === 'run/judged' && wouldBeJudged(run, operations);
}

/** Returns whether coverage would suffice if every node of these operations were exercised. */
function wouldReachCoverage({ coverage }: Conformance, { expected }: GateResult, operations: Set<string>) {
  const { missing, total } = coverage.nodes;
  const missingElsewhere = missing.filter((address) => !operations.has(address.split('/')[0] ?? ''));
  // "at least 80 %"
  const [minCoverage] = /\d+(\.\d+)?/.exec(expected) ?? [];
  return 100 * (1 - missingElsewhere.length / total) >= Number(minCoverage);
}

/** Returns whether `run/judged` would pass without these operations: each other operation was judged, and lost no requirement. */
function wouldBeJudged({ requirements }: Conformance, operations: Set<string>): boolean {
  const otherRequirements = requirements.filter(({ operation }) => !operations.has(operation));
  const exercised = new Set(
    otherRequirements.filter(({ verdict }) => verdict !== 'not exercised').map(({ operation }) => operation),
  );
  return otherRequirements.every(({ lost, operation }) => !lost && exercised.has(operation));
}

/** Splits a list into the elements that match, and the others. */
const splitBy = <Element>(
  list: Element[],
  matches: (element: Element) => boolean,
): [Element[], Element[]] => [list.filter(matches), list.filter((element) => !matches(element))];

/** Annotation in a pipeline, such as GitHub's `::error`. */
interface Annotation {
  title: string;
  text: string;
}

/** Lists the annotations of a run, violations first. A gate that fails as a consequence has none. */
export function listAnnotations(run: Conformance): Annotation[] {
  const failedRequirements = [...filterByVerdict(run, 'violation'), ...filterByVerdict(run, 'error')];
  const gates = run.gates.filter((gate) => gate.verdict !== 'pass' && !isConsequence(run, gate));
  return [
    ...failedRequirements.map((requirement) => ({
      title: requirement.address,
      text: [formatFailure(requirement, run.findings), requirement.reason].filter(Boolean).join('\n\n'),
    })),
    ...gates.map((gate) => ({ title: gate.address, text: describeGate(gate) })),
  ];
}

/** Formats the changes since the earlier run, a line for each kind. A new known deviation has its ledger entry. */
export function formatChangeLines(run: Conformance, { maxAddresses, code }: AddressStyle): string[] {
  if (!run.changes) return [];
  const entries = new Map(
    selectFindings(run, 'deviation').map((finding) => [finding.requirement, formatLedgerNote(finding)]),
  );
  const lines = listChangesByKind(run.changes).flatMap(([kind, addresses]) => {
    const describe = (address: string) => {
      const entry = kind === 'now a known deviation' && entries.get(address);
      return entry ? `${code(address)} (${entry})` : code(address);
    };
    return addresses.length > 0 ? [`${kind}: ${joinFirst(addresses.map(describe), maxAddresses)}`] : [];
  });
  return lines.length > 0 ? [...lines, formatCause(run.changes)] : ['none'];
}

/** Formats the sources of recorded traffic, and the number of exchanges that were not judged, by reason. */
function trafficLines({ traffic }: Conformance): string[] {
  if (!traffic) return [];
  const skipped = Object.entries(traffic.skipped).sort(([, count], [, otherCount]) => otherCount - count);
  return [
    `read from ${traffic.sources.map(formatSourceTitle).join(', ')}`,
    'nothing was sent, so open questions have no answers from this run',
    ...(traffic.withoutBody
      ? [
          `bodies not judged: ${traffic.withoutBody}, because the recording lacks them, or has cut or changed them`,
        ]
      : []),
    ...skipped.map(([reason, count]) => `not judged: ${count}, ${reason}`),
  ];
}

/** Groups blocked requirements by reason. A reason has several requests if, for example, several identifiers time out. */
function listBlockedCauses(run: Conformance): BlockedCause[] {
  const findings = selectFindings(run, 'blocked');
  return [...new Set(findings.map(({ actual }) => actual))].flatMap((reason) => {
    const ofReason = findings.filter(({ actual }) => actual === reason);
    const [first] = ofReason;
    const addresses = [...new Set(ofReason.map(({ requirement }) => requirement))];
    const hasMoreRequests = ofReason.some(
      ({ exchange, requests = 1 }) => exchange !== first?.exchange || requests > 1,
    );
    return first ? [{ reason, addresses, first, hasMoreRequests }] : [];
  });
}

/** Formats a cause with the addresses of the requirements that it blocks. */
function formatBlockedCause(
  { requirements }: Conformance,
  { reason, addresses }: BlockedCause,
  { maxAddresses, code }: AddressStyle,
): string {
  const isAll = addresses.length > maxAddresses && addresses.length === requirements.length;
  return `${reason}: ${isAll ? `all ${addresses.length} requirements` : joinFirst(addresses.map(code), maxAddresses)}`;
}

/** Introduces the first blocked request: "request:", or "first request:" if there are more. */
export const formatFirstRequest = ({ hasMoreRequests }: BlockedCause): string =>
  hasMoreRequests ? 'first request:' : 'request:';

/** Formats the requirements of a verdict, a line for each reason. */
function reasonLines(run: Conformance, verdict: Verdict, { maxAddresses, code }: AddressStyle): string[] {
  const addressesByReason = new Map<string, string[]>();
  for (const { address, reason = '' } of filterByVerdict(run, verdict))
    addressesByReason.set(reason, [...(addressesByReason.get(reason) ?? []), code(address)]);
  return [...addressesByReason].map(
    ([reason, addresses]) => `${reason}: ${joinFirst(addresses, maxAddresses)}`,
  );
}

/** Lists the first undeclared fields, and counts the others in one line, because a target may have hundreds. */
function fieldLines(run: Conformance, { maxAddresses, code }: AddressStyle): string[] {
  const fields = new Map<string, { first: Finding; count: number }>();
  for (const first of selectFindings(run, 'undeclared')) {
    const name = `${first.operation} ${code(generalizePointer(first.pointer))}`;
    const field = fields.get(name) ?? { first, count: 0 };
    field.count += first.places ?? 1;
    fields.set(name, field);
  }
  const lines = [...fields]
    .slice(0, maxAddresses)
    .map(([name, { first, count }]) => `${name}: ${first.actual}, in ${formatCount(count, 'place')}`);
  const rest = fields.size - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more undeclared fields`] : lines;
}

/** Explains shapes if a finding has one, because a shape looks like a value. */
const shapeNotes = ({ findings }: Conformance): string[] =>
  findings.some(({ actual }) => mentionsShape(actual))
    ? ['A shape shows each letter of a value as A or a, and each digit as 0. It is not the value.']
    : [];

/** Style of the terminal. A violation is one line, because its details stand above the summary. */
const terminal: Style<string> = {
  maxAddresses: 3,
  code: (text) => text,
  text: (line) => line,
  violation: ({ address, extent }) => `${address}: ${extent}`,
  // A blocked test is skipped, so nothing else in the terminal names its request.
  blocked(reason, cause) {
    const { exchange, id, repeat } = cause.first;
    const lines = [reason, `${formatFirstRequest(cause)} ${exchange}`, id && `id ${id}`, repeat];
    return lines.filter(Boolean).join('\n      ');
  },
};

/** Formats the closing summary of a run for a terminal. @param pageRun run that page and badge show */
export function formatSummary(run: Conformance, reportsDir: string, pageRun = run): string {
  const { requests, requirements } = run;
  // A run that could not begin has a reason and no facts.
  const hasBegun = requests || requirements.length;
  const isOneCause = hasOneCause(run);
  const sections = isOneCause ? [] : buildSections(run, terminal);
  const lines = [
    formatVerdictSentence(run),
    ...(hasBegun ? listRunFacts(run) : []),
    ...sections.flatMap(([title, sectionLines]) => [
      `${title}:`,
      ...sectionLines.map((line) => `  - ${line}`),
    ]),
    ...(isOneCause ? ['npm run doctor looks for the cause; see the reports for details'] : []),
    `reports: ${formatCallerPath(reportsDir)}, contract.html first`,
    ...(pageRun === run
      ? []
      : [`contract.html and badge.svg still show the whole run of ${formatMinute(pageRun.startedAt)}`]),
  ];
  return forReader(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
}

/** Returns whether nothing was judged, for one reason, which every section would repeat. */
function hasOneCause({ requirements, traffic }: Conformance): boolean {
  if (traffic || hasJudged(requirements)) return false;
  const blocked = requirements.filter(({ verdict }) => verdict === 'blocked');
  return new Set(blocked.map(({ reason }) => reason)).size === 1;
}

function listRunFacts(run: Conformance): string[] {
  const { nodes, states } = run.coverage;
  return [
    `target ${run.target}, ${describeCircumstances(run)}, ${formatBasis(run)}`,
    formatCounts(run),
    ...[explainCounts(run)].filter(Boolean),
    formatDuration(run),
    `coverage ${nodes.percentage} % of schema nodes, ${states.percentage} % of values and states`,
    ...[formatBound(run.requirements)].filter(Boolean),
    formatVersions(run),
    ...(run.observed.length > 0 ? [`observed: ${formatObserved(run)}`] : []),
  ];
}
