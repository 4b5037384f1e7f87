import { counted, number } from '../../schemas/counted.ts';
import type { Finding } from '../redact/observation.ts';
import { sweptText } from '../sweep/summary.ts';
import type { RequirementResult } from './evaluate.ts';

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
  return `in ${number(broken)} of ${placesOf(Math.max(broken, exercised))}, in ${number(affected)} of ${counted(Math.max(affected, requests), 'request')}`;
}

/** A place in a body; empty of what is about no place in it. */
export const placeInBody = (pointer: string) => (pointer.startsWith('/') ? pointer : '');

/** "1 place", "1,007 places". */
export const placesOf = (count: number) => counted(count, 'place');
