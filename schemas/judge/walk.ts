import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Schema } from '../contract/contract.ts';
import { expectation } from '../contract/expectations.ts';
import { sameIdentifier } from '../contract/identifiers.ts';
import { type Entry, toleration } from '../contract/ledger.ts';
import { addressOf, fieldOf } from '../contract/nodes.ts';
import { occurring } from '../contract/requirements.ts';
import { errorsOf, isValid, validatorOf } from '../contract/validators.ts';
import { below, isRecord, lastStep, maxFirst, ownValue } from '../json.ts';
import type { Judging } from './findings.ts';
import type { Counts, Undeclared, Violation } from './judged.ts';
import type { Part, Plan } from './plan.ts';
import { isSentWith } from './rules.ts';

/** A way through a body along its schema. */
interface Walk extends Judging {
  /** From the root to where it is. */
  path: (string | number)[];
}

const pointerOf = ({ path }: Walk): string => path.reduce<string>(below, '');

/** Judges a body of a success, or a part of it: every value by its schema node, and what else is said of the objects in it. */
export function walk(at: Walk, plan: Plan, value: unknown): void {
  const { found } = at;
  const { part } = plan;
  if (part)
    for (const error of errorsOf(part.validate, value)) found.add(violationOf(part, error, pointerOf(at)));
  for (const requirement of plan.exercised) found.exercise(requirement);
  const state = plan.values.get(value);
  if (state !== undefined) count(found.covered, state);
  if (plan.items && Array.isArray(value)) walkList(at, plan.items, value);
  else if (plan.members.length > 0 && isRecord(value)) walkObject(at, plan, value);
}

function walkList(at: Walk, items: Plan, list: unknown[]): void {
  const { found } = at;
  const outer = found.record;
  for (const [index, element] of list.entries()) {
    found.record = outer ?? index;
    at.path.push(index);
    walk(at, items, element);
    at.path.pop();
  }
  found.record = outer;
}

function walkObject(at: Walk, plan: Plan, value: Record<string, unknown>): void {
  for (const { name, plan: field, states } of plan.members) {
    const isPresent = Object.hasOwn(value, name);
    if (states) count(at.found.covered, isPresent ? states.present : states.absent);
    if (!isPresent) continue;
    at.path.push(name);
    walk(at, field, value[name]);
    at.path.pop();
  }
  const others = Object.keys(value).filter((name) => !plan.names.has(name));
  if (others.length > 0) judgeOthers(at, plan, value, others);
  judgePromised(at, plan, value);
  judgeEchoes(at, plan, value);
}

/** Fields that the contract does not name, or knows to be in use for others. */
function judgeOthers(at: Walk, plan: Plan, parent: Record<string, unknown>, names: string[]): void {
  const { observedNames, schema } = plan;
  const parentPointer = pointerOf(at);
  for (const [name, own] of observedNames) {
    if (Object.hasOwn(parent, own.name) || !Object.hasOwn(parent, name)) continue;
    const type = parent[name] === null ? 'null' : `a ${typeof parent[name]}`;
    at.found.add({
      requirement: own.plan.address,
      pointer: below(parentPointer, own.name),
      schema: own.plan.schema,
      expected: `a field named ${own.name}`,
      value: undefined,
      parent,
      actual: `a field named ${name} in its place, ${type}`,
    });
  }
  const { undeclared } = at.found.judged;
  for (const name of names) {
    const pointer = below(parentPointer, name);
    const field = { pointer, name, value: parent[name], parent, parentPointer, schema };
    if (isTolerated(at.entries, plan, field)) continue;
    undeclared.places += 1;
    if (undeclared.first.length < maxFirst) undeclared.first.push(field);
  }
}

/** Whether a field is there in place of one that is missed, and may have its name, as the ledger says. */
const isTolerated = (
  entries: Entry[],
  { members, observedNames, schema }: Plan,
  field: Undeclared,
): boolean =>
  entries.some((entry) => {
    if (!('name' in entry.accepts) || entry.accepts.name !== field.name) return false;
    const own = members.find(({ plan }) => plan.address === entry.requirement);
    const isObserved = observedNames.some(([name, member]) => name === field.name && member === own);
    if (!own || !(isObserved || schema.required?.includes(own.name))) return false;
    const { requirement } = entry;
    const value = ownValue(field.parent, own.name);
    return toleration({ requirement, value, parent: field.parent }, [entry]) !== undefined;
  });

/** A field that is promised beside a value of another one. */
function judgePromised(at: Walk, { promised }: Plan, value: Record<string, unknown>): void {
  const { found } = at;
  for (const { name, other, value: expected, requirement } of promised) {
    if (!Object.hasOwn(value, other) || value[other] !== expected) continue;
    found.exercise(requirement);
    if (Object.hasOwn(value, name)) continue;
    const pointer = below(pointerOf(at), name);
    const what = `present where ${other} is ${expected}`;
    found.add({ requirement, pointer, expected: what, value, actual: 'nothing: it is missing' });
  }
}

/** That a record is the one that was requested. What a request did not ask for, a response need not echo. */
function judgeEchoes(at: Walk, plan: Plan, parent: Record<string, unknown>): void {
  const { found, parameters } = at;
  for (const { check, requirement } of plan.echoes) {
    const asked = ownValue(parameters, check.echoes) as string | undefined;
    if (asked === undefined || !isSentWith(check.when ?? {}, parameters)) continue;
    const own = lastStep(check.pointer);
    const schema = fieldOf(plan.schema, own) ?? {};
    // A field may stand under the names under which it has been seen, too.
    const names = [own, ...(schema['x-observed-names'] ?? [])];
    const isRequired = plan.schema.required?.includes(own) ?? false;
    for (const name of names.filter((one) => isName(ownValue(parent, one), schema, isRequired))) {
      const value = ownValue(parent, name) as string;
      found.exercise(requirement);
      if (sameIdentifier(value, asked)) continue;
      const pointer = below(pointerOf(at), name);
      const [expected, actual] = [`the requested \`${check.echoes}\``, `another \`${check.echoes}\``];
      found.add({ requirement, pointer, schema, expected, value, actual });
    }
  }
}

/** An optional field that is empty names nothing; one that breaks its own rule is not compared. */
const isName = (value: unknown, schema: Schema, isRequired: boolean): value is string =>
  typeof value === 'string' && isValid(validatorOf(schema), value) && (isRequired || value.trim() !== '');

/** An error of ajv as a violation. @param at where the part stands in the answer */
function violationOf({ operation, pointer: node }: Part, error: ErrorObject, at: string): Violation {
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

function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
