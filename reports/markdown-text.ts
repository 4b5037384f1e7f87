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
