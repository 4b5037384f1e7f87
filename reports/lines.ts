import { entryPlace } from '../schemas/contract/ledger.ts';
import { generalizePointer } from '../schemas/contract/nodes.ts';
import { counted, number } from '../schemas/counted.ts';
import { mentionsShape } from '../src/redact/describe-value.ts';
import type { Finding } from '../src/redact/observation.ts';
import { forReader, shownToCaller } from '../src/run/caller-folder.ts';
import { sweepSentences } from '../src/sweep/summary.ts';
import { sourceTitle } from '../src/traffic/shown-source.ts';
import { formatCause, listChangesByKind } from '../src/verdict/changes.ts';
import { type FailureSummary, failureText, summarizeFailure } from '../src/verdict/entry.ts';
import { formatFindings, type GateResult, gateSentence } from '../src/verdict/gates.ts';
import { describePart, formatBound, verdictSentence } from '../src/verdict/sentence.ts';
import { formatVerdictCounts, hasJudged, headings, type Verdict } from '../src/verdict/verdicts.ts';
import { type Conformance, found, withVerdict } from './conformance.ts';

/* What the terminal, the Markdown and the pages say of a run, line by line. */

/** The day of a time: "2026-11-22". */
export const day = (time: string): string => time.slice(0, 10);

/** A time to the minute: "2026-11-22 06:44 UTC". */
export const minute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

const second = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`;

/** What the verdict rests on: requests that were sent, or a recording. */
export const basisOf = ({ requests, trace, traffic }: Conformance): string =>
  traffic
    ? `${traffic.judged} of ${traffic.exchanges} recorded exchanges judged${spanOf(traffic)}`
    : `${counted(requests, 'request')}${trace ? ` (trace ${trace})` : ''}`;

/** The time between the first exchange that was judged and the last one. */
function spanOf({ from, until }: NonNullable<Conformance['traffic']>): string {
  if (from === undefined || until === undefined) return '';
  return from === until ? `, of ${second(from)}` : `, from ${second(from)} to ${second(until)}`;
}

/** What judged, and by what: "suite 0.1.0, contract edition 1 (0123456789ab)". */
export const versionsLine = ({ suite, edition, contract }: Conformance): string =>
  `suite ${suite}, contract edition ${edition} (${contract})`;

/** Requirements by verdict, in one line. */
export function countsLine({ requirements, selection }: Conformance): string {
  const all = selection ? `${selection.selected} of ${selection.total}` : `${requirements.length}`;
  return [`${all} requirements${selection ? ' selected' : ''}`, ...formatVerdictCounts(requirements)].join(
    ', ',
  );
}

/** Explains why other reports count more tests than requirements; empty if only a part of the contract was judged. */
export function countsNote({ requirements, gates, selection, shard }: Conformance): string {
  if (selection || shard || requirements.length === 0 || gates.length === 0) return '';
  const all = requirements.length + gates.length;
  return `JUnit counts ${counted(all, 'test')}: the requirements and ${counted(gates.length, 'gate')}; Playwright and Allure also count the tests that only list requests or answers`;
}

/** Returns how long the run took, and the responses alone: "18.6 s including start-up; responses took 3.2 s in total". */
export function timeText({ durationMs, requestsMade }: Conformance): string {
  const waiting = requestsMade.reduce((sum, request) => sum + (request.durationMs ?? 0), 0);
  const responses = waiting > 0 ? `; responses took ${seconds(waiting)} in total` : '';
  return `${seconds(durationMs)} including start-up${responses}`;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** The profile, when the run was, and of a shard that it is one. */
export function circumstances({ profile, startedAt, shard }: Conformance): string {
  const part = shard ? `, ${describePart({ shard })}: merge all shards for the verdict` : '';
  return `profile ${profile}, ${minute(startedAt)}${part}`;
}

/** How much of what the contract leaves open was answered, in one line. */
export function observedLine({ observed }: Conformance): string {
  const answered = observed.filter(({ confidence }) => confidence !== 'unknown').length;
  return `${answered} of ${observed.length} open questions answered`;
}

/** "expected a string; got a number; elsewhere got null". */
export function saysOf({ first, elsewhere }: FailureSummary): string {
  const more = elsewhere.length > 0 ? `; elsewhere got ${fewOf(elsewhere, 3)}` : '';
  return `expected ${first.expected}; got ${first.actual}${more}`;
}

/** The first texts of a list, and how many others there are. */
function fewOf(texts: string[], shown: number): string {
  const more = texts.length > shown ? ` and ${texts.length - shown} more` : '';
  return texts.slice(0, shown).join(', ') + more;
}

/** The entry of the ledger that tolerates a deviation: "spec/ledger.yaml, line 30, until 2026-12-31". */
export const ledgerText = ({ ledger }: Pick<Finding, 'ledger'>): string =>
  ledger
    ? [entryPlace(ledger), ledger.until && `until ${ledger.until}`, ledger.link].filter(Boolean).join(', ')
    : '';

/** A requirement that deviates, in a line: what was found, why it is tolerated, and by which entry. */
function deviationText({ address, extent, first }: FailureSummary, code: Naming['code']): string {
  const entry = first.ledger ? ` (${ledgerText(first)})` : '';
  return `${code(address)}: ${extent}; ${first.actual}. ${first.because}${entry}`;
}

/** How an output writes lines. */
export interface Style<Line> {
  /** Addresses that a line names; the others are counted. */
  named: number;
  /** Marks an address or a place. */
  code(text: string): string;
  /** Makes of a text what the output takes for a line. */
  text(line: string): Line;
  violation(entry: FailureSummary): Line;
  /** In one line, unless the output has more room. */
  deviation?(entry: FailureSummary): Line;
  /** @param reason with the addresses of the requirements */
  blocked(reason: string, cause: BlockedCause): Line;
}

type Naming = Pick<Style<unknown>, 'named' | 'code'>;

/** Reason that blocked some requirements, with the first request that shows it. */
export interface BlockedCause {
  reason: string;
  /** Addresses of the blocked requirements. */
  addresses: string[];
  first: Finding;
  /** Number of requests that show the reason. */
  requests: number;
}

/** Lines on one thing: "Gates of the run". */
type Section<Line> = [title: string, lines: Line[]];

/** All that is said of a run beside its verdict, what needs a look first. */
export function sectionsOf<Line>(run: Conformance, style: Style<Line>): Section<Line>[] {
  const { changes, gates, notes, sweeps = [] } = run;
  const since = changes && `${changes.since.target}, ${minute(changes.since.startedAt)}`;
  // Without what is the verdict itself.
  const isNew = (text: string) => !verdictSentence(run).endsWith(text);
  const broken = gates.filter(
    ({ verdict, address, reason = '' }) => verdict !== 'pass' && (address !== 'run/target' || isNew(reason)),
  );
  const [following, failing] = splitBy(broken, (gate) => isConsequence(run, gate));
  const gateLines = [
    ...failing.map((gate) => `${gate.verdict}: ${gateSentence(gate)}`),
    ...(following.length > 0
      ? [`as a consequence: ${following.map(({ address }) => address).join(', ')}`]
      : []),
  ];
  const plain = (title: string, lines: string[]): Section<Line> => [title, lines.map(style.text)];
  const deviation = (entry: FailureSummary) => style.text(deviationText(entry, style.code));
  const told = (verdict: 'violation' | 'deviation', line: (entry: FailureSummary) => Line): Section<Line> => [
    headings[verdict],
    withVerdict(run, verdict)
      .flatMap((one) => summarizeFailure(one, run.findings) ?? [])
      .map(line),
  ];
  const blocked: Section<Line> = [
    headings.blocked,
    listBlockedCauses(run).map((cause) => style.blocked(causeText(cause, style), cause)),
  ];
  const unjudged = (verdict: Verdict) => plain(headings[verdict], reasonLines(run, verdict, style));
  const sections = [
    plain(`Changes since ${since}`, changeLines(run, style)),
    told('violation', style.violation),
    plain('Checks of the run as a whole', gateLines),
    plain('Server errors on bad input', formatFindings(run, 'server error')),
    plain(attentionTitle, attentionLines(run)),
    plain('How to read it', shapeNotes(run)),
    unjudged('error'),
    blocked,
    plain('Recorded traffic', trafficLines(run)),
    plain('Notes', notes.filter(isNew)),
    plain('Sweep', sweeps.flatMap(sweepSentences)),
    told('deviation', style.deviation ?? deviation),
    plain('Undeclared fields', fieldLines(run, style)),
    unjudged('not exercised'),
    plain('Behaviour that has changed since it was recorded', formatFindings(run, 'drift')),
  ];
  return sections.filter(([, lines]) => lines.length > 0);
}

const attentionTitle = 'Unexpected behaviour, which the contract does not forbid';

/** Lists the answers to open questions that need attention, each with the responses that show the answer. */
const attentionLines = ({ observed }: Conformance): string[] =>
  observed.flatMap(({ attention, evidence }) =>
    attention === undefined ? [] : `${attention} (${evidence.join('; ')})`,
  );

/** Checks whether a gate fails only because of operations that are broken or blocked, which a report names anyway. */
function isConsequence(run: Conformance, gate: GateResult): boolean {
  const causes = run.requirements.filter(({ verdict }) => /^(violation|blocked|error)$/.test(verdict));
  const operations = new Set(causes.map(({ operation }) => operation));
  if (operations.size === 0) return false;
  if (gate.address === 'run/coverage') return wouldReachCoverage(run, gate, operations);
  return gate.address === 'run/judged' && wouldBeJudged(run, operations);
}

/** Checks whether coverage would suffice if these operations were exercised as a whole. */
function wouldReachCoverage({ coverage }: Conformance, { expected }: GateResult, operations: Set<string>) {
  const { missing, total } = coverage.nodes;
  const others = missing.filter((address) => !operations.has(address.split('/')[0] ?? ''));
  // "at least 80 %"
  const [demanded] = /\d+(\.\d+)?/.exec(expected) ?? [];
  return 100 * (1 - others.length / total) >= Number(demanded);
}

/** Checks whether these operations hold all requirements that are no longer judged, and each operation without a judged response is among them. */
function wouldBeJudged({ requirements }: Conformance, operations: Set<string>): boolean {
  const others = requirements.filter(({ operation }) => !operations.has(operation));
  const exercised = new Set(
    others.filter(({ verdict }) => verdict !== 'not exercised').map(({ operation }) => operation),
  );
  return others.every(({ lost, operation }) => !lost && exercised.has(operation));
}

/** Splits a list into elements for which something holds, and the others. */
const splitBy = <Element>(list: Element[], holds: (element: Element) => boolean): [Element[], Element[]] => [
  list.filter(holds),
  list.filter((element) => !holds(element)),
];

/** Title and text of an annotation in a pipeline. */
interface Annotation {
  title: string;
  text: string;
}

/** Lists what a pipeline annotates, violations first. A gate that fails as a consequence has no annotation. */
export function listAnnotations(run: Conformance): Annotation[] {
  const broken = [...withVerdict(run, 'violation'), ...withVerdict(run, 'error')];
  const gates = run.gates.filter((gate) => gate.verdict !== 'pass' && !isConsequence(run, gate));
  return [
    ...broken.map((requirement) => ({
      title: requirement.address,
      text: [failureText(requirement, run.findings), requirement.reason].filter(Boolean).join('\n\n'),
    })),
    ...gates.map((gate) => ({ title: gate.address, text: gateSentence(gate) })),
  ];
}

/** Each kind of change that occurs, with its addresses; of what is newly tolerated, with the entry of the ledger. */
export function changeLines(run: Conformance, { named, code }: Naming): string[] {
  if (!run.changes) return [];
  const entries = new Map(found(run, 'deviation').map((one) => [one.requirement, ledgerText(one)]));
  const lines = listChangesByKind(run.changes).flatMap(([kind, addresses]) => {
    const entryOf = (address: string) => (kind === 'now a known deviation' ? entries.get(address) : '');
    const marked = addresses.map((one) => code(one) + (entryOf(one) ? ` (${entryOf(one)})` : ''));
    return addresses.length > 0 ? [`${kind}: ${fewOf(marked, named)}`] : [];
  });
  return lines.length > 0 ? [...lines, formatCause(run.changes)] : ['none'];
}

/** Where the traffic comes from, and how many exchanges were not judged, by reason. */
function trafficLines({ traffic }: Conformance): string[] {
  if (!traffic) return [];
  const skipped = Object.entries(traffic.skipped).sort(([, one], [, other]) => other - one);
  return [
    `read from ${traffic.sources.map(sourceTitle).join(', ')}`,
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
  const findings = found(run, 'blocked');
  return [...new Set(findings.map(({ actual }) => actual))].flatMap((reason) => {
    const ofReason = findings.filter(({ actual }) => actual === reason);
    const [first] = ofReason;
    const addresses = [...new Set(ofReason.map(({ requirement }) => requirement))];
    const counts = new Map(ofReason.map(({ id, exchange, requests = 1 }) => [id ?? exchange, requests]));
    const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return first ? [{ reason, addresses, first, requests }] : [];
  });
}

const causeText = ({ reason, addresses }: BlockedCause, { named, code }: Naming) =>
  `${reason}: ${fewOf(addresses.map(code), named)}`;

/** Introduces the first blocked request: "request:", or "first of 3 requests:". */
export const firstRequestText = ({ requests }: BlockedCause): string =>
  requests > 1 ? `first of ${number(requests)} requests:` : 'request:';

/** Requirements without a verdict on the target, by the reason for that. */
function reasonLines(run: Conformance, verdict: Verdict, { named, code }: Naming): string[] {
  const gathered = new Map<string, string[]>();
  for (const { address, reason = '' } of withVerdict(run, verdict))
    gathered.set(reason, [...(gathered.get(reason) ?? []), code(address)]);
  return [...gathered].map(([reason, addresses]) => `${reason}: ${fewOf(addresses, named)}`);
}

/** The first fields that the contract does not name, and a line for all others: an open-ended provider has hundreds. */
function fieldLines(run: Conformance, { named, code }: Naming): string[] {
  const fields = new Map<string, { first: Finding; count: number }>();
  for (const first of found(run, 'undeclared')) {
    const name = `${first.operation} ${code(generalizePointer(first.pointer))}`;
    const known = fields.get(name) ?? { first, count: 0 };
    known.count += first.places ?? 1;
    fields.set(name, known);
  }
  const lines = [...fields]
    .slice(0, named)
    .map(([name, { first, count }]) => `${name}: ${first.actual}, in ${counted(count, 'place')}`);
  const rest = fields.size - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more undeclared fields`] : lines;
}

/** What the signs of a shape stand for, where a run shows one: it reads like a value otherwise. */
const shapeNotes = ({ findings }: Conformance): string[] =>
  findings.some(({ actual }) => mentionsShape(actual))
    ? ['A shape shows each letter of a value as A or a, and each digit as 0. It is not the value.']
    : [];

/** Style of a terminal. A violation is an address and counts, because its details stand above the summary. */
const terminal: Style<string> = {
  named: 3,
  code: (text) => text,
  text: (line) => line,
  violation: ({ address, extent }) => `${address}: ${extent}`,
  // A blocked test is skipped, so nothing else in the terminal names its request.
  blocked(reason, cause) {
    const { exchange, id, repeat } = cause.first;
    const lines = [reason, `${firstRequestText(cause)} ${exchange}`, id && `id ${id}`, repeat];
    return lines.filter(Boolean).join('\n      ');
  },
};

/** The closing summary of a run, for a terminal. @param shown the run that page and badge are of */
export function summaryOf(run: Conformance, reportsDir: string, shown = run): string {
  const { requests, requirements } = run;
  // Of a run that could not begin, there is nothing to say but why.
  const hasBegun = requests || requirements.length;
  const isOneCause = hasOneCause(run);
  const sections = isOneCause ? [] : sectionsOf(run, terminal);
  const lines = [
    verdictSentence(run),
    ...(hasBegun ? factsOf(run) : []),
    ...sections.flatMap(([title, all]) => [`${title}:`, ...all.map((line) => `  - ${line}`)]),
    ...(isOneCause ? ['npm run doctor looks for the cause; see the reports for details'] : []),
    `reports: ${shownToCaller(reportsDir)}, contract.html first`,
    ...(shown === run
      ? []
      : [`contract.html and badge.svg still show the whole run of ${minute(shown.startedAt)}`]),
  ];
  return forReader(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
}

/** Whether nothing was judged, for one reason: each section would tell it again. */
function hasOneCause({ requirements, traffic }: Conformance): boolean {
  if (traffic || hasJudged(requirements)) return false;
  const blocked = requirements.filter(({ verdict }) => verdict === 'blocked');
  return new Set(blocked.map(({ reason }) => reason)).size === 1;
}

function factsOf(run: Conformance): string[] {
  const { nodes, states } = run.coverage;
  return [
    `target ${run.target}, ${circumstances(run)}, ${basisOf(run)}`,
    countsLine(run),
    ...[countsNote(run)].filter(Boolean),
    timeText(run),
    `coverage ${nodes.percentage} % of schema nodes, ${states.percentage} % of values and states`,
    ...[formatBound(run.requirements)].filter(Boolean),
    versionsLine(run),
    ...(run.observed.length > 0 ? [`observed: ${observedLine(run)}`] : []),
  ];
}
