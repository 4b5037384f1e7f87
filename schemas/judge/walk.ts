import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Schema } from '../contract/contract.ts';
import { describeExpectation } from '../contract/expectations.ts';
import { findToleratingEntry, type LedgerEntry } from '../contract/ledger.ts';
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
    countPresence(context.findings, fieldChecks, isPresent);
    if (isPresent) judgeValue(context, fieldChecks, object[name]);
  }
  const undeclaredNames = Object.keys(object).filter((name) => !checks.fields.has(name));
  if (undeclaredNames.length > 0) judgeUndeclaredFields(context, checks, object, undeclaredNames);
}

function countValue(findings: Findings, { requirements, coverageStates }: NodeChecks, value: unknown): void {
  for (const requirement of requirements) findings.countJudgement(requirement);
  const { stateByValue } = coverageStates;
  // Most nodes have no documented values. Large lists are judged faster without the lookup.
  const state = stateByValue.size > 0 ? stateByValue.get(value) : undefined;
  if (state !== undefined) findings.countState(state);
}

function countPresence(
  findings: Findings,
  { coverageStates: { presence } }: NodeChecks,
  isPresent: boolean,
): void {
  if (presence) findings.countState(isPresent ? presence.presentState : presence.absentState);
}

/**
 * Adds each undeclared field of an object to the findings, unless a ledger entry tolerates its name. If the name has been
 * observed in place of a missing field, as `p_user_id` in place of `user_id`, adds the missing field, too.
 */
function judgeUndeclaredFields(
  context: WalkContext,
  checks: NodeChecks,
  parent: Record<string, unknown>,
  undeclaredNames: string[],
): void {
  const { operation, findings } = context;
  const parentPointer = fillIndices(context, checks.node);
  for (const { node } of checks.fields.values())
    for (const observedName of getObservedNames(node, parent))
      if (undeclaredNames.includes(observedName))
        findings.add(createRenamedViolation(node, parent, parentPointer, observedName));
  const rule = findDeclaredFieldsRule(operation);
  if (!rule) return;
  const requirement = formatRuleAddress(operation.id, rule);
  const expected = 'only declared fields';
  for (const name of undeclaredNames) {
    if (isToleratedName(findings.entries, checks, name, parent)) continue;
    const pointer = appendStep(parentPointer, name);
    const actual = describeType(parent[name]);
    findings.addUndeclared({ requirement, pointer, expected, value: undefined, actual });
  }
}

function createRenamedViolation(
  { operation, pointer, name, schema }: Node,
  parent: Record<string, unknown>,
  parentPointer: JsonPointer,
  observedName: string,
): Violation {
  return {
    requirement: formatAddress(operation, pointer),
    pointer: appendStep(parentPointer, name),
    similarFieldPointer: appendStep(parentPointer, observedName),
    schema,
    expected: `a field named ${name}`,
    value: undefined,
    parent,
    actual: `a field named ${observedName} in its place, ${describeType(parent[observedName])}`,
  };
}

/** Describes the type of a value, such as "an array". Does not show the value, which may be confidential. */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const getObservedNames = ({ name, schema }: Node, parent: Record<string, unknown>): string[] =>
  Object.hasOwn(parent, name) ? [] : (schema['x-observed-names'] ?? []);

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
    const missingField = [...fields.values()].find(({ requirements }) => requirements.includes(requirement));
    if (!missingField) return false;
    const { name, required, schema } = missingField.node;
    // An optional field may be missing. Then another name stands for it only if responses were observed to use that name.
    const isObservedName = schema['x-observed-names']?.includes(undeclaredName) ?? false;
    if (!required && !isObservedName) return false;
    const violation = { requirement, value: getOwnValue(parent, name), parent };
    return findToleratingEntry(violation, [entry]) !== undefined;
  });

/**
 * Converts an error of Ajv to a violation.
 * @param node schema node of the body or list element that was validated
 * @param nodePointer JSON Pointer of that body or element, with indices: `/data/customers/3` for the node `/data/customers/*`
 */
function createViolation(node: Node, error: ErrorObject, nodePointer: JsonPointer): Violation {
  const { instancePath, parentSchema, data, params } = error;
  const missingField: string | undefined = params.missingProperty;
  if (missingField !== undefined) return createMissingFieldViolation(node, error, nodePointer, missingField);
  const schema = parentSchema as Schema;
  const genericPointer = node.pointer + instancePath;
  const violation = {
    requirement: formatAddress(node.operation, genericPointer),
    pointer: nodePointer + instancePath,
    schema,
    expected: describeExpectation(schema),
    value: data,
  };
  if (error.keyword !== 'x-values-that-occur') return violation;
  const requirement = formatOccurringValuesAddress(node.operation, genericPointer);
  return { ...violation, requirement, expected: `one of ${(error.schema as string[]).join(', ')}` };
}

function createMissingFieldViolation(
  node: Node,
  { instancePath, parentSchema = {}, data }: ErrorObject,
  nodePointer: JsonPointer,
  missingField: string,
): Violation {
  const parent = data as Record<string, unknown>;
  const parentPointer = nodePointer + instancePath;
  const schema: Schema = parentSchema.properties?.[missingField];
  return {
    requirement: formatAddress(node.operation, `${node.pointer}${instancePath}/${missingField}`),
    pointer: `${parentPointer}/${missingField}`,
    schema,
    expected: describeExpectation(schema),
    value: undefined,
    parent,
    ...locateSimilarField(parentSchema, missingField, parent, parentPointer),
  };
}

/** Finds an undeclared field whose name equals a missing one except for case and underscores: `dialCode`, `dial_code`. */
function locateSimilarField(
  { properties = {} }: Schema,
  missingField: string,
  parent: object,
  parentPointer: JsonPointer,
): Pick<Violation, 'similarFieldPointer'> {
  const similarName = Object.keys(parent).find((name) => {
    const isDeclared = Object.hasOwn(properties, name);
    return !isDeclared && simplifyName(name) === simplifyName(missingField);
  });
  return similarName === undefined ? {} : { similarFieldPointer: appendStep(parentPointer, similarName) };
}

const simplifyName = (name: string): string => name.replaceAll('_', '').toLowerCase();
