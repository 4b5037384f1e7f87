import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Finding } from '../redact/observation.ts';
import { describeShare } from '../sweep/summary.ts';
import type { RequirementResult } from './results.ts';

type SummarizedResult = Omit<RequirementResult, 'kind' | 'pointer' | 'findings'>;

/** Summary of a violated, deviating or blocked requirement, as the terminal, Markdown and pages show it. */
export interface FailureSummary extends SummarizedResult {
  /** Reference such as "contract section 2.4 (MUST)". */
  section: string;
  first: Finding;
  others: Finding[];
  /** Received values, such as `the string "Open"`, of the findings after the first, if they differ from its value. */
  elsewhere: string[];
  extent: string;
  reason: string;
}

/** Summarizes the findings that gave a requirement its verdict. Undefined without such findings, as for `pass`. */
export function summarizeFailure(
  result: SummarizedResult,
  allFindings: Finding[],
): FailureSummary | undefined {
  const { address, level, source, reason = '' } = result;
  const findings = allFindings.filter(
    ({ kind, requirement }) => kind === result.verdict && requirement === address,
  );
  const [first, ...otherFindings] = findings;
  if (!first) return undefined;
  const otherValues = otherFindings.map(({ actual }) => actual).filter((actual) => actual !== first.actual);
  return {
    ...result,
    section: `contract section ${source} (${level})`,
    first,
    others: otherFindings,
    elsewhere: [...new Set(otherValues)],
    extent: formatExtent(findings, result),
    reason,
  };
}

/** Formats a failed requirement for the terminal: its statement, a blank line, and facts such as `  expected  a string`. */
export function formatFailure(result: SummarizedResult, findings: Finding[]): string {
  const summary = summarizeFailure(result, findings);
  if (!summary) return result.statement;
  const formattedLines = listFacts(summary).flatMap(([name, factLines]) =>
    // The first line of a fact begins with its name, further lines with as many blanks.
    factLines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(9)} ${line}`),
  );
  return `${result.statement}\n\n${formattedLines.join('\n')}`;
}

export function listFacts({
  first,
  others: otherFindings,
  ...summary
}: FailureSummary): [name: string, lines: string[]][] {
  const { against, sent: requestTexts = [] } = first;
  const facts: [string, string[]][] = [
    ['operation', [summary.operation]],
    ['request', [first.exchange]],
    ['id', [first.id ?? '']],
    ['place', [getBodyPlace(first.pointer)]],
    ['expected', [first.expected]],
    ['actual', [first.actual]],
    ['elsewhere', summary.elsewhere.slice(0, 5)],
    ['how often', [summary.extent]],
    // The reason of a blocked requirement already stands at `actual`.
    ['note', [summary.reason === first.actual ? '' : summary.reason]],
    ['source', [summary.section]],
    // For a rule between responses: the other response, and the order of the requests.
    ['against', against ? [formatPlace(against), against.actual, against.id ? `id ${against.id}` : ''] : []],
    ['sent', requestTexts.map((exchange, index) => `${index + 1}. ${exchange}`)],
    ['repeat', [first.repeat ?? '', against?.repeat ?? '']],
    // First places in other requests; `how often` has their number.
    [
      'also at',
      [...new Set(otherFindings.map(formatPlace))].filter((text) => text !== formatPlace(first)).slice(0, 5),
    ],
  ];
  const nonEmptyFacts = facts.map(([name, lines]): [string, string[]] => [name, lines.filter(Boolean)]);
  return nonEmptyFacts.filter(([, lines]) => lines.length > 0);
}

export const formatPlace = ({ exchange, pointer }: Pick<Finding, 'exchange' | 'pointer'>): string =>
  `${exchange} ${getBodyPlace(pointer)}`.trimEnd();

/**
 * Formats how often a requirement failed: "in 16 of 226 places, in 3 of 12 requests". A place is one value in a response. With a
 * sweep, counts records instead: "by 23 of 950 customers (2.4 %)".
 */
export function formatExtent(
  findings: Finding[],
  { verdict, exercised: judgedPlaces, requests: judgedRequests, affected = 0, swept }: SummarizedResult,
): string {
  if (swept && swept.broken > 0) return `by ${describeShare(swept)}`;
  const formatRequests = (total: number) =>
    `in ${formatNumber(affected)} of ${formatCount(total, 'request')}`;
  // Blocked requests are not among the judged requests.
  if (verdict === 'blocked') return formatRequests(affected + judgedRequests);
  // Findings may outnumber the judged requests and places.
  const inRequests = formatRequests(Math.max(affected, judgedRequests));
  const brokenPlaces = findings.reduce((sum, { places = 1 }) => sum + places, 0);
  const hasOnePlacePerRequest = brokenPlaces === affected && judgedPlaces === judgedRequests;
  if (hasOnePlacePerRequest) return inRequests;
  const placeCount = Math.max(brokenPlaces, judgedPlaces);
  return `in ${formatNumber(brokenPlaces)} of ${formatCount(placeCount, 'place')}, ${inRequests}`;
}

/** Returns a JSON Pointer into the body unchanged. Empty for `http` and `request`, which stand for no place in the body. */
export const getBodyPlace = (pointer: string) => (pointer.startsWith('/') ? pointer : '');
