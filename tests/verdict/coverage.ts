import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { addressOf, type Node, nodesOf } from '../../schemas/contract/nodes.ts';
import { parameterAddress } from '../../schemas/contract/requirements.ts';
import { statesOf, valueState } from '../../schemas/contract/states.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import type { Observation } from '../redaction/observation.ts';
import { sentValues } from './request-counts.ts';

/** How much of the contract a run has seen. */
export interface Coverage {
  nodes: CoverageShare;
  /** Enum values, values that occur, optional fields present and absent, and documented values of parameters accepted. */
  states: CoverageShare;
  /** Schema nodes that were judged, by whether they were ever there. Not in version 1. */
  fields?: Fields;
  /** How often each value of an enumeration, and each optional field, was met: `address = value`, `address absent`. */
  seen: Visits;
}

/** An optional field is judged, and never present, where another one always stands in its place. */
interface Fields {
  judged: number;
  seen: number;
  neverPresent: string[];
}

/** Exercised ÷ total, with the addresses that were never seen. */
export interface CoverageShare {
  exercised: number;
  total: number;
  percentage: number;
  missing: string[];
}

/** Coverage of the contract's operations by the observations of a run. */
export function coverageOf({ operations }: Pick<Contract, 'operations'>, seen: Observation[]): Coverage {
  const judged = seen.filter(({ blocked }) => !blocked);
  const nodes = operations.flatMap(nodesOf);
  const visited = new Set(judged.flatMap(({ visits }) => Object.keys(visits)));
  const states = new Set(judged.flatMap((observation) => Object.keys(observation.states)));
  const accepted = judged.map((observation) => acceptedBy(operations, observation));
  return {
    nodes: share(
      nodes.map(({ operation, pointer }) => addressOf(operation, pointer)),
      visited,
    ),
    states: share(
      [...nodes.flatMap(namesOfStates), ...operations.flatMap(namesOfValues)],
      new Set([...states, ...accepted.flatMap(Object.keys)]),
    ),
    fields: fieldsOf(nodes, visited, states),
    seen: sum([...judged.map((one) => one.states), ...accepted]),
  };
}

function fieldsOf(nodes: Node[], visited: Set<string>, states: Set<string>): Fields {
  const judged = nodes.filter((node) => visited.has(addressOf(node.operation, node.pointer)));
  const neverPresent = judged.filter((node) => isNeverPresent(node, states));
  return {
    judged: judged.length,
    seen: judged.length - neverPresent.length,
    neverPresent: neverPresent.map(({ operation, pointer }) => addressOf(operation, pointer)),
  };
}

function isNeverPresent(node: Node, states: Set<string>): boolean {
  const { presence } = statesOf(node);
  return presence !== undefined && states.has(presence.absent) && !states.has(presence.present);
}

function sum(counts: Visits[]): Visits {
  const total: Visits = {};
  for (const [state, count] of counts.flatMap(Object.entries<number>))
    total[state] = (total[state] ?? 0) + count;
  return total;
}

/** Documented values of parameters that a request was sent with, and answered as documented. */
function acceptedBy(operations: Operation[], observation: Observation): Visits {
  const { operation, expectsSuccess, response } = observation;
  const own = operations.find(({ id }) => id === operation);
  if (!own || !expectsSuccess || response !== 'success') return {};
  const sent = sentValues(observation);
  const values = own.parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({ name, value, count: sent[`${name}=${value}`] ?? 0 })),
  );
  const accepted = values.filter(({ count }) => count > 0);
  return Object.fromEntries(
    accepted.map(({ name, value, count }) => [valueState(parameterAddress(operation, name), value), count]),
  );
}

function share(addresses: string[], seen: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seen.has(address));
  const exercised = addresses.length - missing.length;
  const percentage = percentageOf(exercised, addresses.length);
  return { exercised, total: addresses.length, percentage, missing };
}

/** With one decimal, never more than it is: 100 means all. */
export const percentageOf = (exercised: number, total: number): number =>
  Math.floor((1000 * exercised) / Math.max(1, total)) / 10;

/** Each documented value of a parameter, as it is named where it was accepted. */
const namesOfValues = ({ id, parameters }: Operation): string[] =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => valueState(parameterAddress(id, name), value)),
  );

function namesOfStates(node: Node): string[] {
  const { values, presence } = statesOf(node);
  return [...values.values(), ...(presence ? [presence.present, presence.absent] : [])];
}
