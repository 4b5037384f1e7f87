import type { Operation, Schema } from './contract.ts';
import { addressOf } from './nodes.ts';
import { occurring } from './requirements.ts';

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
  fields: Map<string, FieldPlan>;
  /** Fields by the other names under which they have been seen. */
  observedNames: Map<string, string>;
  items: Plan | undefined;
}

interface FieldPlan {
  plan: Plan;
  /** States of coverage that an optional field has. */
  states: { present: number; absent: number } | undefined;
}

const plans = new WeakMap<Operation, AnswerPlan>();

/** What there is to see in the answers of an operation. */
export function planOf(operation: Operation): AnswerPlan {
  const known = plans.get(operation);
  if (known) return known;
  const labels = { addresses: [], states: [] };
  const plan = { body: build(labels, operation.id, operation.schema, ''), ...labels };
  plans.set(operation, plan);
  return plan;
}

type Labels = Omit<AnswerPlan, 'body'>;

const numbered = (labels: string[], label: string) => labels.push(label) - 1;

function build(labels: Labels, operation: string, schema: Schema, pattern: string): Plan {
  const address = addressOf(operation, pattern);
  const known: unknown[] = schema.enum ?? schema['x-values-that-occur'] ?? [];
  const addresses = schema['x-values-that-occur'] ? [address, occurring(operation, pattern)] : [address];
  return {
    address,
    schema,
    exercised: addresses.map((one) => numbered(labels.addresses, one)),
    values: new Map(known.map((value) => [value, numbered(labels.states, `${address} = ${value}`)])),
    fields: new Map(
      Object.entries(schema.properties ?? {}).map(([name, field]) => {
        const plan = build(labels, operation, field, `${pattern}/${name}`);
        return [name, { plan, states: schema.required?.includes(name) ? undefined : presence(labels, plan) }];
      }),
    ),
    observedNames: new Map(observedNames(schema)),
    items: schema.items && build(labels, operation, schema.items, `${pattern}/*`),
  };
}

const presence = ({ states }: Labels, { address }: Plan) => ({
  present: numbered(states, `${address} present`),
  absent: numbered(states, `${address} absent`),
});

function observedNames({ properties = {} }: Schema): [name: string, own: string][] {
  return Object.entries(properties).flatMap(([own, field]) =>
    (field['x-observed-names'] ?? [])
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name): [string, string] => [name, own]),
  );
}
