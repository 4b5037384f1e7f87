import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Schema } from '../contract/contract.ts';
import { describeExpectation } from '../contract/expectations.ts';
import { acceptsViolation, type LedgerEntry } from '../contract/ledger.ts';
import { formatAddress, type Node } from '../contract/nodes.ts';
import { formatOccurringValuesAddress, formatRuleAddress } from '../contract/requirements.ts';
import { collectErrors } from '../contract/validators.ts';
import { appendStep, getOwnValue, isRecord, type JsonPointer } from '../json.ts';
import type { Findings, JudgeContext } from './findings.ts';
import type { Violation } from './judged.ts';
import type { NodeChecks } from './node-checks.ts';
import { findDeclaredFieldsRule } from './rules.ts';

interface WalkContext extends JudgeContext {
  /** Indices of the array elements that lead to the judged value, from the outermost list on. */
  indices: number[];
}

/** Replaces each `*` in the pointer of a schema node by an index: `/data/customers/*` becomes `/data/customers/3`. */
function fillIndices({ indices }: WalkContext, { pointer }: Node): JsonPointer {
  const remainingIndices = [...indices];
  const wildcardStep = /(?<=\/)\*(?=\/|$)/g;
  return pointer.replace(wildcardStep, () => String(remainingIndices.shift()));
}

/** Judges the body of a success, or one value in it, by its schema node. Recurses into list elements and declared fields. */
export function judgeValue(context: WalkContext, checks: NodeChecks, value: unknown): void {
  const { findings, indices } = context;
  const { node, validate, items } = checks;
  // A field has no validator of its own: it is validated with its object.
  if (validate)
    for (const error of collectErrors(validate, value))
      findings.add(createViolation(node, error, fillIndices(context, node)));
  countValue(findings, checks, value);
  if (items && Array.isArray(value))
    for (const [index, element] of value.entries())
      judgeValue({ ...context, indices: [...indices, index] }, items, element);
  const hasDeclaredFields = checks.fields.size > 0;
  if (hasDeclaredFields && isRecord(value)) judgeObjectFields(context, checks, value);
}

function judgeObjectFields(context: WalkContext, checks: NodeChecks, object: Record<string, unknown>): void {
  for (const [name, fieldChecks] of checks.fields) {
    const isPresent = Object.hasOwn(object, name);
    const { presence } = fieldChecks.coverageStates;
    if (presence) context.findings.countState(isPresent ? presence.presentState : presence.absentState);
    if (isPresent) judgeValue(context, fieldChecks, object[name]);
  }
  const undeclaredNames = Object.keys(object).filter((name) => !checks.fields.has(name));
  if (undeclaredNames.length === 0) return;
  const pointer = fillIndices(context, checks.node);
  addRenamedFields(context, checks, { object, pointer, undeclaredNames });
  addUndeclaredFields(context, checks, { object, pointer, undeclaredNames });
}

function countValue(findings: Findings, { requirements, coverageStates }: NodeChecks, value: unknown): void {
  for (const requirement of requirements) findings.countJudgement(requirement);
  const { stateByValue } = coverageStates;
  // Most nodes have no documented values. Large lists are judged faster without the lookup.
  const state = stateByValue.size > 0 ? stateByValue.get(value) : undefined;
  if (state !== undefined) findings.countState(state);
}

/** Object of a body that has undeclared fields. `pointer` has indices: `/data/fee_rules/3`. */
interface ObjectWithUndeclared {
  object: Record<string, unknown>;
  pointer: JsonPointer;
  undeclaredNames: string[];
}

/** Adds a violation for each missing field that has one of its `x-observed-names` instead, such as `p_user_id` for `user_id`. */
function addRenamedFields({ findings }: WalkContext, { fields }: NodeChecks, judged: ObjectWithUndeclared) {
  for (const { node } of fields.values()) {
    const isMissing = !Object.hasOwn(judged.object, node.name);
    const observedNames = node.schema['x-observed-names'] ?? [];
    const foundNames = observedNames.filter((name) => judged.undeclaredNames.includes(name));
    if (isMissing)
      for (const foundName of foundNames) findings.add(createRenamedViolation(node, judged, foundName));
  }
}

/** If the operation has a rule against undeclared fields, adds a violation for each that no ledger entry tolerates. */
function addUndeclaredFields(
  { operation, findings }: WalkContext,
  checks: NodeChecks,
  { object, pointer, undeclaredNames }: ObjectWithUndeclared,
): void {
  const rule = findDeclaredFieldsRule(operation);
  if (!rule) return;
  const violation = { requirement: formatRuleAddress(operation.id, rule), expected: 'only declared fields' };
  for (const name of undeclaredNames) {
    if (isToleratedName(findings.entries, checks, name, object)) continue;
    const actual = describeType(object[name]);
    findings.addUndeclared({ ...violation, pointer: appendStep(pointer, name), value: undefined, actual });
  }
}

const createRenamedViolation = (node: Node, judged: ObjectWithUndeclared, foundName: string): Violation => ({
  requirement: formatAddress(node.operation, node.pointer),
  pointer: appendStep(judged.pointer, node.name),
  similarFieldPointer: appendStep(judged.pointer, foundName),
  schema: node.schema,
  expected: `a field named ${node.name}`,
  value: undefined,
  parent: judged.object,
  actual: `a field named ${foundName} in its place, ${describeType(judged.object[foundName])}`,
});

/** Describes the type of a value, such as "an array". Does not show the value, which may be confidential. */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Returns whether a ledger entry (`accepts.name`) tolerates an undeclared name for a field that `parent` lacks. */
const isToleratedName = (
  entries: LedgerEntry[],
  { fields }: NodeChecks,
  undeclaredName: string,
  parent: Record<string, unknown>,
): boolean =>
  entries.some((entry) => {
    const { requirement, accepts } = entry;
    if (!('name' in accepts) || accepts.name !== undeclaredName) return false;
    const fieldChecks = [...fields.values()].find(({ requirements }) => requirements.includes(requirement));
    if (!fieldChecks) return false;
    if (!canStandFor(fieldChecks.node, undeclaredName)) return false;
    const value = getOwnValue(parent, fieldChecks.node.name);
    return acceptsViolation(entry, { requirement, value, parent });
  });

/** Returns whether a missing field may have another name: a required field any name, an optional one a name in `x-observed-names`. */
const canStandFor = ({ required, schema }: Node, otherName: string): boolean =>
  required || (schema['x-observed-names'] ?? []).includes(otherName);

/**
 * Converts an error of Ajv to a violation.
 * @param node schema node of the body or list element that was validated
 * @param indexedPointer JSON Pointer of that body or element, with indices: `/data/customers/3` for the node `/data/customers/*`
 */
function createViolation(node: Node, error: ErrorObject, indexedPointer: JsonPointer): Violation {
  const { instancePath, parentSchema, data, params } = error;
  const missingField: string | undefined = params.missingProperty;
  if (missingField !== undefined)
    return createMissingFieldViolation(node, error, indexedPointer, missingField);
  const schema = parentSchema as Schema;
  // `instancePath` has no index, because the validator ignores the elements of lists (`NodeChecks.validate`).
  const wildcardPointer = node.pointer + instancePath;
  const violation = {
    requirement: formatAddress(node.operation, wildcardPointer),
    pointer: indexedPointer + instancePath,
    schema,
    expected: describeExpectation(schema),
    value: data,
  };
  if (error.keyword !== 'x-values-that-occur') return violation;
  const requirement = formatOccurringValuesAddress(node.operation, wildcardPointer);
  return { ...violation, requirement, expected: `one of ${(error.schema as string[]).join(', ')}` };
}

function createMissingFieldViolation(
  node: Node,
  { instancePath, parentSchema = {}, data }: ErrorObject,
  indexedPointer: JsonPointer,
  missingField: string,
): Violation {
  const parent = data as Record<string, unknown>;
  const parentPointer = indexedPointer + instancePath;
  const schema: Schema = parentSchema.properties?.[missingField];
  const similarName = findSimilarName(parentSchema, missingField, parent);
  return {
    requirement: formatAddress(node.operation, `${node.pointer}${instancePath}/${missingField}`),
    pointer: `${parentPointer}/${missingField}`,
    schema,
    expected: describeExpectation(schema),
    value: undefined,
    parent,
    ...(similarName !== undefined && { similarFieldPointer: appendStep(parentPointer, similarName) }),
  };
}

/** Finds an undeclared name that equals the one of a missing field, except for case and underscores: `dialCode` for `dial_code`. */
function findSimilarName({ properties = {} }: Schema, missingField: string, parent: object) {
  const undeclaredNames = Object.keys(parent).filter((name) => !Object.hasOwn(properties, name));
  const simplify = (name: string) => name.replaceAll('_', '').toLowerCase();
  return undeclaredNames.find((name) => simplify(name) === simplify(missingField));
}
