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

/** Coverage of the contract by a run. */
export interface Coverage {
  nodes: CoverageShare;
  /** Enum values, values that occur, presence and absence of optional fields, and accepted values of parameters. */
  states: CoverageShare;
  /** Optional fields that were judged but never present, because responses use another field instead. */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  seen: Counts;
}

/** Exercised number, total, percentage, and the missing addresses. */
interface CoverageShare {
  exercised: number;
  total: number;
  percentage: number;
  missing: string[];
}

/** Computes how much of the contract the observations of a run cover. */
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

/** Counts documented values of parameters in requests that got the documented success. */
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

/** Lists the documented values of parameters, as `name=value` and as coverage state. */
const listDocumentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      pair: `${name}=${value}`,
      state: formatValueState(formatParameterAddress(id, name), value),
    })),
  );

/** Computes a share. Rounds the percentage down to one decimal, so that 100 means all. */
function computeShare(addresses: string[], seenAddresses: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seenAddresses.has(address));
  const [exercised, total] = [addresses.length - missing.length, addresses.length];
  return { exercised, total, percentage: Math.floor((1000 * exercised) / Math.max(1, total)) / 10, missing };
}

function listStateNames(node: Node): string[] {
  const { values, presence } = listCoverageStates(node);
  return [...values.values(), ...Object.values(presence ?? {})];
}
