import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import {
  addressOf,
  formatValueState,
  listCoverageStates,
  type Node,
  nodesOf,
} from '../../schemas/contract/nodes.ts';
import { parameterAddress } from '../../schemas/contract/requirements.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Observation } from '../redact/observation.ts';
import { sumOfCounts } from './totals.ts';

/** How much of the contract a run has seen. */
export interface Coverage {
  nodes: CoverageShare;
  /** Enum values, values that occur, optional fields present and absent, and documented values of parameters accepted. */
  states: CoverageShare;
  /** An optional field is judged, and never present, where another one always stands in its place. */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  seen: Counts;
}

/** Exercised ÷ total, with the addresses that were never seen. */
interface CoverageShare {
  exercised: number;
  total: number;
  percentage: number;
  missing: string[];
}

/** Coverage of the contract's operations by the observations of a run. */
export function coverageOf({ operations }: Pick<Contract, 'operations'>, judged: Observation[]): Coverage {
  const nodes = operations.flatMap(nodesOf);
  const visited = new Set(judged.flatMap(({ exercised }) => Object.keys(exercised)));
  const accepted = judged.map((one) => acceptedBy(operations, one));
  const seen = [...judged.map(({ covered }) => covered), ...accepted].reduce(sumOfCounts, {});
  const parameterValues = operations.flatMap(documentedValues).map(({ state }) => state);
  return {
    nodes: share(nodes.map(addressOfNode), visited),
    states: share([...nodes.flatMap(namesOfStates), ...parameterValues], new Set(Object.keys(seen))),
    fields: fieldsOf(nodes, visited, seen),
    seen,
  };
}

const addressOfNode = ({ operation, pointer }: Node) => addressOf(operation, pointer);

function fieldsOf(nodes: Node[], visited: Set<string>, seen: Counts) {
  const judged = nodes.filter((node) => visited.has(addressOfNode(node)));
  const neverPresent = judged.filter((node) => {
    const { presence } = listCoverageStates(node);
    return presence && seen[presence.absent] && !seen[presence.present];
  });
  return {
    judged: judged.length,
    seen: judged.length - neverPresent.length,
    neverPresent: neverPresent.map(addressOfNode),
  };
}

/** Documented values of parameters that a request was sent with, and answered as documented. */
function acceptedBy(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent } = observation;
  const own = operations.find(({ id }) => id === operation);
  if (!own || !expectsSuccess || kind !== 'success') return {};
  return Object.fromEntries(
    documentedValues(own).flatMap(({ pair, state }) => (sent[pair] ? [[state, sent[pair]]] : [])),
  );
}

/** Each documented value of a parameter: as a request has it, and as it is named where it was accepted. */
const documentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      pair: `${name}=${value}`,
      state: formatValueState(parameterAddress(id, name), value),
    })),
  );

/** The percentage has one decimal and is never more than it is: 100 means all. */
function share(addresses: string[], seen: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seen.has(address));
  const [exercised, total] = [addresses.length - missing.length, addresses.length];
  return { exercised, total, percentage: Math.floor((1000 * exercised) / Math.max(1, total)) / 10, missing };
}

function namesOfStates(node: Node): string[] {
  const { values, presence } = listCoverageStates(node);
  return [...values.values(), ...Object.values(presence ?? {})];
}
