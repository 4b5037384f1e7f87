import type { Contract } from '../schemas/contract/contract.ts';
import { formatAddress, getCoverageStates, listNodes, type Node } from '../schemas/contract/nodes.ts';
import { formatCount, formatNumber } from '../schemas/counted.ts';
import type { Observation } from '../src/redact/observation.ts';
import { formatUpperBound } from '../src/sweep/summary.ts';
import type { Coverage } from '../src/verdict/coverage.ts';
import type { RequirementResult } from '../src/verdict/results.ts';

/** Optional field that was never absent in a run, such as `getCustomer/data/customer/email`. */
export interface ReliableField {
  address: string;
  /** Number of received values of the field. */
  places: number;
  /** Number of independent samples. In a sweep, each record is a sample. Otherwise, each response is a sample. */
  samples: number;
  sampled: 'records' | 'responses';
  /** Upper bound, from 0 to 1, on the share of records or responses that lack the field. The confidence is 95 %. */
  upperBound: number;
}

interface JudgedRun {
  coverage: Pick<Coverage, 'seen'>;
  requirements: Pick<RequirementResult, 'address' | 'swept'>[];
  observations: Pick<Observation, 'again' | 'exercised'>[];
  traffic?: unknown;
}

/**
 * Lists the optional fields that were present in a run, and never absent.
 * Leaves out a field if its `upperBound` is 1.
 * @returns an empty list for a run that judged recorded traffic
 */
export function listReliableFields(contract: Pick<Contract, 'operations'>, run: JudgedRun): ReliableField[] {
  // Recordings often have many responses about one record, so their number would promise too much.
  if (run.traffic) return [];
  const nodes = contract.operations.flatMap(listNodes);
  const fields = nodes.flatMap((node) => computeReliability(node, run) ?? []);
  // With up to three samples, the upper bound is 1 (rule of three), which says nothing.
  return fields.filter(({ upperBound }) => upperBound < 1);
}

function computeReliability(node: Node, run: JudgedRun): ReliableField | undefined {
  const { presence: presenceKeys } = getCoverageStates(node);
  const isRequired = presenceKeys === undefined;
  if (isRequired) return undefined;
  const presentCount = run.coverage.seen[presenceKeys.presentState] ?? 0;
  const absentCount = run.coverage.seen[presenceKeys.absentState] ?? 0;
  const wasAlwaysPresent = presentCount > 0 && absentCount === 0;
  if (!wasAlwaysPresent) return undefined;
  const address = formatAddress(node.operation, node.pointer);
  const requirement = run.requirements.find((candidate) => candidate.address === address);
  if (!requirement) return undefined;
  const { swept } = requirement;
  // Records of one response are often alike, so outside a sweep a whole response is one sample.
  const maxSamples = swept ? swept.judged : countDistinctResponses(run, address);
  const samples = Math.min(presentCount, maxSamples);
  // Rule of three: if none of 300 samples lacks a field, at most 3 / 300 of all records lack it, with 95 % confidence.
  const ruleOfThreeBound = Math.min(1, 3 / samples);
  // A sweep (many records of a list) has a bound of its own, which is greater if the sweep chose whole pages instead of single records.
  const upperBound = Math.max(ruleOfThreeBound, swept?.upperBound ?? 0);
  return { address, places: presentCount, samples, sampled: swept ? 'records' : 'responses', upperBound };
}

function countDistinctResponses({ observations }: JudgedRun, address: string): number {
  // A request that was sent again shows the same record, so its response is no further sample.
  const firstObservations = observations.filter(({ again: isRepetition }) => !isRepetition);
  return firstObservations.reduce((sum, { exercised }) => sum + (exercised[address]?.requests ?? 0), 0);
}

export const describeReliableField = ({ places, samples, sampled, upperBound }: ReliableField): string =>
  `present in all ${formatCount(places, 'place')}; with 95 % confidence, at most ${formatUpperBound(upperBound)} of ${sampled} lack it (${formatNumber(samples)} ${sampled} seen)`;

export const reliableTitle = 'Optional, always present';

export const reliableNote =
  'The contract does not promise these fields: a client must also work without them';
