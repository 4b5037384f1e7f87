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
  /** Schema nodes: fields, elements of lists and bodies of all operations. */
  nodes: CoverageShare;
  /** Documented values of fields, presence and absence of optional fields, and accepted values of parameters. */
  states: CoverageShare;
  /** Number of judged nodes and of those that were ever present; addresses of optional fields that every response lacked. */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  /** Number of times that each state was seen, keyed by state, such as `getCard/data/card/status = Active` or `… absent`. */
  seen: Counts;
}

/** Share of addresses or states that responses have shown: number, total, percentage (0 to 100), and the missing ones. */
interface CoverageShare {
  exercised: number;
  total: number;
  percentage: number;
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

/** Finds the judged nodes that are optional and were absent from every response. */
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

/** Counts the documented parameter values of an observation, keyed by state; none unless the response is the promised success. */
function countAcceptedValues(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent: valueCounts } = observation;
  const documentedOperation = operations.find(({ id }) => id === operation);
  if (!documentedOperation || !expectsSuccess || kind !== 'success') return {};
  return Object.fromEntries(
    listDocumentedValues(documentedOperation).flatMap(({ pair, state }) =>
      valueCounts[pair] ? [[state, valueCounts[pair]]] : [],
    ),
  );
}

/** Lists each `enum` value of the parameters of an operation, as the pair `name=value` and as its coverage state. */
const listDocumentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      pair: `${name}=${value}`,
      state: formatValueState(formatParameterAddress(id, name), value),
    })),
  );

/** Computes the share of the addresses that were seen. Rounds the percentage down to one decimal, so that 100 means all. */
function computeShare(addresses: string[], seenAddresses: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seenAddresses.has(address));
  const [exercised, total] = [addresses.length - missing.length, addresses.length];
  return { exercised, total, percentage: Math.floor((1000 * exercised) / Math.max(1, total)) / 10, missing };
}

/** Lists the states of a node, such as `ADDRESS = Active` for each documented value, and `ADDRESS absent` for an optional field. */
function listStateNames(node: Node): string[] {
  const { values, presence } = listCoverageStates(node);
  return [...values.values(), ...Object.values(presence ?? {})];
}
