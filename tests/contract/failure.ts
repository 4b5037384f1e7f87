import type { Finding } from '../client/observation.ts';
import type { RequirementResult } from '../verdict/evaluate.ts';

/** The text of a failed requirement: what, where, expected, actual, source, and how to see it again. */
export function failureText({ statement, operation, level, source, findings }: RequirementResult): string {
  const violations = findings.filter(({ kind }) => kind === 'violation');
  const [first, ...others] = violations;
  if (!first) return statement;
  const lines: [string, string][] = [
    ['operation', operation],
    ['request', first.exchange],
    ['place', placeOf(first)],
    ['expected', first.expected],
    ['actual', first.actual],
    ['source', `contract section ${source} (${level})`],
    ['repeat', first.repeat ?? ''],
  ];
  const body = lines.map(([name, text]) => `  ${name.padEnd(9)} ${text}`).join('\n');
  return `${statement}\n\n${body}${elsewhere(others)}`;
}

function elsewhere(others: Finding[]): string {
  if (others.length === 0) return '';
  const shown = others.slice(0, 5).map((other) => `\n            ${other.exchange} ${placeOf(other)}`);
  const rest = others.slice(5).reduce((sum, { places = 1 }) => sum + places, 0);
  const more = rest > 0 ? `\n            and ${rest} more` : '';
  return `\n  also at  ${shown.join('')}${more}`;
}

const placeOf = ({ pointer, places = 1 }: Finding) => pointer + (places > 1 ? ` and ${places - 1} more` : '');

/** An error whose text is all that is shown of it. */
export class BrokenRequirement extends Error {
  override name = 'BrokenRequirement';

  constructor(text: string) {
    super(text);
    this.stack = text;
  }
}
