import { counted, number } from '../../schemas/counted.ts';
import type { Finding } from '../redact/observation.ts';
import { sweptText } from '../sweep/summary.ts';
import type { RequirementResult } from './evaluate.ts';

type Broken = Omit<RequirementResult, 'kind' | 'place'>;

/** One fact on a broken requirement: its name, and a line for each thing it says. */
export type Fact = [name: string, lines: string[]];

/** The text of a broken requirement: what, where, how often, expected, actual, source, and how to see it again. */
export function failureText(result: Broken): string {
  const lines = failureFacts(result).flatMap(([name, texts]) =>
    texts.map((text, index) => `  ${(index === 0 ? name : '').padEnd(9)} ${text}`),
  );
  return lines.length > 0 ? `${result.statement}\n\n${lines.join('\n')}` : result.statement;
}

/** The same, fact by fact, in the order in which they are shown; none without a violation. */
export function failureFacts(result: Broken): Fact[] {
  const { operation, level, source, reason = '' } = result;
  const findings = result.findings.filter(({ kind }) => kind === 'violation');
  const [first, ...others] = findings;
  if (!first) return [];
  const { against, sent = [] } = first;
  const actuals = new Set(others.map(({ actual }) => actual).filter((text) => text !== first.actual));
  const facts: Fact[] = [
    ['operation', [operation]],
    ['request', [first.exchange]],
    ['id', [first.id ?? '']],
    ['place', [placeInBody(first.pointer)]],
    ['expected', [first.expected]],
    ['actual', [first.actual]],
    ['elsewhere', [...actuals].slice(0, 5)],
    ['extent', [extentText(findings, result)]],
    ['note', [reason]],
    ['source', [`contract section ${source} (${level})`]],
    // Of a rule between responses: the other one, and the order in which they were requested.
    ['against', against ? [placed(against), against.actual, against.id ? `id ${against.id}` : ''] : []],
    ['sent', sent.map((exchange, index) => `${index + 1}. ${exchange}`)],
    ['repeat', [first.repeat ?? '', against?.repeat ?? '']],
    // The first places in other requests; how many there are, the extent says.
    ['also at', others.slice(0, 5).map(placed)],
  ];
  const said = facts.map(([name, lines]): Fact => [name, lines.filter(Boolean)]);
  return said.filter(([, lines]) => lines.length > 0);
}

/** A request, and the place in the body of its response. */
const placed = ({ exchange, pointer }: Pick<Finding, 'exchange' | 'pointer'>) =>
  `${exchange} ${placeInBody(pointer)}`.trimEnd();

/** How far what breaks a requirement reaches: "in 16 of 226 places, in 3 of 12 requests". No values. */
export function extentText(
  findings: Pick<Finding, 'places'>[],
  {
    exercised,
    requests,
    affected = 0,
    swept,
  }: Pick<RequirementResult, 'exercised' | 'requests' | 'affected' | 'swept'>,
): string {
  // Of a sweep, records are what a reader counts in.
  if (swept && swept.broken > 0) return `by ${sweptText(swept)}`;
  const broken = findings.reduce((sum, { places = 1 }) => sum + places, 0);
  const inRequests = `in ${number(affected)} of ${counted(Math.max(affected, requests), 'request')}`;
  // Each response has one such place.
  if (broken === affected && exercised === requests) return inRequests;
  return `in ${number(broken)} of ${counted(Math.max(broken, exercised), 'place')}, ${inRequests}`;
}

/** A place in a body; empty of what is about no place in it. */
export const placeInBody = (pointer: string) => (pointer.startsWith('/') ? pointer : '');
