import type { CheckOf, Operation, Rule, Schema } from '../contract/contract.ts';
import { isSameIdentifier } from '../contract/identifiers.ts';
import { findSchema } from '../contract/nodes.ts';
import { formatRuleAddress } from '../contract/requirements.ts';
import type { RequirementAddress } from '../contract/types.ts';
import { compileValidator, isValid } from '../contract/validators.ts';
import {
  findMatchingFields,
  getLastStep,
  getOwnValue,
  getParentPointer,
  getSiblingPointer,
  type JsonPointer,
  type ParsedBody,
} from '../json.ts';
import { inspectEnvelope, isOk } from './classify.ts';
import type { JudgeContext } from './findings.ts';

/**
 * Judges the rules that forbid repeated keys and infinite numbers. @returns false if the body breaks one of them: its values are
 * ambiguous then, because JSON parsers read such a body in different ways (RFC 8259 sections 4 and 6)
 */
export function judgeKeysAndNumbers({ operation, findings }: JudgeContext, document: ParsedBody): boolean {
  let isUnambiguous = true;
  for (const rule of operation.rules) {
    const mistakes = findAmbiguities(rule, document);
    if (!mistakes) continue;
    const { count, firstPointers, expected, actual } = mistakes;
    const requirement = formatRuleAddress(operation.id, rule);
    findings.countJudgement(requirement);
    if (count > 0) isUnambiguous = false;
    const unlistedCount = count - firstPointers.length;
    for (const [index, pointer] of firstPointers.entries()) {
      const violation = { requirement, pointer, expected, value: undefined, actual };
      // The first violation stands also for those whose pointers are not listed.
      findings.add(violation, index === 0 ? 1 + unlistedCount : 1);
    }
  }
  return isUnambiguous;
}

function findAmbiguities({ check }: Rule, { repeatedKeys, infiniteNumbers }: ParsedBody) {
  if ('uniqueKeys' in check)
    return { ...repeatedKeys, expected: 'each key once', actual: 'the same key twice' };
  if (!('finiteNumbers' in check)) return undefined;
  const actual = 'a number beyond what a double can hold';
  return { ...infiniteNumbers, expected: 'a finite number', actual };
}

export const findDeclaredFieldsRule = ({ rules }: Operation): Rule | undefined =>
  rules.find(({ check }) => 'declaredFields' in check);

/** Finds the rule by which a request must not succeed, such as `type=user` without `user_id` (contract 4.4). */
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

/** Judges the response to a request that must not succeed. Any error conforms, because the contract shows none (contract 7). */
export function judgeRejection({ operation, response, findings }: JudgeContext, rule: Rule): void {
  const requirement = formatRuleAddress(operation.id, rule);
  findings.countJudgement(requirement);
  if (!isOk(response.status) || !hasSuccessContent(operation, findings.result.body)) return;
  const actual = `HTTP ${response.status} with a success`;
  const expected = 'anything but a success';
  findings.add({ requirement, pointer: 'request', expected, value: undefined, actual });
}

/** Returns whether a body has `code` and `data` of a success (contract 2.1) or, without that `code`, a record. */
function hasSuccessContent(operation: Operation, value: unknown): boolean {
  const { hasSuccessCode, hasPayload, hasRecord } = inspectEnvelope(operation, value);
  return hasSuccessCode ? hasPayload : hasRecord;
}

export function judgeFieldRules(context: JudgeContext): void {
  const { operation } = context;
  for (const rule of operation.rules) {
    const requirement = formatRuleAddress(operation.id, rule);
    if ('presentWith' in rule.check) judgePresence(context, rule.check, requirement);
    if ('echoes' in rule.check) judgeEchoes(context, rule.check, requirement);
  }
}

/** Judges that a field is present if another has a certain value: `credit_card` for `token_type: CreditCard` (contract 2.5). */
function judgePresence(
  { findings }: JudgeContext,
  check: CheckOf<'presentWith'>,
  requirement: RequirementAddress,
): void {
  const fields = findMatchingFields(findings.result.body, check.pointer);
  for (const [fieldName, requiredValue] of Object.entries(check.presentWith))
    for (const { pointer, value, parent } of fields) {
      if (getOwnValue(parent, fieldName) !== requiredValue) continue;
      findings.countJudgement(requirement);
      const isPresent = value !== undefined;
      if (isPresent) continue;
      const expected = `present where ${fieldName} is ${requiredValue}`;
      const actual = 'nothing: it is missing';
      // As `value`, the object that lacks the field: a ledger entry can accept it by `accepts.schema`.
      findings.add({ requirement, pointer, expected, value: parent, actual });
    }
}

/** Judges that a field, such as the `id` of a card, equals the parameter of the request that `check.echoes` names. */
function judgeEchoes(
  { operation, parameters, findings }: JudgeContext,
  check: CheckOf<'echoes'>,
  requirement: RequirementAddress,
): void {
  const requestedValue = getOwnValue(parameters, check.echoes) as string | undefined;
  if (requestedValue === undefined || !hasParameters(parameters, check.when ?? {})) return;
  const schema = findSchema(operation, check.pointer) ?? {};
  const fields = findEchoFields(findings.result.body, check.pointer, schema);
  const isRequired = isRequiredField(operation, check.pointer);
  for (const { pointer, value } of fields) {
    if (!isComparableIdentifier(value, schema, isRequired)) continue;
    findings.countJudgement(requirement);
    if (isSameIdentifier(value, requestedValue)) continue;
    const [expected, actual] = [`the requested \`${check.echoes}\``, `another \`${check.echoes}\``];
    findings.add({ requirement, pointer, schema, expected, value, actual });
  }
}

/** Finds the fields at a pointer, also under observed names such as `p_user_id` for `user_id` (contract 2.7). */
function findEchoFields(body: unknown, pointer: JsonPointer, schema: Schema) {
  const names = [getLastStep(pointer), ...(schema['x-observed-names'] ?? [])];
  return names.flatMap((name) => findMatchingFields(body, getSiblingPointer(pointer, name)));
}

function isRequiredField(operation: Operation, pointer: JsonPointer): boolean {
  const objectSchema = findSchema(operation, getParentPointer(pointer));
  return objectSchema?.required?.includes(getLastStep(pointer)) ?? false;
}

/** Returns whether a received value is a valid identifier. A blank one counts as missing if the field is optional. */
const isComparableIdentifier = (value: unknown, schema: Schema, isRequired: boolean): value is string => {
  if (typeof value !== 'string' || !isValid(compileValidator(schema), value)) return false;
  const isBlank = value.trim() === '';
  return isRequired || !isBlank;
};
