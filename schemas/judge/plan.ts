import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { CheckOf, Operation, Rule, Schema } from '../contract/contract.ts';
import { addressOf, type Node, nodesOf, statesOf } from '../contract/nodes.ts';
import { occurring, ruleAddress } from '../contract/requirements.ts';
import { validatorOf } from '../contract/validators.ts';
import { lastStep, parentOf } from '../json.ts';

/** What there is to judge at a place of an answer. */
export interface Plan {
  address: string;
  schema: Schema;
  /** Requirements that a value here exercises. */
  exercised: string[];
  /** Listed values, with their state of coverage. */
  values: Map<unknown, string>;
  members: Member[];
  names: Set<string>;
  promised: PromisedField[];
  echoes: EchoedField[];
  /** Fields by the other names under which they have been seen. */
  observedNames: [name: string, own: Member][];
  items: Plan | undefined;
  /** Of the body, and of an element of a list. */
  part: Part | undefined;
}

/** A field of an object; the states of coverage that an optional one has. */
export interface Member {
  name: string;
  plan: Plan;
  states: { present: string; absent: string } | undefined;
}

/** A field that has to be there where another one has a value. */
interface PromisedField {
  name: string;
  other: string;
  value: string;
  requirement: string;
}

/** A field that has to name what was requested. */
interface EchoedField {
  check: CheckOf<'echoes'>;
  requirement: string;
}

/**
 * What ajv judges at once: an answer, or an element of a list, without the elements of the lists in it. Ajv collects all
 * errors of what it is given before it returns: those of a long list would not fit into memory.
 */
export interface Part {
  operation: string;
  /** Of its schema node. */
  pointer: string;
  validate: ValidateFunction;
}

const plans = new WeakMap<Operation, Plan>();

/** What there is to judge in the body of a success. */
export function planOf(operation: Operation): Plan {
  const nodes = () => new Map(nodesOf(operation).map((node) => [node.pointer, node]));
  const plan = plans.get(operation) ?? build(operation, nodes(), '');
  plans.set(operation, plan);
  return plan;
}

function build(operation: Operation, nodes: Map<string, Node>, pointer: string): Plan {
  const node = nodes.get(pointer);
  if (!node) throw new Error(`${operation.id} has no node ${pointer}`);
  const { schema, kind } = node;
  const address = addressOf(operation.id, pointer);
  const members = Object.keys(schema.properties ?? {}).map((name): Member => {
    const own = nodes.get(`${pointer}/${name}`);
    return {
      name,
      plan: build(operation, nodes, `${pointer}/${name}`),
      states: own && statesOf(own).presence,
    };
  });
  return {
    address,
    schema,
    exercised: schema['x-values-that-occur'] ? [address, occurring(operation.id, pointer)] : [address],
    values: statesOf(node).values,
    members,
    names: new Set(members.map(({ name }) => name)),
    promised: operation.rules.flatMap((rule) => promisedBy(operation, rule, pointer)),
    echoes: operation.rules.flatMap((rule) => echoedBy(operation, rule, pointer)),
    observedNames: members.flatMap((member) => observedNames(member, schema)),
    items: schema.items && build(operation, nodes, `${pointer}/*`),
    part:
      kind === 'field'
        ? undefined
        : { operation: operation.id, pointer, validate: validatorOf(withoutElements(schema)) },
  };
}

function promisedBy({ id }: Operation, rule: Rule, parent: string): PromisedField[] {
  const { check } = rule;
  if (!('presentWith' in check) || parentOf(check.pointer) !== parent) return [];
  const [name, requirement] = [lastStep(check.pointer), ruleAddress(id, rule)];
  return Object.entries(check.presentWith).map(([other, value]) => ({ name, other, value, requirement }));
}

const echoedBy = ({ id }: Operation, rule: Rule, parent: string): EchoedField[] => {
  const { check } = rule;
  if (!('echoes' in check) || parentOf(check.pointer) !== parent) return [];
  return [{ check, requirement: ruleAddress(id, rule) }];
};

const observedNames = (member: Member, { properties = {} }: Schema): Plan['observedNames'] =>
  (member.plan.schema['x-observed-names'] ?? [])
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => [name, member]);

function withoutElements({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, withoutElements(field)])),
  };
}
