import { counted, number } from '../../schemas/counted.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { type SweepResult, type SweptShare, sharesOf, sweptText } from '../sweep/summary.ts';
import type { RequirementResult } from './evaluate.ts';

/**
 * Results with what sweeps say of how many records break them.
 * @param resolved all observations, as `resolveRejections` leaves them: only so a rejection is that of an identifier
 */
export const withSwept = (
  results: RequirementResult[],
  sweeps: SweepResult[],
  resolved: Observation[],
): RequirementResult[] => {
  const ofFiles = resolved.filter(({ swept, configured, again }) => swept && configured && !again);
  const shares = sweeps.map((sweep) => ({ operation: sweep.operation, shares: sharesOf(sweep) }));
  return results.map((result) => {
    const own = shares.filter(({ operation }) => operation === result.operation);
    const share = own.map((one) => one.shares[result.address]).find((one) => one !== undefined);
    return share ? { ...result, swept: withRejected(share, result, ofFiles) } : result;
  });
};

/** Whether an identifier was rejected, and what for, is known only beside the others of its file. */
function withRejected(
  share: SweptShare,
  { kind, operation, address }: RequirementResult,
  ofFiles: Observation[],
) {
  const own = ofFiles.filter((one) => one.operation === operation);
  if (own.length === 0 || (kind !== 'status' && kind !== 'parameter')) return share;
  const judged = own.reduce((sum, one) => sum + (one.exercised[address]?.requests ?? 0), 0);
  const broken = own.reduce((sum, one) => sum + (one.affected[address]?.violation ?? 0), 0);
  return { ...share, judged, broken };
}

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
