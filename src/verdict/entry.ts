import { counted, number } from '../../schemas/counted.ts';
import type { Finding } from '../redact/observation.ts';
import { sweptText } from '../sweep/summary.ts';
import type { RequirementResult } from './evaluate.ts';

type Result = Omit<RequirementResult, 'kind' | 'place' | 'findings'>;

/** A requirement that is broken or deviates, as every output tells it: one entry, however many places show it. */
export interface BrokenEntry extends Result {
  /** Where the contract says so: "contract section 2.4 (MUST)". */
  section: string;
  first: Finding;
  others: Finding[];
  /** What else stood there, beside what the first finding says. */
  elsewhere: string[];
  /** "in 16 of 226 places, in 3 of 12 requests". */
  extent: string;
  reason: string;
}

/** What findings say of a verdict; undefined where none is of it. @param all of the requirement, or of the whole run */
export function entryOf(result: Result, all: Finding[]): BrokenEntry | undefined {
  const { address, level, source, reason = '' } = result;
  const findings = all.filter(({ kind, requirement }) => kind === result.verdict && requirement === address);
  const [first, ...others] = findings;
  if (!first) return undefined;
  const actuals = new Set(others.map(({ actual }) => actual).filter((text) => text !== first.actual));
  const section = `contract section ${source} (${level})`;
  const extent = extentText(findings, result);
  return { ...result, section, first, others, elsewhere: [...actuals], extent, reason };
}

/** The text of a broken requirement: what, where, how often, expected, actual, source, and how to see it again. */
export function failureText(result: Result, findings: Finding[]): string {
  const entry = entryOf(result, findings);
  const lines = (entry ? factsOf(entry) : []).flatMap(([name, texts]) =>
    texts.map((text, index) => `  ${(index === 0 ? name : '').padEnd(9)} ${text}`),
  );
  return lines.length > 0 ? `${result.statement}\n\n${lines.join('\n')}` : result.statement;
}

/** An entry fact by fact, in the order in which they are shown: the name of each, and a line for each thing it says. */
export function factsOf({ first, others, ...entry }: BrokenEntry): [name: string, lines: string[]][] {
  const { against, sent = [] } = first;
  const facts: [string, string[]][] = [
    ['operation', [entry.operation]],
    ['request', [first.exchange]],
    ['id', [first.id ?? '']],
    ['place', [placeInBody(first.pointer)]],
    ['expected', [first.expected]],
    ['actual', [first.actual]],
    ['elsewhere', entry.elsewhere.slice(0, 5)],
    ['how often', [entry.extent]],
    ['note', [entry.reason]],
    ['source', [entry.section]],
    // Of a rule between responses: the other one, and the order in which they were requested.
    ['against', against ? [placed(against), against.actual, against.id ? `id ${against.id}` : ''] : []],
    ['sent', sent.map((exchange, index) => `${index + 1}. ${exchange}`)],
    ['repeat', [first.repeat ?? '', against?.repeat ?? '']],
    // The first places in other requests; how many there are, `how often` says.
    ['also at', [...new Set(others.map(placed))].filter((text) => text !== placed(first)).slice(0, 5)],
  ];
  const said = facts.map(([name, lines]): [string, string[]] => [name, lines.filter(Boolean)]);
  return said.filter(([, lines]) => lines.length > 0);
}

/** A request, and the place in the body of its response. */
export const placed = ({ exchange, pointer }: Pick<Finding, 'exchange' | 'pointer'>): string =>
  `${exchange} ${placeInBody(pointer)}`.trimEnd();

/** How far what breaks a requirement reaches: "in 16 of 226 places, in 3 of 12 requests". No values. */
export function extentText(
  findings: Finding[],
  { exercised, requests, affected = 0, swept }: Result,
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
