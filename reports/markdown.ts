import type { Finding } from '../src/redact/observation.ts';
import { type FailureSummary, getBodyPlace } from '../src/verdict/entry.ts';
import { formatBound, getOriginMark, verdictSentence } from '../src/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';
import {
  basisOf,
  circumstances,
  countsLine,
  countsNote,
  firstRequestText,
  observedLine,
  type Style,
  saysOf,
  sectionsOf,
  timeText,
  versionsLine,
} from './lines.ts';
import { reliableNote, reliableText, reliableTitle } from './reliable-fields.ts';

/**
 * Text of any origin as text of Markdown: nothing in it is markup but pairs of backticks around names, and nothing notifies
 * people or refers to an issue where GitHub or GitLab shows it.
 */
export const markdownText = (text: string): string =>
  text.replace(/(?<!`)`([^`]+)`(?!`)|[^`]+|`/g, (part, name?: string) =>
    name === undefined ? plain(part) : markdownName(name),
  );

/** A name as code, also in a cell of a table. */
export const markdownName = (text: string): string =>
  `\`${oneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;

/** Code as it is, between as many backticks as it needs. */
export function markdownCode(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 0) + 1);
  const space = runs.length > 0 ? ' ' : '';
  return `${fence}${space}${text.replace(/[\r\n]+/g, ' ')}${space}${fence}`;
}

/** A table of cells that are Markdown already. */
export const markdownTable = (heads: string[], rows: string[][]): string[] => [
  ...[heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
  '',
];

const plain = (text: string) => oneLine(text).split(reference).map(escaped).join(apart);

/** The place behind the sign that begins a reference: `@team`, `#12`, `GH-12`; in GitLab also `!12`, `$12`, `%12`, `&12`, `~12`, `^12`. */
const reference = /(?<=[@#!$%&~^]|\bGH-)(?=[\p{L}\p{N}_])/iu;
/** A space of no width. A backslash would not do: references are looked for in the rendered text. */
const apart = '&#8203;';

/** An underscore within a word is no markup. */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[`|\\>*~[\]#!]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ');

const badges = { pass: '✅ pass', fail: '❌ fail', error: '⚠️ error' };

const style: Style<string> = {
  named: 5,
  code: markdownCode,
  text: markdownText,
  violation(entry) {
    const { address, statement, section, extent, first, reason } = entry;
    const lines = [
      `**${markdownCode(address)}**: ${markdownText(`${statement}; ${section}`)}`,
      `${extent}; first ${placed(first)}`,
      markdownText(saysOf(entry)),
      markdownText(reason),
      ...requestLines(first),
      ...againstLines(first),
    ];
    return lines.filter(Boolean).join('  \n  ');
  },
  blocked(reason, cause) {
    const { first } = cause;
    const request = `${firstRequestText(cause)} ${markdownCode(first.exchange)}`;
    return [markdownText(reason), request, ...requestLines(first)].join('  \n  ');
  },
};

/** `conformance.md`: one screen, for a pull request or a job summary. */
export function markdownOf(run: Conformance): string {
  const { target, verdict, coverage } = run;
  const sections = sectionsOf(run, style);
  const [bound, note] = [formatBound(run.requirements), countsNote(run)];
  return [
    `## ${badges[verdict]}${getOriginMark(run)} · lookup API conformance of ${markdownText(target)}`,
    '',
    `**${markdownText(verdictSentence(run))}**`,
    '',
    `${countsLine(run)}; ${markdownText(basisOf(run))}, ${coverage.nodes.percentage} % of schema nodes exercised; ${circumstances(run)}; ${markdownText(versionsLine(run))}.`,
    '',
    ...(note ? [`${markdownText(note)}. ${timeText(run)}.`, ''] : []),
    ...(bound ? [markdownText(bound), ''] : []),
    ...sections.flatMap(([title, items]) => [
      `### ${markdownText(title)}`,
      '',
      ...items.map((item) => `- ${item}`),
      '',
    ]),
    ...reliableLines(run),
    ...(run.observed.length > 0
      ? [`${observedLine(run)}: see \`contract.html\` in the reports of the run.`, '']
      : []),
  ].join('\n');
}

/** Optional fields that were always present. */
function reliableLines({ optionalAlwaysPresent: fields = [] }: Conformance): string[] {
  const lines = fields.map((field) => `- ${markdownCode(field.address)}: ${reliableText(field)}`);
  return lines.length > 0 ? [`### ${reliableTitle}`, '', ...lines, '', `${reliableNote}.`, ''] : [];
}

/** A place of a body and its request, or the request alone. */
const placed = ({ pointer, exchange }: { pointer: string; exchange: string }) =>
  [getBodyPlace(pointer), exchange].filter(Boolean).map(markdownCode).join(' of ');

/** Formats the id of a request and the command that repeats the request. */
const requestLines = ({ id, repeat }: Pick<Finding, 'id' | 'repeat'>): string[] => [
  ...(id ? [`id of the request ${markdownCode(id)}`] : []),
  ...(repeat ? [markdownCode(repeat)] : []),
];

/** Of a rule between responses: the other side, how to see it, and the order of the requests. */
const againstLines = ({ against, sent = [] }: FailureSummary['first']): string[] =>
  against
    ? [
        `against ${placed(against)}: ${markdownText(against.actual)}`,
        markdownCode(against.repeat),
        `sent in this order: ${sent.map(markdownCode).join(', ')}`,
      ]
    : [];
