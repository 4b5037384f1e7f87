import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { addressOf, type Node, nodesOf, statesOf, valueState } from '../../schemas/contract/nodes.ts';
import { parameterAddress } from '../../schemas/contract/requirements.ts';
import type { Counts, Observation } from '../redact/observation.ts';
import { sumOfCounts } from './totals.ts';

/** How much of the contract a run has seen. */
export interface Coverage {
  nodes: CoverageShare;
  /** Enum values, values that occur, optional fields present and absent, and documented values of parameters accepted. */
  states: CoverageShare;
  /** Schema nodes that were judged, by whether they were ever there. */
  fields?: Fields;
  /** How often each value of an enumeration, and each optional field, was met: `address = value`, `address absent`. */
  seen: Counts;
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
export function coverageOf({ operations }: Pick<Contract, 'operations'>, judged: Observation[]): Coverage {
  const nodes = operations.flatMap(nodesOf);
  const visited = new Set(judged.flatMap(({ exercised }) => Object.keys(exercised)));
  const states = new Set(judged.flatMap((observation) => Object.keys(observation.covered)));
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
    seen: [...judged.map((one) => one.covered), ...accepted].reduce(sumOfCounts, {}),
  };
}

function fieldsOf(nodes: Node[], visited: Set<string>, states: Set<string>): Fields {
  const judged = nodes.filter((node) => visited.has(addressOf(node.operation, node.pointer)));
  const neverPresent = judged.filter((node) => {
    const { presence } = statesOf(node);
    return presence && states.has(presence.absent) && !states.has(presence.present);
  });
  return {
    judged: judged.length,
    seen: judged.length - neverPresent.length,
    neverPresent: neverPresent.map(({ operation, pointer }) => addressOf(operation, pointer)),
  };
}

/** Documented values of parameters that a request was sent with, and answered as documented. */
function acceptedBy(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent } = observation;
  const own = operations.find(({ id }) => id === operation);
  if (!own || !expectsSuccess || kind !== 'success') return {};
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

/** Addresses of a list, and of its elements. */
type List = [list: string, element: string];

/** The lists that a payload consists of. */
export function listsOf(operation: Operation): List[] {
  const { id, envelope } = operation;
  return nodesOf(operation)
    .filter(({ schema, pointer, name }) => schema.items && pointer === `${envelope.payload}/${name}`)
    .map(({ pointer }) => [addressOf(id, pointer), addressOf(id, `${pointer}/*`)]);
}

/** Whether a list of a response has no element, though the request names no page. */
export const returnsEmptyList = (lists: List[], { exercised, parameters }: Observation): boolean =>
  !Object.hasOwn(parameters, 'offset') &&
  lists.some(([list, element]) => Object.hasOwn(exercised, list) && !Object.hasOwn(exercised, element));
