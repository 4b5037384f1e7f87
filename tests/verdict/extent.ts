import { counted, number } from '../../schemas/counted.ts';
import type { Finding } from '../redaction/observation.ts';
import type { SweptShare } from '../sweep/results/result.ts';
import { sweptText } from './swept.ts';

/** A requirement of which something was found; reports of version 1 do not say in how many requests it was judged. */
interface Found {
  exercised: number;
  requests?: number;
  affected?: number;
  swept?: SweptShare;
}

/** How far what breaks a requirement reaches: "in 16 of 226 places, in 3 of 12 requests". No values. */
export function extentText(
  findings: Pick<Finding, 'exchange' | 'places'>[],
  { exercised, requests, affected, swept }: Found,
): string {
  const found = affected ?? new Set(findings.map(({ exchange }) => exchange)).size;
  const broken = findings.reduce((sum, { places = 1 }) => sum + places, 0);
  const places = `in ${number(broken)} of ${placesOf(Math.max(broken, exercised))}, in ${requestsText(found, requests)}`;
  return swept && swept.broken > 0 ? `by ${sweptText(swept)}; ${places}` : places;
}

const requestsText = (count: number, total: number | undefined) =>
  total === undefined
    ? counted(count, 'request')
    : `${number(count)} of ${counted(Math.max(count, total), 'request')}`;

/** A place in a body; empty of what is about no place in it. */
export const placeInBody = (pointer: string) => (pointer.startsWith('/') ? pointer : '');

/** "1 place", "1,007 places". */
export const placesOf = (count: number) => counted(count, 'place');
