import type { Finding } from '../src/redact/observation.ts';
import { getBodyPlace } from '../src/verdict/entry.ts';
import {
  formatMockOrTrafficMark,
  formatSampleBound,
  formatVerdictSentence,
} from '../src/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';
import {
  buildSections,
  describeCircumstances,
  explainCounts,
  formatAnsweredCount,
  formatCounts,
  formatDuration,
  formatMismatch,
  formatRequestsOrTraffic,
  formatVersions,
  type LineFormatters,
  labelFirstRequest,
} from './lines.ts';
import { describeReliableField, reliableNote, reliableTitle } from './reliable-fields.ts';

/** Matches a name between single backticks, which it captures; or a text without backticks; or one other backtick. */
const nameOrText = /(?<!`)`([^`]+)`(?!`)|[^`]+|`/g;

/** Escapes a text, so that `@team` notifies nobody and `#12` is no link. Only a name between single backticks becomes code. */
export const markdownText = (text: string): string =>
  text.replace(nameOrText, (part, name?: string) =>
    name === undefined ? escapeText(part) : markdownName(name),
  );

/** Formats a name as code for a table cell: in one line, without backticks, and with `|` escaped. */
export const markdownName = (text: string): string =>
  `\`${joinToOneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;

/** Formats a text as code in one line, between more backticks than the text has in a row (CommonMark, section 6.1). */
export function markdownCode(text: string): string {
  const backtickRuns = text.match(/`+/g) ?? [];
  const longestRun = backtickRuns.reduce((longest, { length }) => Math.max(longest, length), 0);
  const fence = '`'.repeat(longestRun + 1);
  const space = backtickRuns.length > 0 ? ' ' : '';
  return `${fence}${space}${text.replace(/[\r\n]+/g, ' ')}${space}${fence}`;
}

/** Formats the lines of a table, with an empty line after it. @param rows cells of each row, as escaped Markdown */
export function markdownTable(heads: string[], rows: string[][]): string[] {
  const separators = heads.map(() => '---');
  const lines = [heads, separators, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...lines, ''];
}

const escapeText = (text: string) =>
  joinToOneLine(text).split(referencePosition).map(escapeMarkup).join(zeroWidthSpace);

/** Matches the position after the sign of a reference: `@team`, `#12`, `GH-12`; in GitLab also `!1`, `$1`, `%1`, `&1`, `~1`, `^1`. */
const referencePosition = /(?<=[@#!$%&~^]|\bGH-)(?=[\p{L}\p{N}_])/iu;
/** Breaks a reference such as `@team`. A backslash would not, because GitHub searches the rendered text. */
const zeroWidthSpace = '&#8203;';

/** Matches characters with a meaning in Markdown; an underscore in a word such as `user_id` has none (CommonMark, section 6.2). */
const specialCharacters = /[`|\\>*~[\]#!]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

const escapeMarkup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replace(specialCharacters, '\\$&');

const joinToOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ');

const badges = { pass: '✅ pass', fail: '❌ fail', error: '⚠️ error' };

/** Hard line break in a list item (CommonMark, section 6.7). */
const lineBreak = '  \n  ';

const markdownFormatters: LineFormatters<string> = {
  maxAddresses: 5,
  formatCode: markdownCode,
  formatText: markdownText,
  formatViolation(entry) {
    const { address, statement, section, extent, first, reason } = entry;
    const lines = [
      `**${markdownCode(address)}**: ${markdownText(`${statement}; ${section}`)}`,
      `${extent}; first ${formatPlaceAndRequest(first)}`,
      markdownText(formatMismatch(entry)),
      markdownText(reason),
      ...formatRequestLines(first),
      ...formatCounterpart(first),
    ];
    return lines.filter(Boolean).join(lineBreak);
  },
  formatBlocked(reasonWithAddresses, cause) {
    const { first } = cause;
    const request = `${labelFirstRequest(cause)} ${markdownCode(first.exchange)}`;
    return [markdownText(reasonWithAddresses), request, ...formatRequestLines(first)].join(lineBreak);
  },
};

export function formatMarkdown(run: Conformance): string {
  const { target, verdict, coverage } = run;
  const sections = buildSections(run, markdownFormatters);
  const boundText = formatSampleBound(run.requirements);
  const countNote = explainCounts(run);
  const numbers = `${formatCounts(run)}; ${markdownText(formatRequestsOrTraffic(run))}, ${coverage.nodes.percentage} % of schema nodes exercised`;
  return [
    `## ${badges[verdict]}${formatMockOrTrafficMark(run)} · lookup API conformance of ${markdownText(target)}`,
    '',
    `**${markdownText(formatVerdictSentence(run))}**`,
    '',
    `${numbers}; ${describeCircumstances(run)}; ${markdownText(formatVersions(run))}.`,
    '',
    ...(countNote ? [`${markdownText(countNote)}. ${formatDuration(run)}.`, ''] : []),
    ...(boundText ? [markdownText(boundText), ''] : []),
    ...sections.flatMap(([title, lines]) => [
      `### ${markdownText(title)}`,
      '',
      ...lines.map((line) => `- ${line}`),
      '',
    ]),
    ...formatReliableFields(run),
    ...(run.observed.length > 0
      ? [`${formatAnsweredCount(run)}: see \`contract.html\` in the reports of the run.`, '']
      : []),
  ].join('\n');
}

function formatReliableFields({ optionalAlwaysPresent: fields = [] }: Conformance): string[] {
  const lines = fields.map((field) => `- ${markdownCode(field.address)}: ${describeReliableField(field)}`);
  return lines.length > 0 ? [`### ${reliableTitle}`, '', ...lines, '', `${reliableNote}.`, ''] : [];
}

/** Formats "`/data/card/status` of `GET …`", or only "`GET …`" if the finding is about the status or a header. */
const formatPlaceAndRequest = ({ pointer, exchange }: { pointer: string; exchange: string }) =>
  [getBodyPlace(pointer), exchange].filter(Boolean).map(markdownCode).join(' of ');

const formatRequestLines = ({ id, repeat: curlCommand }: Pick<Finding, 'id' | 'repeat'>): string[] => [
  ...(id ? [`id of the request ${markdownCode(id)}`] : []),
  ...(curlCommand ? [markdownCode(curlCommand)] : []),
];

/** Formats the other response of a contradiction between two responses. `[]` for any other finding. */
function formatCounterpart({ against: otherResponse, sent: sentRequests = [] }: Finding): string[] {
  if (!otherResponse) return [];
  return [
    `against ${formatPlaceAndRequest(otherResponse)}: ${markdownText(otherResponse.actual)}`,
    markdownCode(otherResponse.repeat),
    `sent in this order: ${sentRequests.map(markdownCode).join(', ')}`,
  ];
}
