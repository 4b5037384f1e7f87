import type { ProbeAnswer } from '../tests/probes/probe-answers.ts';
import type { Finding } from '../tests/redaction/observation.ts';
import { type Conformance, found } from './conformance.ts';
import { markdownText } from './markdown-text.ts';

/** How much of what the contract leaves open was answered, in one line. */
export function observedLine({ observed }: Conformance): string {
  const answered = observed.filter(({ confidence }) => confidence !== 'unknown').length;
  return `${answered} of ${observed.length} open questions answered`;
}

/** Each server error, one line. */
export const serverErrors = (conformance: Conformance): string[] =>
  found(conformance, 'server error').map(({ exchange, actual }) => `${exchange}: ${actual}`);

/** Each changed answer with the recorded one, one line. */
export const drifts = (conformance: Conformance): string[] => found(conformance, 'drift').map(drift);

const drift = ({ exchange, expected, actual }: Finding) => `${exchange}: was "${expected}", is "${actual}"`;

/** The answers as a Markdown table, folded away: they are many. */
export function observedTable(conformance: Conformance): string[] {
  const { observed } = conformance;
  if (observed.length === 0) return [];
  return [
    '### Observed behaviour',
    '',
    'What the contract leaves open, as this target answered it. Nobody has promised it.',
    '',
    `<details><summary>${observedLine(conformance)}</summary>`,
    '',
    '| section | question | answer | confidence |',
    '| --- | --- | --- | --- |',
    ...observed.map(row),
    '',
    '</details>',
    '',
  ];
}

function row({ section, question, answer, confidence, recorded }: ProbeAnswer): string {
  const before = recorded === undefined ? '' : ` (recorded: ${recorded})`;
  return `| ${[section, question, answer + before, confidence].map(markdownText).join(' | ')} |`;
}
