import type { Contract } from '../schemas/contract/contract.ts';
import { formatAddress, listCoverageStates, listNodes, type Node } from '../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../schemas/counted.ts';
import { percentageAbove } from '../src/sweep/summary.ts';
import type { Coverage } from '../src/verdict/coverage.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Optional field that was present in every place. The contract does not promise that, so its absence would be no violation. */
export interface ReliableField {
  address: string;
  /** Number of places with the field. */
  places: number;
  /** Independent samples: records of a sweep, or else responses, because records of a page are often alike. */
  samples: number;
  sampled: 'records' | 'responses';
  /** Share of the samples that may lack the field, with 95 % confidence: rule of three, 3 / `samples`, or the bound of the sweep. */
  upperBound: number;
}

/** Parts of a report that show how often a field was present. */
interface Sightings {
  coverage: Pick<Coverage, 'seen'>;
  requirements: Pick<RequirementResult, 'address' | 'requests' | 'swept'>[];
  requestsMade: Pick<RequestMade, 'operation' | 'again'>[];
}

/** Lists the optional fields that were always present, if there were enough samples for a bound below 100 %. */
export const listReliableFields = (
  { operations }: Pick<Contract, 'operations'>,
  run: Sightings,
): ReliableField[] =>
  operations
    .flatMap(listNodes)
    .flatMap((node) => reliableField(node, run) ?? [])
    .filter(({ upperBound }) => upperBound < 1);

/** Returns a field if it was always present, with its bound; undefined otherwise. */
function reliableField(
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
  // The bound of a sample that was drawn page by page is the greater one.
  const upperBound = Math.min(1, Math.max(3 / samples, sweepShare?.upperBound ?? 0));
  return { address, places, samples, sampled, upperBound };
}

/** Formats the presence of a field: "present in all 210 places; with 95 % confidence, at most 16.7 % of responses lack it (18 responses seen)". */
export const describeReliableField = ({ places, samples, sampled, upperBound }: ReliableField): string =>
  `present in all ${formatCount(places, 'place')}; with 95 % confidence, at most ${percentageAbove(upperBound)} of ${sampled} lack it (${formatNumber(samples)} ${sampled} seen)`;

/** Title of the list. */
export const reliableTitle = 'Optional, always present';

/** Meaning of the list for a client. */
export const reliableNote =
  'The contract does not promise these fields: a client must also work without them';
