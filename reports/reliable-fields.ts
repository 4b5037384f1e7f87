import type { Contract } from '../schemas/contract/contract.ts';
import { formatAddress, getCoverageStates, listNodes, type Node } from '../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../schemas/counted.ts';
import { formatUpperBound } from '../src/sweep/summary.ts';
import type { Coverage } from '../src/verdict/coverage.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Optional field that was present in every response or record of the run that could contain it. */
export interface ReliableField {
  address: string;
  places: number;
  /** Number of records, if a sweep judged the field. Otherwise of responses, because records in one response are often alike. */
  samples: number;
  sampled: 'records' | 'responses';
  /** Upper bound, at 95 % confidence, of the share (0 to 1) of all records or responses without the field. */
  upperBound: number;
}

interface JudgedRun {
  coverage: Pick<Coverage, 'seen'>;
  requirements: Pick<RequirementResult, 'address' | 'requests' | 'swept'>[];
  requestsMade: Pick<RequestMade, 'operation' | 'again'>[];
}

/** Lists the optional fields that all samples had. Omits fields with up to three samples, which have the upper bound 1. */
export function listReliableFields(contract: Pick<Contract, 'operations'>, run: JudgedRun): ReliableField[] {
  const nodes = contract.operations.flatMap(listNodes);
  const fields = nodes.flatMap((node) => computeReliability(node, run) ?? []);
  return fields.filter(({ upperBound }) => upperBound < 1);
}

/** Rule of three: if none of n samples lacks a field, at most 3 / n of all records lack the field, with 95 % confidence. */
const ruleOfThree = 3;

function computeReliability(
  node: Node,
  { coverage, requirements, requestsMade }: JudgedRun,
): ReliableField | undefined {
  const { presence } = getCoverageStates(node);
  if (!presence) return undefined;
  const address = formatAddress(node.operation, node.pointer);
  const requirement = requirements.find((candidate) => candidate.address === address);
  const presentCount = coverage.seen[presence.presentState] ?? 0;
  const absentCount = coverage.seen[presence.absentState] ?? 0;
  if (!requirement || presentCount === 0 || absentCount > 0) return undefined;
  const { swept: sweepShare } = requirement;
  const sampled = sweepShare ? 'records' : 'responses';
  const isRepetition = ({ operation, again }: { operation: string; again?: true }) =>
    operation === node.operation && again;
  // A request that was sent again shows the same record, so its response is no further sample.
  const responseCount = Math.max(0, requirement.requests - requestsMade.filter(isRepetition).length);
  const samples = Math.min(presentCount, sweepShare?.judged ?? responseCount);
  // The bound of a sweep is greater than that of the rule if the sweep drew whole pages and not single records.
  const boundOfSweep = sweepShare?.upperBound ?? 0;
  const upperBound = Math.min(1, Math.max(ruleOfThree / samples, boundOfSweep));
  return { address, places: presentCount, samples, sampled, upperBound };
}

export const describeReliableField = ({ places, samples, sampled, upperBound }: ReliableField): string =>
  `present in all ${formatCount(places, 'place')}; with 95 % confidence, at most ${formatUpperBound(upperBound)} of ${sampled} lack it (${formatNumber(samples)} ${sampled} seen)`;

export const reliableTitle = 'Optional, always present';

export const reliableNote =
  'The contract does not promise these fields: a client must also work without them';
