import type { Finding } from '../tests/client/observation.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';

/** How far what breaks a requirement reaches: "in 16 of 226 places, in 3 of 12 requests". No values. */
export function extentOf(conformance: Conformance, result: ReportedRequirement): string {
  const own = findingsOf(conformance, result.address, result.verdict);
  const requests = result.affected ?? new Set(own.map(({ exchange }) => exchange)).size;
  const broken = own.reduce((sum, { places = 1 }) => sum + places, 0);
  const total = Math.max(broken, result.exercised);
  return `in ${broken} of ${placesOf(total)}, in ${requestsText(requests, result.requests)}`;
}

/** Findings of one kind of one requirement. */
export const findingsOf = ({ findings }: Conformance, address: string, kind: string): Finding[] =>
  findings.filter((finding) => finding.kind === kind && finding.requirement === address);

/** Reports of version 1 do not say of how many. */
const requestsText = (count: number, total: number | undefined) =>
  total === undefined
    ? counted(count, 'request')
    : `${count} of ${counted(Math.max(count, total), 'request')}`;

/** "1 place", "7 places". */
export const placesOf = (count: number) => counted(count, 'place');

const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`;
