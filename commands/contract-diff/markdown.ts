import { markdownName, markdownText } from '../../reports/markdown-text.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import { counted } from '../../schemas/counted.ts';
import type { Direction } from './change.ts';
import type { ContractDiff } from './compare.ts';
import type { ChangedRequirement } from './requirements.ts';

/** What a change of the contract means, as Markdown for a pull request. */
export const diffMarkdown = (diff: ContractDiff): string =>
  [
    `## What this change of the contract means, against ${markdownName(diff.ref)}`,
    '',
    `**${summaryOf(diff)}**`,
    '',
    ...requirementLines(diff),
    ...misfitLines(diff),
    ...replayLines(diff),
    ...documentLines(diff),
  ].join('\n');

function requirementLines(diff: ContractDiff): string[] {
  const { renamed, added, removed } = diff;
  const item = (requirement: Requirement) => requirementLine(diff, requirement);
  const directions = Object.entries(titles) as [Direction, string][];
  return [
    ...list('Operations under another name', renamed.map(renamedLine)),
    ...directions.flatMap(([direction, title]) =>
      list(
        title,
        changedIn(diff, direction).map((one) => changedLine(diff, one)),
      ),
    ),
    ...list('New requirements', added.map(item)),
    ...list('Requirements that are gone', removed.map(item)),
  ];
}

const renamedLine = ({ before, now, requirements }: ContractDiff['renamed'][number]) =>
  markdownText(
    `\`${before}\` is \`${now}\` now: the addresses of its ${requirements} requirements change, and with them filters, history and ledger`,
  );

/** What was written for the contract as it was. */
const misfitLines = ({ ledger, recorded }: ContractDiff): string[] => [
  ...list(
    'Entries of the ledger that do not fit',
    ledger.map((one) =>
      markdownText(`spec/ledger.yaml, line ${one.line}, \`${one.requirement}\`: ${one.says}`),
    ),
  ),
  ...list(
    'Recorded answers that do not fit',
    recorded.map((one) => markdownText(`${one.file}: ${one.says}`)),
  ),
];

/** Headings, in the order in which they are listed. */
const titles: Record<Direction, string> = {
  stricter: 'Stricter: a provider that was right may be wrong now',
  looser: 'Looser: what was a violation may be right now',
  changed: 'Changed: neither stricter nor looser for certain',
};

function summaryOf(diff: ContractDiff): string {
  const { added, removed, renamed, reworded } = diff;
  const count = (direction: Direction) => changedIn(diff, direction).length;
  const parts: [number, string][] = [
    [added.length, 'new'],
    [removed.length, 'gone'],
    [count('stricter'), 'stricter'],
    [count('looser'), 'looser'],
    [count('changed'), 'changed'],
    [reworded, 'only worded differently'],
  ];
  const said = parts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  const operations = renamed.length > 0 ? [`${counted(renamed.length, 'operation')} renamed`] : [];
  return said.length + operations.length > 0
    ? `Requirements: ${[...operations, ...said].join(', ')}.`
    : 'No requirement has changed.';
}

const changedIn = ({ changed }: ContractDiff, direction: Direction) =>
  changed.filter((one) => one.direction === direction);

const requirementLine = (diff: ContractDiff, { address, level, statement }: Requirement) =>
  markdownText(`\`${address}\` (${level}): ${statement}`) + inRun(diff, address);

const changedLine = (diff: ContractDiff, { requirement, steps }: ChangedRequirement) =>
  markdownText(`\`${requirement.address}\`: ${steps.map(({ says }) => says).join('; ')}`) +
  inRun(diff, requirement.address);

/** What a run says of a requirement, if there is one. */
function inRun({ run }: ContractDiff, address: string): string {
  const found = run?.requirements.find((one) => one.address === address);
  return found ? ` _(${found.verdict} in the run on ${markdownText(run?.target ?? '')})_` : '';
}

const list = (title: string, items: string[]) =>
  items.length > 0 ? [`### ${title} (${items.length})`, '', ...items.map((item) => `- ${item}`), ''] : [];

function replayLines({ replayed }: ContractDiff): string[] {
  if (!replayed) return [];
  const { answers, verdicts, broken } = replayed;
  const lines = [
    ...broken.map((sentence) => `- ${markdownText(sentence)}`),
    ...(broken.length > 0 ? [''] : []),
  ];
  if (verdicts.length === 0)
    return [`### The same ${counted(answers, 'recorded answer')}`, '', ...lines, 'No verdict changes.', ''];
  return [
    `### Verdicts that change on the same ${counted(answers, 'recorded answer')} (${verdicts.length})`,
    '',
    ...lines,
    '| requirement | before | now |',
    '| --- | --- | --- |',
    ...verdicts.map(({ address, before, now }) => `| ${markdownName(address)} | ${before} | ${now} |`),
    '',
  ];
}

/** Changes of the document that are listed; the others are counted. */
const shown = 30;

function documentLines({ document }: ContractDiff): string[] {
  const title = 'The document, as `redocly diff` rates it for clients';
  if (!document)
    return [`### ${title}`, '', 'It could not be compared: run `npx redocly diff` to see why.', ''];
  if (document.length === 0) return [];
  const rest = document.length - shown;
  const items = document
    .slice(0, shown)
    .map((one) => markdownText(`${one.impact}: ${one.kind} \`${one.place}\``));
  const more = rest > 0 ? [`and ${rest} more`] : [];
  return [
    `<details><summary>${title.replaceAll('`', '')} (${document.length})</summary>`,
    '',
    ...[...items, ...more].map((item) => `- ${item}`),
    '',
    '</details>',
    '',
  ];
}
