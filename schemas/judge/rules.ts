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
 * Adds a violation for each repeated key and infinite number, if the operation has a rule against it. @returns false if there is
 * any: the values must not be judged then, because JSON parsers read such a body in different ways (RFC 8259 sections 4 and 6)
 */
export function judgeKeysAndNumbers({ operation, findings }: JudgeContext, document: ParsedBody): boolean {
  let canJudgeValues = true;
  for (const rule of operation.rules) {
    const faults = getTextFaults(rule, document);
    if (!faults) continue;
    const { count, firstPointers, expected, actual } = faults;
    const requirement = formatRuleAddress(operation.id, rule);
    findings.countJudgement(requirement);
    if (count > 0) canJudgeValues = false;
    const unlistedCount = count - firstPointers.length;
    for (const [index, pointer] of firstPointers.entries()) {
      const violation = { requirement, pointer, expected, value: undefined, actual };
      // The first violation stands also for those whose pointers are not listed.
      const representedCount = index === 0 ? 1 + unlistedCount : 1;
      findings.add(violation, representedCount);
    }
  }
  return canJudgeValues;
}

/** Returns the repeated keys or infinite numbers of a body, whichever a rule forbids; undefined for any other rule. */
function getTextFaults({ check }: Rule, { repeatedKeys, infiniteNumbers }: ParsedBody) {
  if ('uniqueKeys' in check)
    return { ...repeatedKeys, expected: 'each key once', actual: 'the same key twice' };
  if (!('finiteNumbers' in check)) return undefined;
  const actual = 'a number beyond what a double can hold';
  return { ...infiniteNumbers, expected: 'a finite number', actual };
}

export const findDeclaredFieldsRule = ({ rules }: Operation): Rule | undefined =>
  rules.find(({ check }) => 'declaredFields' in check);

/** Finds the rule that requires the rejection of a request, such as `type=user` without `user_id` (contract 4.4). */
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

/** Adds a violation if a request that must be rejected got a success. Any error conforms: the contract shows none (contract 7). */
export function judgeRejection({ operation, response, findings }: JudgeContext, rule: Rule): void {
  const requirement = formatRuleAddress(operation.id, rule);
  findings.countJudgement(requirement);
  if (!isOk(response.status) || !hasSuccessContent(operation, findings.result.body)) return;
  const actual = `HTTP ${response.status} with a success`;
  const expected = 'anything but a success';
  findings.add({ requirement, pointer: 'request', expected, value: undefined, actual });
}

/** Returns whether a body is a success. With `code` 200, it needs an object `data`. With another or no `code`, a record. */
function hasSuccessContent(operation: Operation, value: unknown): boolean {
  const { hasSuccessCode, hasPayload, hasRecord } = inspectEnvelope(operation, value);
  const isDocumentedSuccess = hasSuccessCode && hasPayload;
  const hasRecordWithoutSuccessCode = !hasSuccessCode && hasRecord;
  return isDocumentedSuccess || hasRecordWithoutSuccessCode;
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

/** Judges that a field is present if another has a certain value: `credit_card` for `token_type: CreditCard` (contract 2.5). */
function judgePresence(
  { findings }: JudgeContext,
  check: CheckOf<'presentWith'>,
  requirement: RequirementAddress,
): void {
  const fields = findMatchingFields(findings.result.body, check.pointer);
  for (const [siblingName, siblingValue] of Object.entries(check.presentWith))
    for (const { pointer, value, parent } of fields) {
      if (getOwnValue(parent, siblingName) !== siblingValue) continue;
      findings.countJudgement(requirement);
      const isPresent = value !== undefined;
      if (isPresent) continue;
      const expected = `present where ${siblingName} is ${siblingValue}`;
      const actual = 'nothing: it is missing';
      // `value` is the object that lacks the field, so that `accepts.schema` of a ledger entry can describe that object.
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
  const countsAsMissing = !isRequired && value.trim() === '';
  return !countsAsMissing;
};
