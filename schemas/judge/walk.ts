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

/** Request, response and findings, and the position in the body that is being judged. */
interface WalkContext extends JudgeContext {
  /** Indices of the array elements that lead to the position, from the outermost list on: `[3]` within `/data/customers/3`. */
  indices: number[];
}

/**
 * Replaces each `*` in the JSON Pointer of a schema node by the index at the current position: `/data/customers/*` becomes
 * `/data/customers/3` with `indices: [3]`.
 */
function fillIndices({ indices }: WalkContext, { pointer }: Node): JsonPointer {
  const remainingIndices = indices.values();
  const wildcardStep = /(?<=\/)\*(?=\/|$)/g;
  return pointer.replace(wildcardStep, () => String(remainingIndices.next().value));
}

/**
 * Judges the body of a success by its schema, or one value within the body. Also counts which requirements were judged, and which
 * documented values and optional fields occurred. Recurses into list elements and declared fields.
 */
export function judgeValue(context: WalkContext, checks: NodeChecks, value: unknown): void {
  const { findings, indices } = context;
  const { node, validate, items, fields } = checks;
  // A field has no validator of its own: it is validated with its object.
  if (validate)
    for (const error of collectErrors(validate, value))
      findings.add(createViolation(node, error, fillIndices(context, node)));
  countValue(findings, checks, value);
  if (items && Array.isArray(value))
    for (const [index, element] of value.entries())
      judgeValue({ ...context, indices: [...indices, index] }, items, element);
  if (fields.size === 0 || !isRecord(value)) return;
  for (const [name, fieldChecks] of fields) {
    const isPresent = Object.hasOwn(value, name);
    countPresence(findings, fieldChecks, isPresent);
    if (isPresent) judgeValue(context, fieldChecks, value[name]);
  }
  const undeclaredNames = Object.keys(value).filter((name) => !fields.has(name));
  if (undeclaredNames.length > 0) judgeUndeclaredFields(context, checks, value, undeclaredNames);
}

/** Counts the requirements by which a value is judged, and the value itself if it is a documented one such as `Active`. */
function countValue(findings: Findings, { requirements, coverageStates }: NodeChecks, value: unknown): void {
  for (const requirement of requirements) findings.countJudgement(requirement);
  const { values } = coverageStates;
  // Most nodes have no documented values. Large lists are judged faster without the lookup.
  const state = values.size > 0 ? values.get(value) : undefined;
  if (state !== undefined) findings.countState(state);
}

function countPresence(
  findings: Findings,
  { coverageStates: { presence } }: NodeChecks,
  isPresent: boolean,
): void {
  if (presence) findings.countState(isPresent ? presence.present : presence.absent);
}

/**
 * Judges the fields of an object that the contract does not declare. If such a field has one of the names in `x-observed-names`
 * of a missing field, the missing field is a violation. Each field that no ledger entry tolerates is also added as undeclared.
 * @param parent object that has the fields
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
    foundAt: appendStep(parentPointer, observedName),
    schema,
    expected: `a field named ${name}`,
    value: undefined,
    parent,
    actual: `a field named ${observedName} in its place, ${describeType(parent[observedName])}`,
  };
}

/**
 * Describes the type of a value, such as "null", "an array" or "a string". Does not show the value, which may be confidential.
 */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const getObservedNames = ({ name, schema }: Node, parent: Record<string, unknown>): string[] =>
  Object.hasOwn(parent, name) ? [] : (schema['x-observed-names'] ?? []);

/**
 * Returns whether a ledger entry accepts an undeclared field, because `accepts.name` of the entry is its name, and the object
 * lacks the field for which it stands.
 * @param parent object that has the undeclared field
 */
const isToleratedName = (
  entries: LedgerEntry[],
  { fields }: NodeChecks,
  undeclaredName: string,
  parent: Record<string, unknown>,
): boolean =>
  entries.some((entry) => {
    if (!('name' in entry.accepts) || entry.accepts.name !== undeclaredName) return false;
    const { requirement } = entry;
    const nodes = [...fields.values()].map(({ node }) => node);
    const missingField = nodes.find(
      ({ operation, pointer }) => formatAddress(operation, pointer) === requirement,
    );
    if (!missingField) return false;
    // An optional field may be missing. Then another name stands for it only if responses were observed to use that name.
    const isObservedName = missingField.schema['x-observed-names']?.includes(undeclaredName) ?? false;
    if (!missingField.required && !isObservedName) return false;
    const violation = { requirement, value: getOwnValue(parent, missingField.name), parent };
    return findToleratingEntry(violation, [entry]) !== undefined;
  });

/**
 * Converts an error of Ajv to a violation of the requirement for the field with the error.
 * @param node schema node of the body or list element that was validated
 * @param nodePointer JSON Pointer of that body or element, with indices: `/data/customers/3` for the node `/data/customers/*`
 */
function createViolation(node: Node, error: ErrorObject, nodePointer: JsonPointer): Violation {
  const { instancePath, parentSchema, data, params } = error;
  const missingField: string | undefined = params.missingProperty;
  if (missingField !== undefined) return createMissingFieldViolation(node, error, nodePointer, missingField);
  const { operation } = node;
  const schema = parentSchema as Schema;
  const commonFields = { pointer: nodePointer + instancePath, schema, value: data };
  const genericPointer = node.pointer + instancePath;
  if (error.keyword !== 'x-values-that-occur')
    return {
      ...commonFields,
      requirement: formatAddress(operation, genericPointer),
      expected: describeExpectation(schema),
    };
  return {
    ...commonFields,
    requirement: formatOccurringValuesAddress(operation, genericPointer),
    expected: `one of ${(error.schema as string[]).join(', ')}`,
  };
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

/**
 * Finds an undeclared field that is likely meant for a missing one, because the names differ only in letter case and underscores:
 * `dialCode` for `dial_code`. Returns `{}` if there is none.
 */
function locateSimilarField(
  { properties = {} }: Schema,
  missingField: string,
  parent: object,
  parentPointer: JsonPointer,
): Pick<Violation, 'foundAt'> {
  const similarName = Object.keys(parent).find((name) => {
    const isDeclared = Object.hasOwn(properties, name);
    return !isDeclared && simplifyName(name) === simplifyName(missingField);
  });
  return similarName === undefined ? {} : { foundAt: appendStep(parentPointer, similarName) };
}

/** Removes underscores from a field name and converts it to lower case: `dialcode` for `dialCode` and `dial_code`. */
const simplifyName = (name: string): string => name.replaceAll('_', '').toLowerCase();
