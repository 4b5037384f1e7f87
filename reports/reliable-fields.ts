import type { Contract } from '../schemas/contract/contract.ts';
import { formatAddress, getCoverageStates, listNodes, type Node } from '../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../schemas/counted.ts';
import { formatUpperBound } from '../src/sweep/summary.ts';
import type { Coverage } from '../src/verdict/coverage.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Optional field that no response and no swept record of the run lacked. */
export interface ReliableField {
  address: string;
  places: number;
  /**
   * Number of records, if a sweep judged the field. Otherwise the number of responses.
   * Records in one response are often alike, so outside of a sweep they count as one sample.
   */
  samples: number;
  sampled: 'records' | 'responses';
  /** Greatest share (0 to 1) of all records or responses that may lack the field, with 95 % confidence. */
  upperBound: number;
}

interface JudgedRun {
  coverage: Pick<Coverage, 'seen'>;
  requirements: Pick<RequirementResult, 'address' | 'requests' | 'swept'>[];
  requestsMade: Pick<RequestMade, 'operation' | 'again'>[];
}

/** Lists the optional fields that were always present, in enough samples to be of interest. */
export function listReliableFields(contract: Pick<Contract, 'operations'>, run: JudgedRun): ReliableField[] {
  const nodes = contract.operations.flatMap(listNodes);
  const fields = nodes.flatMap((node) => computeReliability(node, run) ?? []);
  // With up to three samples, the upper bound is 1 (rule of three), which says nothing.
  return fields.filter(({ upperBound }) => upperBound < 1);
}

/**
 * Numerator of the rule of three: if none of n samples lacks a field, at most 3 / n of all lack it, with 95 %
 * confidence.
 */
const ruleOfThree = 3;

/** Returns undefined for a required field, and for a field that was absent anywhere or never present. */
function computeReliability(node: Node, run: JudgedRun): ReliableField | undefined {
  const { presence: presenceKeys } = getCoverageStates(node);
  const isRequired = presenceKeys === undefined;
  if (isRequired) return undefined;
  const address = formatAddress(node.operation, node.pointer);
  const requirement = run.requirements.find((candidate) => candidate.address === address);
  const presentCount = run.coverage.seen[presenceKeys.presentState] ?? 0;
  const absentCount = run.coverage.seen[presenceKeys.absentState] ?? 0;
  if (!requirement || presentCount === 0 || absentCount > 0) return undefined;
  const { swept: sweepShare } = requirement;
  const sampleCount = sweepShare
    ? sweepShare.judged
    : countDistinctResponses(run, node.operation, requirement);
  const samples = Math.min(presentCount, sampleCount);
  // If a sweep drew whole pages and not single records, its own bound is greater than that of the rule of three.
  const boundOfSweep = sweepShare?.upperBound ?? 0;
  const upperBound = Math.min(1, Math.max(ruleOfThree / samples, boundOfSweep));
  const sampled = sweepShare ? 'records' : 'responses';
  return { address, places: presentCount, samples, sampled, upperBound };
}

function countDistinctResponses(
  { requestsMade }: JudgedRun,
  operationId: string,
  requirement: JudgedRun['requirements'][number],
): number {
  const requestsOfOperation = requestsMade.filter(({ operation }) => operation === operationId);
  // A request that was sent again shows the same record, so its response is no further sample.
  const repetitionCount = requestsOfOperation.filter(({ again: isRepetition }) => isRepetition).length;
  return Math.max(0, requirement.requests - repetitionCount);
}

export const describeReliableField = ({ places, samples, sampled, upperBound }: ReliableField): string =>
  `present in all ${formatCount(places, 'place')}; with 95 % confidence, at most ${formatUpperBound(upperBound)} of ${sampled} lack it (${formatNumber(samples)} ${sampled} seen)`;

export const reliableTitle = 'Optional, always present';

export const reliableNote =
  'The contract does not promise these fields: a client must also work without them';
