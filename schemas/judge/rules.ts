import type { CheckOf, Operation, Rule, Schema } from '../contract/contract.ts';
import { isSameIdentifier } from '../contract/identifiers.ts';
import { findSchema } from '../contract/nodes.ts';
import { formatRuleAddress } from '../contract/requirements.ts';
import { compileValidator, isValid } from '../contract/validators.ts';
import {
  type CountedPointers,
  findMatchingFields,
  getLastStep,
  getOwnValue,
  getParentPointer,
  getSiblingPointer,
  type ParsedBody,
} from '../json.ts';
import { isOk, splitEnvelope } from './classify.ts';
import type { JudgeContext } from './findings.ts';

/**
 * Judges duplicate keys and out-of-range numbers, which JSON parsers read in different ways (RFC 8259 sections 4 and 6).
 * @returns whether the body has none of them, so that its value can be judged
 */
export function judgeUnambiguous({ operation, findings }: JudgeContext, document: ParsedBody): boolean {
  let isUnambiguous = true;
  for (const rule of operation.rules) {
    const ambiguity = findAmbiguity(rule, document);
    if (!ambiguity) continue;
    const [{ count, first }, expected, actual] = ambiguity;
    const requirement = formatRuleAddress(operation.id, rule);
    findings.countJudgement(requirement);
    if (count > 0) isUnambiguous = false;
    const unlistedCount = count - first.length;
    for (const [index, pointer] of first.entries()) {
      // The first place also counts those that `first` does not list.
      const places = index === 0 ? 1 + unlistedCount : 1;
      findings.add({ requirement, pointer, expected, value: undefined, actual }, places);
    }
  }
  return isUnambiguous;
}

/** Returns the places where a body breaks a rule about duplicate keys or infinite numbers; undefined for any other rule. */
function findAmbiguity(
  { check }: Rule,
  { repeatedKeys, infiniteNumbers }: ParsedBody,
): [CountedPointers, expected: string, actual: string] | undefined {
  if ('uniqueKeys' in check) return [repeatedKeys, 'each key once', 'the same key twice'];
  if (!('finiteNumbers' in check)) return undefined;
  return [infiniteNumbers, 'a finite number', 'a number beyond what a double can hold'];
}

export const findDeclaredFieldsRule = ({ rules }: Operation): Rule | undefined =>
  rules.find(({ check }) => 'declaredFields' in check);

/** Finds the rule by which a request such as `type=user` without `user_id` must fail (contract 4.4); undefined if none applies. */
export const findRejectionRule = (
  { rules }: Operation,
  parameters: Record<string, string>,
): Rule | undefined =>
  rules.find(
    ({ check }) =>
      'needs' in check && !Object.hasOwn(parameters, check.needs) && hasParameters(check.when, parameters),
  );

const hasParameters = (when: Record<string, string>, parameters: Record<string, string>): boolean =>
  Object.entries(when).every(([name, value]) => parameters[name] === value);

/**
 * Judges the response to a request that must be rejected, such as `type=user` without `user_id`. Any response passes except HTTP
 * 2xx with the payload of a success, because the contract leaves the form of errors open (contract 7).
 */
export function judgeRejection({ operation, answer, findings }: JudgeContext, rule: Rule): void {
  const requirement = formatRuleAddress(operation.id, rule);
  findings.countJudgement(requirement);
  if (!isOk(answer.status) || !isSuccessPayload(operation, findings.result.body)) return;
  const actual = `HTTP ${answer.status} with a success`;
  const expected = 'anything but a success';
  findings.add({ requirement, pointer: 'request', expected, value: undefined, actual });
}

/** Returns whether a body has code and payload of a success (contract 2.1), or a record with any other code or none. */
function isSuccessPayload(operation: Operation, value: unknown): boolean {
  const { hasSuccessCode, hasPayload, hasRecord } = splitEnvelope(operation, value);
  return hasSuccessCode ? hasPayload : hasRecord;
}

/** Judges the rules about fields of a success: `presentWith` (must be present), `echoes` (must equal the requested value). */
export function judgeFields(context: JudgeContext): void {
  const { operation } = context;
  for (const rule of operation.rules) {
    const requirement = formatRuleAddress(operation.id, rule);
    if ('presentWith' in rule.check) judgePresence(context, rule.check, requirement);
    if ('echoes' in rule.check) judgeEchoes(context, rule.check, requirement);
  }
}

/**
 * Judges a field that must be present if another field of its object has a certain value: `credit_card` if `token_type` is
 * `CreditCard` (contract 2.5).
 */
function judgePresence({ findings }: JudgeContext, check: CheckOf<'presentWith'>, requirement: string): void {
  const places = findMatchingFields(findings.result.body, check.pointer);
  for (const [fieldName, requiredValue] of Object.entries(check.presentWith))
    for (const { pointer, value, parent } of places) {
      if (getOwnValue(parent, fieldName) !== requiredValue) continue;
      findings.countJudgement(requirement);
      if (value !== undefined) continue;
      const expected = `present where ${fieldName} is ${requiredValue}`;
      const actual = 'nothing: it is missing';
      // The value is the object that lacks the field, so that a ledger entry can accept it by a schema.
      findings.add({ requirement, pointer, expected, value: parent, actual });
    }
}

/**
 * Judges that a response shows the requested record: a field such as `id` equals a parameter of the request. Judges nothing if the
 * request lacks the parameter or the values of `when`, or if the response lacks a comparable value.
 */
function judgeEchoes(
  { operation, parameters, findings }: JudgeContext,
  check: CheckOf<'echoes'>,
  requirement: string,
): void {
  const requestedValue = getOwnValue(parameters, check.echoes) as string | undefined;
  if (requestedValue === undefined || !hasParameters(check.when ?? {}, parameters)) return;
  const fieldName = getLastStep(check.pointer);
  const schema = findSchema(operation, check.pointer) ?? {};
  const isRequired =
    findSchema(operation, getParentPointer(check.pointer))?.required?.includes(fieldName) ?? false;
  // The field may also have one of its observed names (contract 2.7: `p_user_id`).
  for (const name of [fieldName, ...(schema['x-observed-names'] ?? [])])
    for (const place of findMatchingFields(findings.result.body, getSiblingPointer(check.pointer, name))) {
      if (!isComparableIdentifier(place.value, schema, isRequired)) continue;
      findings.countJudgement(requirement);
      if (isSameIdentifier(place.value, requestedValue)) continue;
      const [expected, actual] = [`the requested \`${check.echoes}\``, `another \`${check.echoes}\``];
      findings.add({ requirement, pointer: place.pointer, schema, expected, value: place.value, actual });
    }
}

/**
 * Returns whether a received identifier can be compared with a requested one: it is a string that conforms to its schema, and not
 * blank if the field is optional.
 */
const isComparableIdentifier = (value: unknown, schema: Schema, isRequired: boolean): value is string =>
  typeof value === 'string' &&
  isValid(compileValidator(schema), value) &&
  (isRequired || value.trim() !== '');
