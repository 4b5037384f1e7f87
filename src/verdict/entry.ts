import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Finding } from '../redact/observation.ts';
import { describeShare } from '../sweep/summary.ts';
import type { RequirementResult } from './results.ts';

type SummarizedResult = Omit<RequirementResult, 'kind' | 'pointer' | 'findings'>;

/** Summary of the findings that led to a requirement's verdict: violations, known deviations or blocked requests. */
export interface FailureSummary extends SummarizedResult {
  /** Reference such as "contract section 2.4 (MUST)". */
  section: string;
  first: Finding;
  others: Finding[];
  /** Texts that `others` have in `actual`, such as `the string "Open"`, without duplicates and without the text of `first`. */
  elsewhere: string[];
  /** Text about how often the requirement failed, such as "in 16 of 226 places, in 3 of 12 requests". */
  extent: string;
  reason: string;
}

/**
 * Summarizes the findings that led to the verdict of a requirement. Returns undefined if there are no such findings, for example
 * if the verdict is `pass`.
 * @param allFindings findings to choose from. A finding is chosen if its `requirement` is the address of `result`, and its `kind`
 *   is the verdict of `result`.
 */
export function summarizeFailure(
  result: SummarizedResult,
  allFindings: Finding[],
): FailureSummary | undefined {
  const { address, level, source, verdict, reason = '' } = result;
  const findings = allFindings.filter(({ kind, requirement }) => kind === verdict && requirement === address);
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

/**
 * Formats a result as plain text. The text begins with the statement of the requirement. If the verdict comes from findings, facts
 * such as `  expected  a string` follow. Otherwise, the text is the statement alone.
 */
export function formatFailure(result: SummarizedResult, findings: Finding[]): string {
  const summary = summarizeFailure(result, findings);
  if (!summary) return result.statement;
  const formattedFacts = listFacts(summary).map(([name, lines]) => formatFact(name, lines));
  return `${result.statement}\n\n${formattedFacts.join('\n')}`;
}

function formatFact(name: string, lines: string[]): string {
  const formattedLines = lines.map((line, index) => {
    const margin = index === 0 ? name : '';
    return `  ${margin.padEnd(9)} ${line}`;
  });
  return formattedLines.join('\n');
}

/** Lists the facts of a failure, each with a name and lines: `['expected', ['a string']]`. Facts without text are left out. */
export function listFacts(summary: FailureSummary): [name: string, lines: string[]][] {
  const { first, others: otherFindings } = summary;
  // Two responses may contradict each other: `against` is the other one, and `sent` lists all requests that led to this finding.
  const { against, sent: requestTexts = [] } = first;
  // The reason of a blocked requirement is its `actual`, too.
  const note = summary.reason === first.actual ? '' : summary.reason;
  const otherPlaces = new Set(otherFindings.map(formatPlace));
  otherPlaces.delete(formatPlace(first));
  const facts: [string, string[]][] = [
    ['address', [summary.address]],
    ['request', [first.exchange]],
    ['id', [first.id ?? '']],
    ['place', [getBodyPlace(first.pointer)]],
    ['expected', [first.expected]],
    ['actual', [first.actual]],
    ['elsewhere', summary.elsewhere.slice(0, maxListedLines)],
    ['how often', [summary.extent]],
    ['note', [note]],
    ['source', [summary.section]],
    ['against', against ? describeContradictingResponse(against) : []],
    ['sent', requestTexts.map((exchange, index) => `${index + 1}. ${exchange}`)],
    ['repeat', [first.repeat ?? '', against?.repeat ?? '']],
    ['also at', [...otherPlaces].slice(0, maxListedLines)],
  ];
  const nonEmptyFacts: typeof facts = [];
  for (const [name, lines] of facts) {
    const nonEmptyLines = lines.filter(Boolean);
    if (nonEmptyLines.length > 0) nonEmptyFacts.push([name, nonEmptyLines]);
  }
  return nonEmptyFacts;
}

const describeContradictingResponse = (response: NonNullable<Finding['against']>): string[] => [
  formatPlace(response),
  response.actual,
  response.id ? `id ${response.id}` : '',
];

const maxListedLines = 5;

export const formatPlace = ({ exchange, pointer }: Pick<Finding, 'exchange' | 'pointer'>): string =>
  `${exchange} ${getBodyPlace(pointer)}`.trimEnd();

/**
 * Formats how often a requirement failed: "in 16 of 226 places, in 3 of 12 requests". If each request has one place, returns only
 * "in 3 of 12 requests". If a sweep found records that fail, returns their share instead: "by 23 of 950 customers (2.4 %)".
 */
export function formatExtent(
  findings: Finding[],
  {
    verdict,
    exercised: judgedPlaces,
    requests: judgedRequests,
    affected: failedRequests = 0,
    swept: sweptShare,
  }: SummarizedResult,
): string {
  if (sweptShare && sweptShare.broken > 0) return `by ${describeShare(sweptShare)}`;
  // Judged requests do not include blocked ones.
  if (verdict === 'blocked') return formatShare(failedRequests, failedRequests + judgedRequests, 'request');
  const brokenPlaces = sumPlaces(findings);
  // Some requests and places with a finding are not counted as judged. Without `Math.max`, the text might be "in 3 of 2 requests".
  const requestsText = formatShare(failedRequests, Math.max(failedRequests, judgedRequests), 'request');
  const placesText = formatShare(brokenPlaces, Math.max(brokenPlaces, judgedPlaces), 'place');
  const hasOnePlacePerRequest = brokenPlaces === failedRequests && judgedPlaces === judgedRequests;
  return hasOnePlacePerRequest ? requestsText : `${placesText}, ${requestsText}`;
}

export const sumPlaces = (findings: Pick<Finding, 'places'>[]): number =>
  findings.reduce((sum, { places = 1 }) => sum + places, 0);

const formatShare = (part: number, total: number, noun: string): string =>
  `in ${formatNumber(part)} of ${formatCount(total, noun)}`;

/**
 * Returns the place in the response body to which a finding's `pointer` refers, such as `/data/card/id`. Returns `''` for the whole
 * body, and for the pointers `http` and `request`, which refer to no place in the body.
 */
export const getBodyPlace = (pointer: string): string => (pointer.startsWith('/') ? pointer : '');
