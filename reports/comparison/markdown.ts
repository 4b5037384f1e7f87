import { markdownName, markdownText } from '../markdown-text.ts';
import { type Comparison, type Difference, sentenceOf } from './compare-runs.ts';
import { type ComparisonTable, differenceTables, factsOf, undecidedTables, undecidedText } from './tables.ts';

/** `compare.md`: two runs side by side, for a pull request or a job summary. */
export function comparisonMarkdown(comparison: Comparison): string {
  const undecided = undecidedTables(comparison);
  const tables = (all: ComparisonTable[]) => all.flatMap((table) => tableLines(table, comparison.labels));
  return [
    `## ${markdownText(sentenceOf(comparison))}`,
    '',
    ...comparison.caveats.map((caveat) => `> **${markdownText(caveat)}**\n`),
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
  const lines = [head.map(markdownText), head.map(() => '---'), ...rows.map(cellsOf)];
  return [`### ${title}`, '', ...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
}

const cellsOf = ({ id, statement, sides }: Difference) => [
  [markdownName(id), markdownText(statement)].filter(Boolean).join(' '),
  ...sides.map(markdownText),
];
