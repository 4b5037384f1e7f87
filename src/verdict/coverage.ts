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
  /** Share of states that occurred: documented values of fields and parameters, and each optional field, present and absent. */
  states: CoverageShare;
  /**
   * `judged`: number of judged schema nodes, including optional fields that are always absent. `neverPresent`: addresses of these
   * fields. `seen`: number of the other judged nodes.
   */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  /** Number of times that each state occurred, keyed by state: `getCard/data/card/status = Active`, `… absent`. */
  seen: Counts;
}

/** Share of the schema nodes of the contract, or of the states (`Coverage.states`), that occurred in responses. */
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
  const fieldStates = nodes.flatMap(listFieldStates);
  const parameterStates = operations.flatMap(listDocumentedValues).map(({ coverageState }) => coverageState);
  const fieldStateCounts = observations.map(({ covered }) => covered);
  const parameterStateCounts = observations.map((observation) =>
    countAcceptedValues(operations, observation),
  );
  const countByState = [...fieldStateCounts, ...parameterStateCounts].reduce(addCounts, {});
  return {
    nodes: measureShare(nodes.map(formatNodeAddress), exercisedAddresses),
    states: measureShare([...fieldStates, ...parameterStates], new Set(Object.keys(countByState))),
    fields: computeFieldPresence(nodes, exercisedAddresses, countByState),
    seen: countByState,
  };
}

const formatNodeAddress = ({ operation, pointer }: Node) => formatAddress(operation, pointer);

function computeFieldPresence(nodes: Node[], exercisedAddresses: Set<string>, countByState: Counts) {
  const judgedNodes = nodes.filter((node) => exercisedAddresses.has(formatNodeAddress(node)));
  const neverPresent = judgedNodes.filter((node) => {
    // Undefined for a required field.
    const { presence } = getCoverageStates(node);
    return presence && countByState[presence.absentState] && !countByState[presence.presentState];
  });
  return {
    judged: judgedNodes.length,
    seen: judgedNodes.length - neverPresent.length,
    neverPresent: neverPresent.map(formatNodeAddress),
  };
}

/**
 * Counts the successful requests with each documented value of a parameter, keyed by state such as
 * `listCustomers/parameters/linked_source_type = Store`. Empty if the contract promises no success for the observed request.
 */
function countAcceptedValues(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent: requestCountByPair } = observation;
  const documentedOperation = operations.find(({ id }) => id === operation);
  if (!documentedOperation || !expectsSuccess || kind !== 'success') return {};
  const acceptedCounts: Counts = {};
  for (const { nameAndValue, coverageState } of listDocumentedValues(documentedOperation)) {
    const count = requestCountByPair[nameAndValue];
    if (count) acceptedCounts[coverageState] = count;
  }
  return acceptedCounts;
}

/** Lists each `enum` value of a parameter in two forms: `type=user`, and the coverage state `…/parameters/type = user`. */
const listDocumentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      nameAndValue: `${name}=${value}`,
      coverageState: formatValueState(formatParameterAddress(id, name), value),
    })),
  );

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
