import type { Check, Operation, Rule } from '../contract/contract.ts';
import { ruleAddress } from '../contract/requirements.ts';
import { iterable } from '../iterable.ts';
import { type Document, isObjectOrArray, readJson, valueAt } from '../json/read.ts';
import { classifyStatus, otherReason } from './classify-response.ts';
import { type Exchange, isEmpty, type Judgement, report, type Violation, visit } from './judgement.ts';
import { classOf } from './success-or-error.ts';

/** Judges what JSON leaves to its readers; no more is judged of a body in which something is ambiguous. */
export function judgeUnambiguous(judgement: Judgement, operation: Operation, document: Document): boolean {
  let isUnambiguous = true;
  for (const rule of operation.rules) {
    const ambiguity = ambiguityOf(rule.check, document);
    if (!ambiguity) continue;
    const requirement = ruleAddress(operation.id, rule);
    visit(judgement, requirement);
    if (isEmpty(ambiguity.pointers)) continue;
    report(
      judgement,
      iterable(() => violationsOf(requirement, ambiguity)),
    );
    isUnambiguous = false;
  }
  return isUnambiguous;
}

interface Ambiguity {
  pointers: Iterable<string>;
  expected: string;
  actual: string;
}

function ambiguityOf(check: Check, { repeatedKeys, infiniteNumbers }: Document): Ambiguity | undefined {
  if ('uniqueKeys' in check)
    return { pointers: repeatedKeys, expected: 'each key once', actual: 'the same key twice' };
  const actual = 'a number beyond what a double can hold';
  return 'finiteNumbers' in check
    ? { pointers: infiniteNumbers, expected: 'a finite number', actual }
    : undefined;
}

function* violationsOf(requirement: string, { pointers, expected, actual }: Ambiguity): Generator<Violation> {
  for (const pointer of pointers) yield { requirement, pointer, expected, value: undefined, actual };
}

/** The rule that there are no undeclared fields, if there is one. */
export const declaredFieldsRule = ({ rules }: Operation): Rule | undefined =>
  rules.find(({ check }) => 'declaredFields' in check);

/** Undeclared fields are found on the way through the body; here it is only noted that they were looked for. */
export function visitDeclaredFields(judgement: Judgement, operation: Operation): void {
  const rule = declaredFieldsRule(operation);
  if (rule) visit(judgement, ruleAddress(operation.id, rule));
}

/** The rule by which a request must not be answered with a success, if there is one. */
export function rejectionRuleOf({ rules }: Operation, parameters: Record<string, string>): Rule | undefined {
  return rules.find(({ check }) => demandsRejection(check, parameters));
}

function demandsRejection(check: Check, parameters: Record<string, string>): boolean {
  if (!('needs' in check) || Object.hasOwn(parameters, check.needs)) return false;
  return isSentWith(check.when, parameters);
}

/** Whether a request has parameters with these values. */
export const isSentWith = (when: Record<string, string>, parameters: Record<string, string>): boolean =>
  Object.entries(when).every(([name, value]) => parameters[name] === value);

/** Whether a body has the code of a success and its payload, or what a success carries and no code. */
function isPayload(operation: Operation, document: Document, check: Check): boolean {
  const { bodyCode, hasSuccessCode, hasPayload } = classOf(operation, operation.status, document);
  if (hasSuccessCode) return hasPayload;
  return (
    bodyCode === undefined && 'pointer' in check && isObjectOrArray(valueAt(document.value, check.pointer))
  );
}

/** Any answer to the request will do that is not a success: HTTP 2xx with the payload of one. */
export function judgeRejection(judgement: Judgement, exchange: Exchange, rule: Rule): void {
  const { operation, answer, recorded } = exchange;
  const requirement = ruleAddress(operation.id, rule);
  const isSuccess = Math.floor(answer.status / 100) === 2;
  if (isSuccess && recorded?.body === 'nothing') return;
  const document = isSuccess ? readJson(answer.body, operation.schema) : undefined;
  const parsed = document && 'value' in document ? document : undefined;
  const blocked = blockedReason(operation, answer.status, parsed);
  if (blocked !== undefined) {
    judgement.blocked = blocked;
    return;
  }
  visit(judgement, requirement);
  if (!parsed || !isPayload(operation, parsed, rule.check)) return;
  const expected = 'anything but a success';
  const actual = `HTTP ${answer.status} with a success`;
  report(judgement, [{ requirement, pointer: 'request', expected, value: undefined, actual }]);
}

/** Why a response says nothing of its request, by its status, or by the code of its body. */
export function blockedReason(
  operation: Operation,
  status: number,
  document: Document | undefined,
): string | undefined {
  if (!document) return otherReason(classifyStatus(operation, status), `HTTP ${status}`);
  const { kind, code } = classOf(operation, status, document);
  return otherReason(kind, `HTTP ${status} with code ${code}`);
}
