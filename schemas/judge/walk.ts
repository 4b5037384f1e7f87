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

/**
 * Judges a value with its list elements and fields. Adds the results to `context.findings`.
 * @param pointer JSON Pointer with indices, such as `/data/customers/3`
 */
export function judgeValue(
  context: JudgeContext,
  checks: NodeChecks,
  value: unknown,
  pointer: JsonPointer,
): void {
  addSchemaViolations(context, checks, value, pointer);
  countValue(context.findings, checks, value);
  if (Array.isArray(value)) judgeElements(context, checks, value, pointer);
  else if (isRecord(value)) judgeObject(context, checks, value, pointer);
}

function addSchemaViolations(
  { findings }: JudgeContext,
  { node, validate }: NodeChecks,
  value: unknown,
  pointer: JsonPointer,
): void {
  if (!validate) return;
  for (const error of collectErrors(validate, value)) {
    const violation = createViolation(node, error, pointer);
    // `countValue` counts only present values as judged. A missing field is counted here: 2 of 15 values are wrong, not 2 of 13.
    const isMissing = violation.value === undefined;
    if (isMissing) findings.countJudgement(violation.requirement);
    findings.add(violation);
  }
}

function judgeElements(
  context: JudgeContext,
  { items }: NodeChecks,
  list: unknown[],
  pointer: JsonPointer,
): void {
  if (!items) return;
  for (const [index, element] of list.entries()) judgeValue(context, items, element, `${pointer}/${index}`);
}

function judgeObject(
  context: JudgeContext,
  checks: NodeChecks,
  object: Record<string, unknown>,
  pointer: JsonPointer,
): void {
  // An object in place of another type, such as a text, is already a violation. The contract declares no fields for it.
  const hasDeclaredFields = checks.fields.size > 0;
  if (!hasDeclaredFields) return;
  for (const [name, fieldChecks] of checks.fields) {
    const isPresent = Object.hasOwn(object, name);
    const { presence } = fieldChecks.coverageStates;
    if (presence) context.findings.countState(isPresent ? presence.presentState : presence.absentState);
    if (isPresent) judgeValue(context, fieldChecks, object[name], `${pointer}/${name}`);
  }
  const undeclaredNames = Object.keys(object).filter((name) => !checks.fields.has(name));
  if (undeclaredNames.length === 0) return;
  addRenamedFields(context, checks, object, pointer, undeclaredNames);
  addUndeclaredFields(context, checks, object, pointer, undeclaredNames);
}

function countValue(findings: Findings, { requirements, coverageStates }: NodeChecks, value: unknown): void {
  for (const requirement of requirements) findings.countJudgement(requirement);
  const { stateByValue } = coverageStates;
  // Most nodes have no documented values. Large lists are judged faster without the lookup.
  if (stateByValue.size === 0) return;
  const state = stateByValue.get(value);
  if (state !== undefined) findings.countState(state);
}

/**
 * Adds a violation for each renamed field, such as `p_user_id` in place of `user_id`.
 * A field is renamed if it is missing and `object` has a name from the field's `x-observed-names`.
 * @param undeclaredNames names in `object` that the contract does not declare
 */
function addRenamedFields(
  { findings }: JudgeContext,
  { fields }: NodeChecks,
  object: Record<string, unknown>,
  pointer: JsonPointer,
  undeclaredNames: string[],
): void {
  for (const { node } of fields.values()) {
    const isMissing = !Object.hasOwn(object, node.name);
    if (!isMissing) continue;
    const observedNames = node.schema['x-observed-names'] ?? [];
    const receivedNames = observedNames.filter((name) => undeclaredNames.includes(name));
    const requirement = formatAddress(node.operation, node.pointer);
    for (const receivedName of receivedNames) {
      // `countValue` counts only fields under their declared name. Any other name is counted here, so that 2 of 5 values are wrong,
      // not 2 of 3.
      findings.countJudgement(requirement);
      findings.add({
        requirement,
        pointer: appendStep(pointer, node.name),
        similarFieldPointer: appendStep(pointer, receivedName),
        schema: node.schema,
        expected: `a field named ${node.name}`,
        value: undefined,
        parent: object,
        actual: `a field named ${receivedName} in its place, ${describeType(object[receivedName])}`,
      });
    }
  }
}

function addUndeclaredFields(
  { operation, findings }: JudgeContext,
  checks: NodeChecks,
  object: Record<string, unknown>,
  pointer: JsonPointer,
  undeclaredNames: string[],
): void {
  const rule = findDeclaredFieldsRule(operation);
  if (!rule) return;
  const requirement = formatRuleAddress(operation.id, rule);
  const { entries: ledgerEntries } = findings;
  for (const name of undeclaredNames) {
    const isTolerated = ledgerEntries.some((entry) => acceptsOtherName(entry, checks, name, object));
    if (isTolerated) continue;
    findings.addUndeclared({
      requirement,
      expected: 'only declared fields',
      pointer: appendStep(pointer, name),
      value: undefined,
      actual: describeType(object[name]),
    });
  }
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function acceptsOtherName(
  entry: LedgerEntry,
  { fields }: NodeChecks,
  undeclaredName: string,
  object: Record<string, unknown>,
): boolean {
  const { accepts, requirement } = entry;
  const acceptsName = 'name' in accepts && accepts.name === undeclaredName;
  if (!acceptsName) return false;
  const field = [...fields.values()].find(({ requirements }) => requirements.includes(requirement));
  if (!field || !canHaveName(field.node, undeclaredName)) return false;
  const declaredValue = getOwnValue(object, field.node.name);
  // The other name is accepted only in place of the declared one. If the object has both, `acceptsViolation` returns false.
  return acceptsViolation(entry, { requirement, value: declaredValue, parent: object });
}

function canHaveName({ required, schema }: Node, otherName: string): boolean {
  // A missing required field is always a violation, and a ledger entry may accept it.
  if (required) return true;
  // A missing optional field is one only if the object has an observed name in its place.
  const observedNames = schema['x-observed-names'] ?? [];
  return observedNames.includes(otherName);
}

function createViolation(node: Node, error: ErrorObject, valuePointer: JsonPointer): Violation {
  const { instancePath, keyword, params } = error;
  const missingField: string | undefined = params.missingProperty;
  if (missingField !== undefined) return createMissingFieldViolation(node, error, valuePointer, missingField);
  const schema = error.parentSchema as Schema;
  // `instancePath` has no index, because the validator ignores list elements.
  const nodePointer = node.pointer + instancePath;
  const occurringValues = keyword === 'x-values-that-occur' ? schema[keyword] : undefined;
  const formatAddressOfNode = occurringValues ? formatOccurringValuesAddress : formatAddress;
  return {
    requirement: formatAddressOfNode(node.operation, nodePointer),
    pointer: valuePointer + instancePath,
    schema,
    expected: occurringValues ? `one of ${occurringValues.join(', ')}` : describeExpectation(schema),
    value: error.data,
  };
}

function createMissingFieldViolation(
  node: Node,
  { instancePath: pathToParent, parentSchema = {}, data }: ErrorObject,
  valuePointer: JsonPointer,
  missingField: string,
): Violation {
  const parent = data as Record<string, unknown>;
  const parentPointer = valuePointer + pathToParent;
  const schema: Schema = parentSchema.properties?.[missingField];
  const violation: Violation = {
    requirement: formatAddress(node.operation, `${node.pointer}${pathToParent}/${missingField}`),
    pointer: `${parentPointer}/${missingField}`,
    schema,
    expected: describeExpectation(schema),
    value: undefined,
    parent,
  };
  const similarName = findSimilarName(parentSchema, missingField, parent);
  if (similarName !== undefined) violation.similarFieldPointer = appendStep(parentPointer, similarName);
  return violation;
}

function findSimilarName(
  { properties = {} }: Schema,
  missingField: string,
  parent: object,
): string | undefined {
  const removeCaseAndUnderscores = (name: string) => name.replaceAll('_', '').toLowerCase();
  const missingLetters = removeCaseAndUnderscores(missingField);
  const undeclaredNames = Object.keys(parent).filter((name) => !Object.hasOwn(properties, name));
  return undeclaredNames.find((name) => removeCaseAndUnderscores(name) === missingLetters);
}
