import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import {
  formatAddress,
  formatValueState,
  getCoverageStates,
  listNodes,
  type Node,
} from '../../schemas/contract/nodes.ts';
import { formatParameterAddress } from '../../schemas/contract/requirements.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Observation } from '../redact/observation.ts';
import { addCounts } from './totals.ts';

export interface Coverage {
  nodes: CoverageShare;
  /** Share of the documented states that occurred. An example of a state is `getCard/data/card/physical_status = Active`. */
  states: CoverageShare;
  fields?: FieldPresence;
  /** Number of occurrences of each state: `{ 'getCard/data/card/physical_status = Active': 2 }`. */
  seen: Counts;
}

interface FieldPresence {
  /** Number of schema nodes (body, fields, list elements) that were judged in at least one response. */
  judged: number;
  /** Number of judged schema nodes that are not in `neverPresent`. */
  seen: number;
  /**
   * Addresses of optional fields that responses contain only under another name. For example, `p_user_id` may stand in place of
   * `user_id` (contract section 2.7).
   */
  neverPresent: string[];
}

/** Share of the documented items, which are schema nodes or states, that occurred in a run. */
interface CoverageShare {
  exercised: number;
  total: number;
  /** Rounded down to one decimal, so that 100 means all. */
  percentage: number;
  missing: string[];
}

export function computeCoverage(
  { operations }: Pick<Contract, 'operations'>,
  observations: Observation[],
): Coverage {
  const nodes = operations.flatMap(listNodes);
  const exercisedAddresses = new Set(observations.flatMap(({ exercised }) => Object.keys(exercised)));
  const parameterStates = operations.flatMap(listDocumentedValues).map(({ state }) => state);
  const documentedStates = [...nodes.flatMap(listFieldStates), ...parameterStates];
  const countByState = countStates(operations, observations);
  return {
    nodes: measureShare(nodes.map(formatNodeAddress), exercisedAddresses),
    states: measureShare(documentedStates, new Set(Object.keys(countByState))),
    fields: computeFieldPresence(nodes, exercisedAddresses, countByState),
    seen: countByState,
  };
}

/** Counts how often each state occurred, keyed by a text such as `getFeeRules/parameters/type = user`. */
function countStates(operations: Operation[], observations: Observation[]): Counts {
  const fieldStateCounts = observations.map(({ documentedValueCounts }) => documentedValueCounts);
  const parameterStateCounts = observations.map((observation) =>
    countAcceptedValues(operations, observation),
  );
  return [...fieldStateCounts, ...parameterStateCounts].reduce(addCounts, {});
}

const formatNodeAddress = ({ operation, pointer }: Node) => formatAddress(operation, pointer);

function computeFieldPresence(
  nodes: Node[],
  exercisedAddresses: Set<string>,
  countByState: Counts,
): FieldPresence {
  const judgedNodes = nodes.filter((node) => exercisedAddresses.has(formatNodeAddress(node)));
  const neverPresentNodes = judgedNodes.filter((node) => wasAlwaysAbsent(node, countByState));
  return {
    judged: judgedNodes.length,
    seen: judgedNodes.length - neverPresentNodes.length,
    neverPresent: neverPresentNodes.map(formatNodeAddress),
  };
}

function wasAlwaysAbsent(node: Node, countByState: Counts): boolean {
  const { presence } = getCoverageStates(node);
  const isRequired = presence === undefined;
  if (isRequired) return false;
  const { absentState, presentState } = presence;
  return Boolean(countByState[absentState]) && !countByState[presentState];
}

function countAcceptedValues(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, parameterValueCounts: requestCountByPair } = observation;
  const documentedOperation = operations.find(({ id }) => id === operation);
  const isExpectedSuccess = expectsSuccess && kind === 'success';
  if (!documentedOperation || !isExpectedSuccess) return {};
  const acceptedCounts: Counts = {};
  for (const { pair, state } of listDocumentedValues(documentedOperation)) {
    // The count of the pair `type=user` becomes that of the state `getFeeRules/parameters/type = user`.
    const requestCount = requestCountByPair[pair];
    if (requestCount) acceptedCounts[state] = requestCount;
  }
  return acceptedCounts;
}

interface DocumentedValue {
  /** Parameter and value, as in a request: `type=user`. */
  pair: string;
  /** Key in `Coverage.seen`: `getFeeRules/parameters/type = user`. */
  state: string;
}

function listDocumentedValues({ id, parameters }: Operation): DocumentedValue[] {
  return parameters.flatMap(({ name, schema }) => {
    const address = formatParameterAddress(id, name);
    const values = schema.enum ?? [];
    return values.map((value) => ({ pair: `${name}=${value}`, state: formatValueState(address, value) }));
  });
}

function measureShare(addresses: string[], seenAddresses: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seenAddresses.has(address));
  const total = addresses.length;
  const exercised = total - missing.length;
  const percentage = Math.floor((1000 * exercised) / Math.max(1, total)) / 10;
  return { exercised, total, percentage, missing };
}

function listFieldStates(node: Node): string[] {
  const { stateByValue, presence } = getCoverageStates(node);
  return [...stateByValue.values(), ...Object.values(presence ?? {})];
}
