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
  formatAnsweredCount,
  formatCounts,
  formatDuration,
  formatMismatch,
  formatRequestsOrTraffic,
  formatVersions,
  isPartial,
  type LineFormatters,
} from './lines.ts';
import { describeReliableField, reliableNote, reliableTitle } from './reliable-fields.ts';

/** Matches a name in single backticks (group 1), or a part of the text between names. */
const nameOrText = /(?<!`)`([^`]+)`(?!`)|[^`]+|`/g;

/** Escapes a text as one line of Markdown. Names in single backticks become code. */
export const markdownText = (text: string): string =>
  text.replace(nameOrText, (part, name?: string) => {
    const isName = name !== undefined;
    return isName ? markdownName(name) : escapeText(part);
  });

/** Formats a name as Markdown code for a table cell. */
export const markdownName = (text: string): string =>
  `\`${joinToOneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;

/** Formats a text as Markdown code in one line (CommonMark, section 6.1). For example, "a `b`" becomes "`` a `b` ``". */
export function markdownCode(text: string): string {
  const backtickRuns = text.match(/`+/g) ?? [];
  const longestRun = Math.max(0, ...backtickRuns.map(({ length }) => length));
  const fence = '`'.repeat(longestRun + 1);
  // A space separates the fence from backticks of the text.
  const space = backtickRuns.length > 0 ? ' ' : '';
  const textInOneLine = text.replace(/[\r\n]+/g, ' ');
  return `${fence}${space}${textInOneLine}${space}${fence}`;
}

/** Formats the lines of a Markdown table, and adds an empty line. The cells in `heads` and `rows` must be escaped Markdown. */
export function markdownTable(heads: string[], rows: string[][]): string[] {
  const separators = heads.map(() => '---');
  const lines = [heads, separators, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...lines, ''];
}

const escapeText = (text: string) =>
  // A backslash would not prevent a link, because GitHub searches the rendered text for `@team`.
  joinToOneLine(text).split(referencePosition).map(escapeMarkup).join(zeroWidthSpace);

/**
 * Matches the position before the name or the number of a reference. In `@team`, this position is after `@`.
 * In `GH-12`, this position is after `GH-`.
 */
const referencePosition = /(?<=[@#!$%&~^]|\bGH-)(?=[\p{L}\p{N}_])/iu;

/** Invisible character that keeps GitHub from linking a reference such as `@team`. */
const zeroWidthSpace = '&#8203;';

/** Matches the characters that must be escaped in Markdown. A `_` inside a word needs no escape (CommonMark, section 6.2). */
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
  formatViolation(failure) {
    const { address, statement, section, extent, first, reason } = failure;
    const statementWithSection = markdownText(`${statement}; ${section}`);
    const lines = [
      `**${markdownCode(address)}**: ${statementWithSection}`,
      `${extent}; first ${formatPlaceAndRequest(first)}`,
      markdownText(formatMismatch(failure)),
      markdownText(reason),
      ...formatIdAndCommand(first),
      ...formatContradictingResponse(first),
    ];
    return lines.filter(Boolean).join(lineBreak);
  },
  formatBlocked(reasonWithAddresses, cause) {
    const { first } = cause;
    const request = `first request: ${markdownCode(first.exchange)}`;
    return [markdownText(reasonWithAddresses), request, ...formatIdAndCommand(first)].join(lineBreak);
  },
};

export function formatMarkdown(run: Conformance): string {
  const lines = formatHead(run);
  for (const [title, sectionLines] of buildSections(run, markdownFormatters))
    lines.push(`### ${markdownText(title)}`, '', ...sectionLines.map((line) => `- ${line}`), '');
  lines.push(...formatReliableFields(run));
  if (run.observed.length > 0)
    lines.push(`${formatAnsweredCount(run)}: see \`contract.html\` in the reports of the run.`, '');
  return lines.join('\n');
}

function formatHead(run: Conformance): string[] {
  const { target, verdict, coverage } = run;
  const title = `${badges[verdict]}${formatMockOrTrafficMark(run)} · lookup API conformance of ${markdownText(target)}`;
  const requestsText = markdownText(formatRequestsOrTraffic(run));
  const coverageText = isPartial(run) ? '' : `, ${coverage.nodes.percentage} % of schema nodes exercised`;
  const numbers = [formatCounts(run), requestsText + coverageText].filter(Boolean).join('; ');
  const boundText = formatSampleBound(run.requirements);
  const lines = [`## ${title}`, '', `**${markdownText(formatVerdictSentence(run))}**`, ''];
  lines.push(`${numbers}; ${describeCircumstances(run)}; ${markdownText(formatVersions(run))}.`, '');
  lines.push(`${formatDuration(run)}.`, '');
  if (boundText) lines.push(markdownText(boundText), '');
  return lines;
}

function formatReliableFields({ optionalAlwaysPresent: fields = [] }: Conformance): string[] {
  const lines = fields.map((field) => `- ${markdownCode(field.address)}: ${describeReliableField(field)}`);
  return lines.length > 0 ? [`### ${reliableTitle}`, '', ...lines, '', `${reliableNote}.`, ''] : [];
}

const formatPlaceAndRequest = ({ pointer, exchange }: { pointer: string; exchange: string }) =>
  [getBodyPlace(pointer), exchange].filter(Boolean).map(markdownCode).join(' of ');

const formatIdAndCommand = ({ id, repeat: curlCommand }: Pick<Finding, 'id' | 'repeat'>): string[] => [
  ...(id ? [`id of the request ${markdownCode(id)}`] : []),
  ...(curlCommand ? [markdownCode(curlCommand)] : []),
];

function formatContradictingResponse({ against: otherResponse, sent: sentRequests = [] }: Finding): string[] {
  if (!otherResponse) return [];
  const order = sentRequests.map(markdownCode).join(', ');
  return [
    `against ${formatPlaceAndRequest(otherResponse)}: ${markdownText(otherResponse.actual)}`,
    markdownCode(otherResponse.repeat),
    ...(order ? [`sent in this order: ${order}`] : []),
  ];
}
