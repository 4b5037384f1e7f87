import type { Contract } from '../schemas/contract/contract.ts';
import { formatAddress, listCoverageStates, listNodes, type Node } from '../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../schemas/counted.ts';
import { percentageAbove } from '../src/sweep/summary.ts';
import type { Coverage } from '../src/verdict/coverage.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Field that the contract calls optional, and that was never absent in this run. */
export interface ReliableField {
  address: string;
  /** Number of places with the field. */
  places: number;
  /** Number of independent samples: of records in a sweep, else of responses, because the records of one page are often alike. */
  samples: number;
  /** Things that `samples` counts: records of a sweep, or responses. */
  sampled: 'records' | 'responses';
  /** Largest share (0 to 1) that may lack the field, with 95 % confidence: 3 / `samples` (rule of three), or the sweep's bound. */
  upperBound: number;
}

/** Parts of a report from which the presence of fields is read. */
interface Sightings {
  coverage: Pick<Coverage, 'seen'>;
  requirements: Pick<RequirementResult, 'address' | 'requests' | 'swept'>[];
  requestsMade: Pick<RequestMade, 'operation' | 'again'>[];
}

/** Lists the optional fields that were always present. Leaves out fields with three samples or fewer, which prove nothing. */
export const listReliableFields = (
  { operations }: Pick<Contract, 'operations'>,
  run: Sightings,
): ReliableField[] =>
  operations
    .flatMap(listNodes)
    .flatMap((node) => computeReliability(node, run) ?? [])
    // With three samples or fewer, the bound is 1.
    .filter(({ upperBound }) => upperBound < 1);

/** Computes samples and bound of an optional field that was always present; undefined for any other node. */
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
  // A request that was sent again shows the same record.
  const againCount = requestsMade.filter(
    (request) => request.operation === node.operation && request.again,
  ).length;
  const samples = Math.min(places, sweepShare ? sweepShare.judged : Math.max(0, requests - againCount));
  const sampled = sweepShare ? 'records' : 'responses';
  // If a sweep drew its sample page by page, its own bound is the greater one.
  const upperBound = Math.min(1, Math.max(3 / samples, sweepShare?.upperBound ?? 0));
  return { address, places, samples, sampled, upperBound };
}

/** Formats the presence of a field: "present in all 210 places; with 95 % confidence, at most 16.7 % of responses lack it (18 responses seen)". */
export const describeReliableField = ({ places, samples, sampled, upperBound }: ReliableField): string =>
  `present in all ${formatCount(places, 'place')}; with 95 % confidence, at most ${percentageAbove(upperBound)} of ${sampled} lack it (${formatNumber(samples)} ${sampled} seen)`;

/** Title of the list of reliable fields. */
export const reliableTitle = 'Optional, always present';

/** Sentence about what reliable fields mean for a client. */
export const reliableNote =
  'The contract does not promise these fields: a client must also work without them';
