import { addressOf, knownValues, type Node } from './nodes.ts';

/** What can be seen at a place, besides that it was judged. */
export type State = {
  /** The name under which it is counted, such as `getCard/data/card/physical_status = Active` or `… absent`. */
  name: string;
  /** Where it is seen: a requirement, a parameter, or a field that the contract does not name. */
  address: string;
} & ({ kind: Presence | 'undeclared' } | { kind: 'value'; value: string });

type Presence = 'present' | 'absent';

/** Name of the state that a field is there or not, or that a field is there which the contract does not name. */
export const presenceState = (address: string, kind: Presence | 'undeclared'): string => `${address} ${kind}`;

/** Name of the state that a value was met at an address. */
export const valueState = (address: string, value: unknown): string => `${address} = ${value}`;

/** The state that has a name, as reports and journals have it. */
export function stateOf(name: string): State {
  const end = name.indexOf(' ');
  const [address, rest] = [name.slice(0, end), name.slice(end + 1)];
  if (rest === 'present' || rest === 'absent' || rest === 'undeclared') return { name, address, kind: rest };
  return { name, address, kind: 'value', value: rest.replace(/^= /, '') };
}

/** Names of the states of coverage that a node has: each known value, and presence where the field is optional. */
export interface NodeStates {
  values: Map<unknown, string>;
  presence: Record<Presence, string> | undefined;
}

/** Names of the states of a node. */
export function statesOf({ operation, pointer, kind, required, schema }: Node): NodeStates {
  const address = addressOf(operation, pointer);
  const [present, absent] = [presenceState(address, 'present'), presenceState(address, 'absent')];
  const isOptional = kind === 'field' && !required;
  return {
    values: new Map(knownValues(schema).map((value) => [value, valueState(address, value)])),
    presence: isOptional ? { present, absent } : undefined,
  };
}
