import type { Finding } from '../client/observation.ts';
import type { Standing } from '../verdict/standing.ts';

/** The text of a failed requirement: what, where, expected, actual, source, and how to see it again. */
export function failureText({ statement, operation, level, source, findings }: Standing): string {
  const violations = findings.filter(({ kind }) => kind === 'violation');
  const [first, ...others] = violations;
  if (!first) return statement;
  const lines: [string, string][] = [
    ['operation', operation],
    ['request', first.exchange],
    ['place', first.pointer],
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
  const shown = others.slice(0, 5).map(({ exchange, pointer }) => `\n            ${exchange} ${pointer}`);
  const more = others.length > 5 ? `\n            and ${others.length - 5} more` : '';
  return `\n  also at  ${shown.join('')}${more}`;
}

/** An error whose text is all that is shown of it. */
export class BrokenRequirement extends Error {
  override name = 'BrokenRequirement';

  constructor(text: string) {
    super(text);
    this.stack = text;
  }
}
