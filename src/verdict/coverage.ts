import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import {
  formatAddress,
  formatValueState,
  listCoverageStates,
  listNodes,
  type Node,
} from '../../schemas/contract/nodes.ts';
import { formatParameterAddress } from '../../schemas/contract/requirements.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Observation } from '../redact/observation.ts';
import { addCounts } from './totals.ts';

export interface Coverage {
  nodes: CoverageShare;
  /** Documented values of fields, optional fields present and absent, and accepted values of parameters. */
  states: CoverageShare;
  /** Numbers of schema nodes. `neverPresent` lists the optional fields that every response lacked. */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  /** Number of times that a state occurred, keyed by state: `getCard/data/card/status = Active`, `… absent`. */
  seen: Counts;
}

interface CoverageShare {
  exercised: number;
  total: number;
  /** Rounded down to one decimal, so that 100 means all of them. */
  percentage: number;
  missing: string[];
}

/** Computes the share of a contract that the responses of a run have shown. */
export function computeCoverage(
  { operations }: Pick<Contract, 'operations'>,
  observations: Observation[],
): Coverage {
  const nodes = operations.flatMap(listNodes);
  const exercisedAddresses = new Set(observations.flatMap(({ exercised }) => Object.keys(exercised)));
  const acceptedCounts = observations.map((observation) => countAcceptedValues(operations, observation));
  const stateCounts = [...observations.map(({ covered }) => covered), ...acceptedCounts].reduce(
    addCounts,
    {},
  );
  const parameterValues = operations.flatMap(listDocumentedValues).map(({ coverageState }) => coverageState);
  return {
    nodes: computeShare(nodes.map(formatNodeAddress), exercisedAddresses),
    states: computeShare(
      [...nodes.flatMap(listStateNames), ...parameterValues],
      new Set(Object.keys(stateCounts)),
    ),
    fields: computeFieldPresence(nodes, exercisedAddresses, stateCounts),
    seen: stateCounts,
  };
}

const formatNodeAddress = ({ operation, pointer }: Node) => formatAddress(operation, pointer);

function computeFieldPresence(nodes: Node[], exercisedAddresses: Set<string>, stateCounts: Counts) {
  const judgedNodes = nodes.filter((node) => exercisedAddresses.has(formatNodeAddress(node)));
  const neverPresent = judgedNodes.filter((node) => {
    const { presence } = listCoverageStates(node);
    return presence && stateCounts[presence.absent] && !stateCounts[presence.present];
  });
  return {
    judged: judgedNodes.length,
    seen: judgedNodes.length - neverPresent.length,
    neverPresent: neverPresent.map(formatNodeAddress),
  };
}

/**
 * Counts the documented parameter values that a successful request sent, keyed by state such as
 * `listCustomers/parameters/linked_source_type = Store`. Empty if the response is no success, or if the contract promises none.
 */
function countAcceptedValues(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent: requestCounts } = observation;
  const documentedOperation = operations.find(({ id }) => id === operation);
  if (!documentedOperation || !expectsSuccess || kind !== 'success') return {};
  const acceptedCounts: Counts = {};
  for (const { queryParameter, coverageState } of listDocumentedValues(documentedOperation)) {
    const count = requestCounts[queryParameter];
    if (count) acceptedCounts[coverageState] = count;
  }
  return acceptedCounts;
}

/** Lists the `enum` values of all parameters of an operation, each as in a query (`type=user`) and as a coverage state. */
const listDocumentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      queryParameter: `${name}=${value}`,
      coverageState: formatValueState(formatParameterAddress(id, name), value),
    })),
  );

/** Computes the share of addresses that were seen. Rounds the percentage down to one decimal, so that 100 means all of them. */
function computeShare(addresses: string[], seenAddresses: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seenAddresses.has(address));
  const total = addresses.length;
  const exercised = total - missing.length;
  const percentage = Math.floor((1000 * exercised) / Math.max(1, total)) / 10;
  return { exercised, total, percentage, missing };
}

/** Lists `ADDRESS = Active` for each documented value, and `ADDRESS present` and `ADDRESS absent` for an optional field. */
function listStateNames(node: Node): string[] {
  const { values, presence } = listCoverageStates(node);
  return [...values.values(), ...Object.values(presence ?? {})];
}
