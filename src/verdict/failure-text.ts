import type { Finding } from '../redact/observation.ts';
import type { RequirementResult } from './evaluate.ts';
import { extentText, placeInBody } from './swept.ts';

type Broken = Omit<RequirementResult, 'kind' | 'place'>;

/** The text of a broken requirement: what, where, how often, expected, actual, source, and how to see it again. */
export function failureText(result: Broken): string {
  const { statement, operation, level, source, reason = '' } = result;
  const [first, ...others] = result.findings.filter(({ kind }) => kind === 'violation');
  if (!first) return statement;
  const lines: [string, string][] = [
    ['operation', operation],
    ['request', first.exchange],
    ['id', first.id ?? ''],
    ['place', placeInBody(first.pointer)],
    ['expected', first.expected],
    ['actual', first.actual],
    ['extent', extentText([first, ...others], result)],
    ['note', reason],
    ['source', `contract section ${source} (${level})`],
    ['repeat', first.repeat ?? ''],
    ...otherSide(first),
    ...alsoAt(others),
  ];
  const shown = lines.filter(([, text]) => text !== '');
  return `${statement}\n\n${shown.map(([name, text]) => `  ${name.padEnd(9)} ${text}`).join('\n')}`;
}

/** Of a rule between responses: the other one, and the order in which they were requested. */
function otherSide({ against, sent = [] }: Finding): [string, string][] {
  if (!against) return [];
  return [
    ['against', `${against.exchange} ${against.pointer}`],
    ['', against.actual],
    ['id', against.id ?? ''],
    ['repeat', against.repeat],
    ...sent.map((exchange, index): [string, string] => [
      index === 0 ? 'sent' : '',
      `${index + 1}. ${exchange}`,
    ]),
  ];
}

/** The first places in other requests; how many there are, the extent says. */
const alsoAt = (others: Finding[]): [string, string][] =>
  others
    .slice(0, 5)
    .map(({ exchange, pointer }, index) => [
      index === 0 ? 'also at' : '',
      `${exchange} ${placeInBody(pointer)}`.trimEnd(),
    ]);
