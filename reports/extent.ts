import type { Conformance, ReportedRequirement } from './conformance.ts';

/** How far what breaks a requirement reaches: "in 16 of 226 places, in 3 requests". No values. */
export function extentOf({ findings }: Conformance, result: ReportedRequirement): string {
  const own = findings.filter(
    ({ kind, requirement }) => kind === result.verdict && requirement === result.address,
  );
  const requests = new Set(own.map(({ exchange }) => exchange)).size;
  const broken = own.reduce((sum, { places = 1 }) => sum + places, 0);
  const total = Math.max(broken, result.exercised);
  return `in ${broken} of ${placesOf(total)}, in ${requests} ${requests === 1 ? 'request' : 'requests'}`;
}

/** "1 place", "7 places". */
export const placesOf = (count: number) => `${count} ${count === 1 ? 'place' : 'places'}`;
