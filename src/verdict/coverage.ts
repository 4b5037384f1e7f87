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

/** Share of the contract that the responses of a run have shown. */
export interface Coverage {
  /** Share of the schema nodes of all operations (bodies, fields, elements of lists) that a response of the run has shown. */
  nodes: CoverageShare;
  /** Share of the documented values of fields, of optional fields present and absent, and of accepted values of parameters. */
  states: CoverageShare;
  /**
   * Presence of fields in the run: number of judged schema nodes, number of those that any response had, and addresses of the
   * optional fields that every response lacked, such as `getCustomer/data/customer/email`.
   */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  /** Number of times that a state was seen in the run, keyed by state: `getCard/data/card/status = Active`, `… absent`. */
  seen: Counts;
}

/** Share of a list of addresses or states that the responses of a run have shown. */
interface CoverageShare {
  /** Number of addresses or states that a response of the run has shown. */
  exercised: number;
  /** Number of all addresses or states in the contract. */
  total: number;
  /** Percentage of the addresses or states that a response has shown, from 0 to 100, rounded down to one decimal. */
  percentage: number;
  /** Addresses or states that no response of the run has shown, such as `getCard/data/card/limits`. */
  missing: string[];
}

/** Computes the coverage of all operations of a contract by the observations of a run. */
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
  const parameterValues = operations.flatMap(listDocumentedValues).map(({ state }) => state);
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

/** Counts the judged schema nodes that any response of the run had, and lists the optional ones that every response lacked. */
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
 * Counts the documented parameter values with which the target answered a success, keyed by state, such as
 * `listCustomers/parameters/linked_source_type = Store`. Empty if the response is no success, or the contract promises none.
 */
function countAcceptedValues(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent: pairCounts } = observation;
  const documentedOperation = operations.find(({ id }) => id === operation);
  if (!documentedOperation || !expectsSuccess || kind !== 'success') return {};
  return Object.fromEntries(
    listDocumentedValues(documentedOperation).flatMap(({ pair, state }) =>
      pairCounts[pair] ? [[state, pairCounts[pair]]] : [],
    ),
  );
}

/** Lists each `enum` value of the parameters of an operation: `pair` as in a query (`type=user`), and `state` as in coverage. */
const listDocumentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      pair: `${name}=${value}`,
      state: formatValueState(formatParameterAddress(id, name), value),
    })),
  );

/** Computes the share of addresses that were seen. Rounds the percentage down to one decimal, so that 100 means all of them. */
function computeShare(addresses: string[], seenAddresses: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seenAddresses.has(address));
  const [exercised, total] = [addresses.length - missing.length, addresses.length];
  return { exercised, total, percentage: Math.floor((1000 * exercised) / Math.max(1, total)) / 10, missing };
}

/**
 * Lists the states of a schema node that a run should see: `ADDRESS = Active` for each documented value, and `ADDRESS present` and
 * `ADDRESS absent` for an optional field.
 */
function listStateNames(node: Node): string[] {
  const { values, presence } = listCoverageStates(node);
  return [...values.values(), ...Object.values(presence ?? {})];
}
