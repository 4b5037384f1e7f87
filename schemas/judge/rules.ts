import type { CheckOf, Operation, Rule, Schema } from '../contract/contract.ts';
import { isSameIdentifier } from '../contract/identifiers.ts';
import { findSchema } from '../contract/nodes.ts';
import { formatRuleAddress } from '../contract/requirements.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { compileValidator, isValid } from '../contract/validators.ts';
import {
  type CountedPointers,
  findMatchingFields,
  getLastStep,
  getOwnValue,
  getParentPointer,
  getSiblingPointer,
  type JsonPointer,
  type ParsedBody,
} from '../json.ts';
import { inspectEnvelope, isOk } from './classify.ts';
import type { Findings, JudgeContext } from './findings.ts';

/**
 * Judges the rules of an operation that forbid repeated keys, or numbers too large for a double.
 * @returns false if the body violates one of these rules
 */
export function judgeKeysAndNumbers({ operation, findings }: JudgeContext, document: ParsedBody): boolean {
  const { repeatedKeys, infiniteNumbers } = document;
  let faultCount = 0;
  for (const rule of operation.rules) {
    const requirement = formatRuleAddress(operation.id, rule);
    if ('uniqueKeys' in rule.check) {
      const description = { expected: 'each key once', actual: 'the same key twice' };
      faultCount += judgeTextFaults(findings, requirement, repeatedKeys, description);
    }
    if ('finiteNumbers' in rule.check) {
      const description = { expected: 'a finite number', actual: 'a number beyond what a double can hold' };
      faultCount += judgeTextFaults(findings, requirement, infiniteNumbers, description);
    }
  }
  // JSON parsers read a body with such a fault in different ways (RFC 8259, sections 4 and 6).
  return faultCount === 0;
}

function judgeTextFaults(
  findings: Findings,
  requirement: RequirementAddress,
  { count, firstPointers }: CountedPointers,
  { expected, actual }: { expected: string; actual: string },
): number {
  findings.countJudgement(requirement);
  const countWithoutPointer = count - firstPointers.length;
  for (const [index, pointer] of firstPointers.entries()) {
    // The first violation also stands for the faults whose pointers are unknown.
    const representedCount = index === 0 ? 1 + countWithoutPointer : 1;
    findings.add({ requirement, pointer, expected, value: undefined, actual }, representedCount);
  }
  return count;
}

export const findDeclaredFieldsRule = ({ rules }: Operation): Rule | undefined =>
  rules.find(({ check }) => 'declaredFields' in check);

/** Finds the rule that forbids a request with these parameters, such as `type=user` without `user_id` (contract 4.4). */
export const findRejectionRule = (
  { rules }: Operation,
  parameters: Record<string, string>,
): Rule | undefined =>
  rules.find(({ check }) => {
    if (!('needs' in check)) return false;
    const lacksParameter = !Object.hasOwn(parameters, check.needs);
    return lacksParameter && hasParameters(parameters, check.when);
  });

const hasParameters = (
  parameters: Record<string, string>,
  expectedParameters: Record<string, string>,
): boolean => Object.entries(expectedParameters).every(([name, value]) => parameters[name] === value);

/** Adds a violation if a request that `rule` forbids gets a success. */
export function judgeRejection({ operation, response, findings }: JudgeContext, rule: Rule): void {
  const requirement = formatRuleAddress(operation.id, rule);
  findings.countJudgement(requirement);
  const isSuccess = isOk(response.status) && hasSuccessContent(operation, findings.result.body);
  if (!isSuccess) return;
  const actual = `HTTP ${response.status} with a success`;
  const expected = 'anything but a success';
  findings.add({ requirement, pointer: 'request', expected, value: undefined, actual });
}

function hasSuccessContent(operation: Operation, body: unknown): boolean {
  const { hasSuccessCode, hasPayload, hasRecord } = inspectEnvelope(operation, body);
  return hasSuccessCode ? hasPayload : hasRecord;
}

export function judgeFieldRules(context: JudgeContext): void {
  const { operation } = context;
  for (const rule of operation.rules) {
    const requirement = formatRuleAddress(operation.id, rule);
    if ('presentWith' in rule.check) judgePresence(context, rule.check, requirement);
    if ('echoes' in rule.check) judgeEchoes(context, rule.check, requirement);
    // `judgeValue` adds the violations of this rule.
    if ('declaredFields' in rule.check) context.findings.countJudgement(requirement);
  }
}

/** Judges that a field is present if its siblings have certain values, such as `credit_card` with a `CreditCard` (contract 2.5). */
function judgePresence(
  { findings }: JudgeContext,
  check: CheckOf<'presentWith'>,
  requirement: RequirementAddress,
): void {
  const siblings = Object.entries(check.presentWith);
  const conditions = siblings.map(([name, value]) => `${name} is ${value}`);
  const expected = `present where ${conditions.join(' and ')}`;
  const actual = 'nothing: it is missing';
  const fields = findMatchingFields(findings.result.body, check.pointer);
  for (const { pointer, value: fieldValue, parent } of fields) {
    const mustBePresent = siblings.every(
      ([name, siblingValue]) => getOwnValue(parent, name) === siblingValue,
    );
    if (!mustBePresent) continue;
    findings.countJudgement(requirement);
    const isPresent = fieldValue !== undefined;
    // The violation has the object that lacks the field as `value`, so that `accepts.schema` of a ledger entry can describe it.
    if (!isPresent) findings.add({ requirement, pointer, expected, value: parent, actual });
  }
}

/** Judges that a field equals a request parameter. For example, the `id` of a card must be the requested `id`. */
function judgeEchoes(
  { operation, parameters, findings }: JudgeContext,
  check: CheckOf<'echoes'>,
  requirement: RequirementAddress,
): void {
  const { echoes: parameterName, pointer: fieldPattern, when = {} } = check;
  const requestedValue = getOwnValue(parameters, parameterName) as string | undefined;
  if (requestedValue === undefined) return;
  if (!hasParameters(parameters, when)) return;
  const schema = findSchema(operation, fieldPattern) ?? {};
  const isRequired = isRequiredField(operation, fieldPattern);
  for (const { pointer, value } of findEchoFields(findings.result.body, fieldPattern, schema)) {
    // A missing field, an invalid value, or a blank text in an optional field is no identifier to compare.
    if (!isComparableIdentifier(value, schema, isRequired)) continue;
    findings.countJudgement(requirement);
    if (isSameIdentifier(value, requestedValue)) continue;
    const expected = `the requested \`${parameterName}\``;
    const actual = `another \`${parameterName}\``;
    findings.add({ requirement, pointer, schema, expected, value, actual });
  }
}

function findEchoFields(
  body: unknown,
  fieldPattern: string,
  schema: Schema,
): { pointer: JsonPointer; value: unknown }[] {
  const names = [getLastStep(fieldPattern), ...(schema['x-observed-names'] ?? [])];
  return findMatchingFields(body, fieldPattern).flatMap(({ pointer, parent }) =>
    names.map((name) => ({ pointer: getSiblingPointer(pointer, name), value: getOwnValue(parent, name) })),
  );
}

function isRequiredField(operation: Operation, pointer: JsonPointer): boolean {
  const objectSchema = findSchema(operation, getParentPointer(pointer));
  return objectSchema?.required?.includes(getLastStep(pointer)) ?? false;
}

function isComparableIdentifier(value: unknown, schema: Schema, isRequired: boolean): value is string {
  if (typeof value !== 'string') return false;
  // An invalid value is already a violation of its own requirement.
  if (!isValid(compileValidator(schema), value)) return false;
  // A blank text in an optional field counts as missing.
  const isBlank = value.trim() === '';
  return isRequired || !isBlank;
}
