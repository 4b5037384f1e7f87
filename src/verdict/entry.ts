import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { Finding } from '../redact/observation.ts';
import { describeShare } from '../sweep/summary.ts';
import type { RequirementResult } from './results.ts';

type SummarizedResult = Omit<RequirementResult, 'kind' | 'place' | 'findings'>;

/** Summary of a violated, deviating or blocked requirement, for every output: one entry, however many places are affected. */
export interface FailureSummary extends SummarizedResult {
  /** Section of the contract, such as "contract section 2.4 (MUST)". */
  section: string;
  first: Finding;
  others: Finding[];
  /** Received values in other findings that differ from the first. */
  elsewhere: string[];
  /** Extent, such as "in 16 of 226 places, in 3 of 12 requests". */
  extent: string;
  reason: string;
}

/**
 * Summarizes the findings of a verdict; undefined if there are none. @param allFindings findings of the requirement, or of the
 * whole run
 */
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
  const actuals = new Set(otherFindings.map(({ actual }) => actual).filter((text) => text !== first.actual));
  const section = `contract section ${source} (${level})`;
  const extent = formatExtent(findings, result);
  return { ...result, section, first, others: otherFindings, elsewhere: [...actuals], extent, reason };
}

/** Formats a violated or blocked requirement: what, where, how often, expected, actual, source, and how to repeat the request. */
export function formatFailure(result: SummarizedResult, findings: Finding[]): string {
  const summary = summarizeFailure(result, findings);
  const lines = (summary ? listFacts(summary) : []).flatMap(([name, texts]) =>
    texts.map((text, index) => `  ${(index === 0 ? name : '').padEnd(9)} ${text}`),
  );
  return lines.length > 0 ? `${result.statement}\n\n${lines.join('\n')}` : result.statement;
}

/** Lists the facts of a failure in the order of display, each with a name and its lines. */
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
    // The reason of a blocked requirement is what was received.
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

/** Formats a request with the place in the body of its response. */
export const formatPlace = ({ exchange, pointer }: Pick<Finding, 'exchange' | 'pointer'>): string =>
  `${exchange} ${getBodyPlace(pointer)}`.trimEnd();

/**
 * Formats the extent of a violation, such as "in 16 of 226 places, in 3 of 12 requests". Contains no values. Blocked requests are
 * not among those that exercise the requirement.
 */
export function formatExtent(
  findings: Finding[],
  { verdict, exercised, requests, affected = 0, swept: sweepShare }: SummarizedResult,
): string {
  // A sweep counts records, not places.
  if (sweepShare && sweepShare.broken > 0) return `by ${describeShare(sweepShare)}`;
  if (verdict === 'blocked')
    return `in ${formatNumber(affected)} of ${formatCount(affected + requests, 'request')}`;
  const broken = findings.reduce((sum, { places = 1 }) => sum + places, 0);
  const inRequests = `in ${formatNumber(affected)} of ${formatCount(Math.max(affected, requests), 'request')}`;
  // One place in each response.
  if (broken === affected && exercised === requests) return inRequests;
  return `in ${formatNumber(broken)} of ${formatCount(Math.max(broken, exercised), 'place')}, ${inRequests}`;
}

/** Returns a pointer if it leads into the body; empty for `http` and `request`. */
export const getBodyPlace = (pointer: string) => (pointer.startsWith('/') ? pointer : '');
