import { placeInBody } from '../src/verdict/failure-text.ts';
import { boundText, originMark, verdictSentence } from '../src/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';
import {
  answerText,
  type BrokenEntry,
  basisOf,
  circumstances,
  countsLine,
  deviationText,
  observedLine,
  type Style,
  sectionsOf,
  versionsLine,
} from './lines.ts';
import { markdownCode as code, markdownTable, markdownText as text } from './markdown-text.ts';

const badges = { pass: '✅ pass', fail: '❌ fail', error: '⚠️ error' };

const style: Style<string> = {
  named: 5,
  code,
  text,
  violation({ address, statement, section, extent, first, says, reason }) {
    const lines = [
      `**${code(address)}**: ${text(`${statement} (${section})`)}`,
      `${extent}; first ${placed(first)}`,
      text(says),
      text(reason),
      first.id && `id of the request ${code(first.id)}`,
      first.repeat && code(first.repeat),
      ...againstLines(first),
    ];
    return lines.filter(Boolean).join('  \n  ');
  },
  deviation: (entry) => text(deviationText(entry, code)),
};

/** `conformance.md`: one screen, for a pull request or a job summary. */
export function markdownOf(run: Conformance): string {
  const { target, verdict, coverage } = run;
  const sections = sectionsOf(run, style);
  const bound = boundText(run.requirements);
  return [
    `## ${badges[verdict]}${originMark(run)} · lookup API conformance of ${text(target)}`,
    '',
    `**${text(verdictSentence(run))}**`,
    '',
    `${countsLine(run)}; ${text(basisOf(run))}, ${coverage.nodes.percentage} % of schema nodes exercised; ${circumstances(run)}; ${text(versionsLine(run))}.`,
    '',
    ...(bound ? [text(bound), ''] : []),
    ...sections.flatMap(([title, items]) => [
      `### ${text(title)}`,
      '',
      ...items.map((item) => `- ${item}`),
      '',
    ]),
    ...observedTable(run),
  ].join('\n');
}

/** A place of a body and its request, or the request alone. */
const placed = ({ pointer, exchange }: { pointer: string; exchange: string }) =>
  [placeInBody(pointer), exchange].filter(Boolean).map(code).join(' of ');

/** Of a rule between responses: the other side, how to see it, and the order of the requests. */
const againstLines = ({ against, sent = [] }: BrokenEntry['first']): string[] =>
  against
    ? [
        `against ${placed(against)}: ${text(against.actual)}`,
        code(against.repeat),
        `sent in this order: ${sent.map(code).join(', ')}`,
      ]
    : [];

/** The answers to what the contract leaves open. */
function observedTable(run: Conformance): string[] {
  const rows = run.observed.map((one) => {
    const { section, question, confidence, recorded } = one;
    const before = recorded === undefined ? '' : ` (recorded: ${recorded})`;
    return [section, question, answerText(one) + before, confidence].map(text);
  });
  if (rows.length === 0) return [];
  return [
    '### Observed behaviour',
    '',
    'What the contract leaves open, as this target answered it. Nobody has promised it.',
    '',
    `<details><summary>${observedLine(run)}</summary>`,
    '',
    ...markdownTable(['section', 'question', 'answer', 'confidence'], rows),
    '</details>',
    '',
  ];
}
