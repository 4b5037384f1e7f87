import { lastStep, parentOf } from './check-validation.ts';
import type { Operation, Schema } from './contract.ts';
import { addressOf, type Node, nodesOf } from './nodes.ts';
import { occurring, ruleAddress } from './requirements.ts';
import { statesOf } from './states.ts';

/** What there is to see in the answers of an operation. */
export interface AnswerPlan {
  body: Plan;
  /** Addresses of requirements, and states of coverage, each by its number. */
  addresses: string[];
  states: string[];
}

/** What there is to see at a place of an answer. What is counted has a number, so that counting is quick. */
export interface Plan {
  address: string;
  schema: Schema;
  /** Requirements that a value here exercises. */
  exercised: number[];
  /** Values that are states of coverage. */
  values: Map<unknown, number>;
  /** The number of the first of these states. */
  firstState: number;
  fields: Map<string, FieldPlan>;
  /** The same, to be walked quickly. */
  members: FieldPlan[];
  /** Fields that have to be there beside some values of others. */
  promised: PromisedField[];
  /** Fields by the other names under which they have been seen. */
  observedNames: Map<string, string>;
  items: Plan | undefined;
}

interface FieldPlan {
  name: string;
  plan: Plan;
  /** What an object that was parsed has under the name without having the field. */
  inherited: unknown;
  /** States of coverage that an optional field has. */
  states: { present: number; absent: number } | undefined;
}

/** A field that is there where another one has a value. */
interface PromisedField {
  name: string;
  other: string;
  value: string;
  /** The number of the requirement that says so. */
  exercised: number;
}

const plans = new WeakMap<Operation, AnswerPlan>();

/** What there is to see in the answers of an operation. */
export function planOf(operation: Operation): AnswerPlan {
  const known = plans.get(operation);
  if (known) return known;
  const labels = { addresses: [], states: [] };
  const nodes = new Map(nodesOf(operation).map((node) => [node.pointer, node]));
  const plan = { body: build(labels, nodes, operation, ''), ...labels };
  plans.set(operation, plan);
  return plan;
}

type Labels = Omit<AnswerPlan, 'body'>;

const numbered = (labels: string[], label: string) => labels.push(label) - 1;

function build(labels: Labels, nodes: Map<string, Node>, operation: Operation, pointer: string): Plan {
  const node = nodes.get(pointer);
  if (!node) throw new Error(`${operation.id} has no node ${pointer}`);
  const { schema } = node;
  const address = addressOf(operation.id, pointer);
  const addresses = schema['x-values-that-occur'] ? [address, occurring(operation.id, pointer)] : [address];
  const below = (step: string) => build(labels, nodes, operation, `${pointer}/${step}`);
  const exercised = addresses.map((one) => numbered(labels.addresses, one));
  const firstState = labels.states.length;
  const values = new Map(
    [...statesOf(node).values].map(([value, state]) => [value, numbered(labels.states, state)]),
  );
  const members = Object.keys(schema.properties ?? {}).map((name) =>
    fieldPlan(labels, name, nodes.get(`${pointer}/${name}`), below(name)),
  );
  return {
    address,
    schema,
    exercised,
    values,
    firstState,
    fields: new Map(members.map((member) => [member.name, member])),
    members,
    promised: promisedFields(labels, operation, pointer),
    observedNames: new Map(observedNames(schema)),
    items: schema.items && below('*'),
  };
}

function fieldPlan({ states }: Labels, name: string, node: Node | undefined, plan: Plan): FieldPlan {
  const inherited = Object.getOwnPropertyDescriptor(Object.prototype, name)?.value;
  const presence = node && statesOf(node).presence;
  if (!presence) return { name, plan, inherited, states: undefined };
  const { present, absent } = presence;
  const numbers = { present: numbered(states, present), absent: numbered(states, absent) };
  return { name, plan, inherited, states: numbers };
}

function promisedFields({ addresses }: Labels, operation: Operation, parent: string): PromisedField[] {
  return operation.rules.flatMap((rule): PromisedField[] => {
    const { check } = rule;
    if (!('presentWith' in check) || parentOf(check.pointer) !== parent) return [];
    const exercised = numbered(addresses, ruleAddress(operation.id, rule));
    const name = lastStep(check.pointer);
    return Object.entries(check.presentWith).map(([other, value]) => ({ name, other, value, exercised }));
  });
}

function observedNames({ properties = {} }: Schema): [name: string, own: string][] {
  return Object.entries(properties).flatMap(([own, field]) =>
    (field['x-observed-names'] ?? [])
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name): [string, string] => [name, own]),
  );
}
