import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Schema } from '../contract/contract.ts';
import { expectation } from '../contract/expectations.ts';
import { type Entry, toleration } from '../contract/ledger.ts';
import { addressOf, type Node } from '../contract/nodes.ts';
import { occurring, ruleAddress } from '../contract/requirements.ts';
import { errorsOf } from '../contract/validators.ts';
import { below, isRecord, ownValue } from '../json.ts';
import type { Findings, Judging } from './findings.ts';
import type { Violation } from './judged.ts';
import type { Plan } from './plan.ts';
import { declaredFieldsRule } from './rules.ts';

/** A way through a body along its schema. */
interface Walk extends Judging {
  /** Of the elements on the way to where it is, the outermost first. */
  indices: number[];
}

/** Where a value of a schema node stands in the body. */
function pointerOf({ indices }: Walk, { pointer }: Node): string {
  const left = indices.values();
  return pointer.replace(/(?<=\/)\*(?=\/|$)/g, () => String(left.next().value));
}

/** Judges a body of a success, or a part of it: every value by its schema node. */
export function walk(at: Walk, plan: Plan, value: unknown): void {
  const { found, indices } = at;
  const { node, validate, items, fields } = plan;
  if (validate)
    for (const error of errorsOf(validate, value)) found.add(violationOf(node, error, pointerOf(at, node)));
  exercise(found, plan, value);
  if (items && Array.isArray(value))
    for (const [index, element] of value.entries())
      walk({ ...at, indices: [...indices, index] }, items, element);
  if (fields.size === 0 || !isRecord(value)) return;
  for (const [name, field] of fields) {
    const isPresent = Object.hasOwn(value, name);
    coverPresence(found, field, isPresent);
    if (isPresent) walk(at, field, value[name]);
  }
  const others = Object.keys(value).filter((name) => !fields.has(name));
  if (others.length > 0) judgeOthers(at, plan, value, others);
}

/** Notes what a value exercises, and the state of coverage that it shows. */
function exercise(found: Findings, { exercised, states }: Plan, value: unknown): void {
  for (const requirement of exercised) found.exercise(requirement);
  const state = states.values.size > 0 ? states.values.get(value) : undefined;
  if (state !== undefined) found.cover(state);
}

function coverPresence(found: Findings, { states: { presence } }: Plan, isPresent: boolean): void {
  if (presence) found.cover(isPresent ? presence.present : presence.absent);
}

/** Fields that the contract does not name, or knows to be in use for others. */
function judgeOthers(at: Walk, plan: Plan, parent: Record<string, unknown>, names: string[]): void {
  const { operation, found } = at;
  const parentPointer = pointerOf(at, plan.node);
  for (const { node } of plan.fields.values())
    for (const name of otherNames(node, parent).filter((one) => names.includes(one)))
      found.add({
        requirement: addressOf(node.operation, node.pointer),
        pointer: below(parentPointer, node.name),
        foundAt: below(parentPointer, name),
        schema: node.schema,
        expected: `a field named ${node.name}`,
        value: undefined,
        parent,
        actual: `a field named ${name} in its place, ${typeText(parent[name])}`,
      });
  const rule = declaredFieldsRule(operation);
  if (!rule) return;
  const requirement = ruleAddress(operation.id, rule);
  const [expected, value] = ['only declared fields', undefined];
  for (const name of names.filter((one) => !isTolerated(found.entries, plan, one, parent))) {
    const pointer = below(parentPointer, name);
    found.addUndeclared({ requirement, pointer, expected, value, actual: typeText(parent[name]) });
  }
}

/** The type of a value, of which nothing more is said. */
function typeText(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Names under which a field that is not there has been seen. */
const otherNames = ({ name, schema }: Node, parent: Record<string, unknown>): string[] =>
  Object.hasOwn(parent, name) ? [] : (schema['x-observed-names'] ?? []);

/** Whether a field is there in place of one that is missed, and may have its name, as the ledger says. */
const isTolerated = (
  entries: Entry[],
  { fields }: Plan,
  name: string,
  parent: Record<string, unknown>,
): boolean =>
  entries.some((entry) => {
    if (!('name' in entry.accepts) || entry.accepts.name !== name) return false;
    const { requirement } = entry;
    const nodes = [...fields.values()].map(({ node }) => node);
    const own = nodes.find(({ operation, pointer }) => addressOf(operation, pointer) === requirement);
    if (!own || !(own.required || own.schema['x-observed-names']?.includes(name))) return false;
    return toleration({ requirement, value: ownValue(parent, own.name), parent }, [entry]) !== undefined;
  });

/** An error of ajv as a violation. @param at where the part stands in the answer */
function violationOf({ operation, pointer: node }: Node, error: ErrorObject, at: string): Violation {
  const { params, instancePath, parentSchema, data } = error;
  const { missingProperty: missing } = params;
  const suffix = missing === undefined ? instancePath : `${instancePath}/${missing}`;
  const schema: Schema = missing === undefined ? parentSchema : parentSchema?.properties?.[missing];
  const found =
    missing === undefined ? { value: data } : { value: undefined, parent: data as Record<string, unknown> };
  const place = { pointer: at + suffix, schema, ...found };
  if (error.keyword !== 'x-values-that-occur')
    return { ...place, requirement: addressOf(operation, node + suffix), expected: expectation(schema) };
  const expected = `one of ${(error.schema as string[]).join(', ')}`;
  return { ...place, requirement: occurring(operation, node + suffix), expected };
}
