import { type Comparison, type Difference, sentenceOf } from './compare-runs.ts';
import { type ComparisonTable, differenceTables, factsOf, undecidedTables, undecidedText } from './tables.ts';

/** `compare.md`: two runs side by side, for a pull request or a job summary. */
export function comparisonMarkdown(comparison: Comparison): string {
  const undecided = undecidedTables(comparison);
  const tables = (all: ComparisonTable[]) => all.flatMap((table) => tableLines(table, comparison.labels));
  return [
    `## ${markdown(sentenceOf(comparison))}`,
    '',
    ...comparison.caveats.map((caveat) => `> **${markdown(caveat)}**\n`),
    ...tables(differenceTables(comparison)),
    ...(undecided.length > 0
      ? [
          `<details><summary>${undecidedText(comparison)}</summary>`,
          '',
          ...tables(undecided),
          '</details>',
          '',
        ]
      : []),
    ...tables([factsOf(comparison)]),
  ].join('\n');
}

function tableLines({ id, title, rows }: ComparisonTable, labels: Comparison['labels']): string[] {
  const head = [id === 'runs' ? 'Fact' : 'Place', ...labels];
  const lines = [head.map(markdown), head.map(() => '---'), ...rows.map(cellsOf)];
  return [`### ${title}`, '', ...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
}

const cellsOf = ({ id, statement, sides }: Difference) => [
  [code(id), markdown(statement)].filter(Boolean).join(' '),
  ...sides.map(markdown),
];

const code = (text: string) => `\`${oneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;

/** Text of a file as text of a table cell: nothing in it is markup but pairs of backticks around names. */
function markdown(text: string): string {
  const parts = text.split('`');
  const isName = (index: number) => index % 2 === 1 && index < parts.length - 1;
  return parts.map((part, index) => (isName(index) ? code(part) : plain(part))).join('');
}

const plain = (text: string) =>
  oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[|\\>*_[\]#!]/g, '\\$&');

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ');
