import { placeInBody } from '../tests/verdict/extent.ts';
import { originMark, verdictSentence } from '../tests/verdict/sentence.ts';
import { headings, verdicts } from '../tests/verdict/verdicts.ts';
import { changeLines } from './changes.ts';
import type { Conformance } from './conformance.ts';
import { durationCells, durationHeads, durationNote } from './durations.ts';
import {
  type BrokenEntry,
  elsewhereText,
  entriesOf,
  reasonLines,
  shapeNotes,
  toleratedText,
  type Unjudged,
  undeclaredFieldsOf,
} from './entries.ts';
import { gateLines } from './gates.ts';
import { markdownCode as code, markdownText } from './markdown-text.ts';
import { minute } from './moments.ts';
import { drifts, observedTable, serverErrors } from './observed.ts';
import { countsLine, fieldLines, shardNote, sweepLines } from './summary.ts';
import { basisOf, trafficLines } from './traffic.ts';

const badges = { pass: '✅ pass', fail: '❌ fail', error: '⚠️ error' };

/** Addresses that a line names; the others are counted. */
const maxNamed = 5;

/** `conformance.md`: one screen, for a pull request or a job summary. */
export function markdownOf(conformance: Conformance): string {
  const { target, profile, startedAt, verdict, coverage, notes } = conformance;
  const reasonsOf = (unjudged: Unjudged) =>
    reasonLines(conformance, unjudged, maxNamed, code).map(markdownText);
  return [
    `## ${badges[verdict]}${originMark(conformance)} · lookup API conformance of ${markdownText(target)}`,
    '',
    `**${markdownText(verdictSentence(conformance))}**`,
    '',
    `${countsLine(conformance)}; ${markdownText(basisOf(conformance))}, ${coverage.nodes.percentage} % of schema nodes exercised.`,
    `Profile \`${profile}\`, ${minute(startedAt)}${shardNote(conformance)}.`,
    '',
    ...table(conformance),
    ...changesList(conformance),
    ...list('Gates of the run', gateLines(conformance).map(markdownText)),
    ...list('Server errors on bad input', serverErrors(conformance).map(markdownText)),
    ...list(headings.violation, entriesOf(conformance, 'violation').map(violationLines)),
    ...shapeNotes(conformance).flatMap((note) => [note, '']),
    ...list(headings.error, reasonsOf('error')),
    ...list(headings.blocked, reasonsOf('blocked')),
    ...list('Recorded traffic', trafficLines(conformance).map(markdownText)),
    ...list('Notes', notes.map(markdownText)),
    ...list('Sweep', sweepLines(conformance).map(markdownText)),
    ...list(headings.deviation, entriesOf(conformance, 'deviation').map(deviationLine)),
    ...list('Undeclared fields', fieldLines(undeclaredFieldsOf(conformance), code).map(markdownText)),
    ...list(headings['not exercised'], reasonsOf('not exercised')),
    ...list('Behaviour that has changed since it was recorded', drifts(conformance).map(markdownText)),
    ...durationLines(conformance),
    ...observedTable(conformance),
  ].join('\n');
}

/** Requirements by operation and verdict; each row adds up. */
function table({ requirements }: Conformance): string[] {
  const operations = [...new Set(requirements.map(({ operation }) => operation))];
  const heads = ['operation', 'requirements', ...verdicts];
  const row = (operation: string) => {
    const own = requirements.filter((one) => one.operation === operation);
    const counts = verdicts.map((verdict) => own.filter((one) => one.verdict === verdict).length);
    return [markdownText(operation), own.length, ...counts];
  };
  if (operations.length === 0) return [];
  const lines = [heads, heads.map((_, index) => (index ? '---:' : '---')), ...operations.map(row)];
  return [...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
}

/** How long responses took, folded away: nobody is judged by it. */
function durationLines({ durations = [] }: Conformance): string[] {
  if (durations.length === 0) return [];
  const rows = durations.map((one) => [markdownText(one.operation), ...durationCells(one)]);
  const lines = [['operation', ...durationHeads], durationHeads.map(() => '---:'), ...rows];
  lines[1]?.unshift('---');
  return [
    '<details><summary>How long responses took</summary>',
    '',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    durationNote,
    '',
    '</details>',
    '',
  ];
}

const list = (title: string, items: string[]) =>
  items.length > 0 ? [`### ${title}`, '', ...items.map((item) => `- ${item}`), ''] : [];

function violationLines(entry: BrokenEntry): string {
  const { address, statement, section, extent, first, reason = '' } = entry;
  return [
    `**${code(address)}**: ${markdownText(`${statement} (${section})`)}`,
    `  ${extent}; first ${placed(first)}`,
    `  ${markdownText(`expected ${first.expected}; got ${first.actual}`)}`,
    elsewhereText(entry) && `  ${markdownText(elsewhereText(entry))}`,
    reason && `  ${markdownText(reason)}`,
    first.repeat && `  ${code(first.repeat)}`,
    ...againstLines(first).map((line) => `  ${line}`),
  ]
    .filter(Boolean)
    .join('  \n');
}

/** A place of a body and its request, or the request alone. */
const placed = ({ pointer, exchange }: { pointer: string; exchange: string }) =>
  [placeInBody(pointer), exchange].filter(Boolean).map(code).join(' of ');

/** Of a rule between responses: the other side, how to see it, and the order of the requests. */
function againstLines({ against, sent = [] }: BrokenEntry['first']): string[] {
  if (!against) return [];
  const { actual, repeat } = against;
  return [
    `against ${placed(against)}: ${markdownText(actual)}`,
    code(repeat),
    `sent in this order: ${sent.map(code).join(', ')}`,
  ];
}

const deviationLine = ({ address, extent, first }: BrokenEntry) =>
  `${code(address)} ${extent}; first at ${code(first.pointer)}: ${markdownText(`${first.actual}. ${toleratedText(first)}`)}`;

/** What has changed since the run that was compared with. */
function changesList(conformance: Conformance): string[] {
  const { changes } = conformance;
  if (!changes) return [];
  const lines = changeLines(conformance, maxNamed, code).map(markdownText);
  const { target, startedAt } = changes.since;
  return list(
    `Changes since ${markdownText(`${target}, ${minute(startedAt)}`)}`,
    lines.length > 0 ? lines : ['none'],
  );
}
