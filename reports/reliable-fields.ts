import type { Contract } from '../schemas/contract/contract.ts';
import { formatAddress, listCoverageStates, listNodes, type Node } from '../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../schemas/counted.ts';
import { percentageAbove } from '../src/sweep/summary.ts';
import type { Coverage } from '../src/verdict/coverage.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Field that the contract calls optional, and that was present in every response of this run which could have it. */
export interface ReliableField {
  address: string;
  /** Number of times that the field was present, over all records of all responses. */
  places: number;
  /** Number of independent samples that had the field: records of a sweep, else responses, since records of one page are often alike. */
  samples: number;
  /** Unit of `samples`: records of a sweep, or responses. */
  sampled: 'records' | 'responses';
  /**
   * Largest share (0 to 1) of records or responses that may lack the field, with 95 % confidence: 3 / `samples` (the statistical rule
   * of three), or the bound of the sweep if that is greater.
   */
  upperBound: number;
}

/** Parts of `conformance.json` from which `listReliableFields` reads how often fields were present. */
interface Sightings {
  coverage: Pick<Coverage, 'seen'>;
  requirements: Pick<RequirementResult, 'address' | 'requests' | 'swept'>[];
  requestsMade: Pick<RequestMade, 'operation' | 'again'>[];
}

/** Lists the optional fields that were never absent. Leaves out fields with three samples or fewer, which prove nothing. */
export const listReliableFields = (
  { operations }: Pick<Contract, 'operations'>,
  run: Sightings,
): ReliableField[] =>
  operations
    .flatMap(listNodes)
    .flatMap((node) => computeReliability(node, run) ?? [])
    // 1 with three samples or fewer: every other record may lack the field.
    .filter(({ upperBound }) => upperBound < 1);

/** Computes `samples` and `upperBound` of an optional field that was never absent; undefined for any other schema node. */
function computeReliability(
  node: Node,
  { coverage, requirements, requestsMade }: Sightings,
): ReliableField | undefined {
  const { presence } = listCoverageStates(node);
  const address = formatAddress(node.operation, node.pointer);
  const requirement = requirements.find((candidate) => candidate.address === address);
  const places = (presence && coverage.seen[presence.present]) ?? 0;
  if (!requirement || !presence || places === 0 || coverage.seen[presence.absent]) return undefined;
  const { swept: sweepShare, requests } = requirement;
  // A request that was sent again shows the same record, so its response is no further sample.
  const againCount = requestsMade.filter(
    (request) => request.operation === node.operation && request.again,
  ).length;
  const samples = Math.min(places, sweepShare ? sweepShare.judged : Math.max(0, requests - againCount));
  const sampled = sweepShare ? 'records' : 'responses';
  // If a sweep drew its sample page by page, its own bound is the greater one.
  const upperBound = Math.min(1, Math.max(3 / samples, sweepShare?.upperBound ?? 0));
  return { address, places, samples, sampled, upperBound };
}

/**
 * Formats the presence of a field: "present in all 210 places; with 95 % confidence, at most 16.7 %
 * of responses lack it (18 responses seen)".
 */
export const describeReliableField = ({ places, samples, sampled, upperBound }: ReliableField): string =>
  `present in all ${formatCount(places, 'place')}; with 95 % confidence, at most ${percentageAbove(upperBound)} of ${sampled} lack it (${formatNumber(samples)} ${sampled} seen)`;

/** Title of the list of reliable fields. */
export const reliableTitle = 'Optional, always present';

/** Sentence about what reliable fields mean for a client. */
export const reliableNote =
  'The contract does not promise these fields: a client must also work without them';
