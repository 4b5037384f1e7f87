import type { Operation, Rule } from '../contract/contract.ts';
import { ruleAddress } from '../contract/requirements.ts';
import { type Document, isObjectOrArray, type Places, valueAt } from '../json.ts';
import { isOk, partsOf } from './classify.ts';
import type { Judging } from './findings.ts';

/** Judges what JSON leaves to its readers; no more is judged of a body in which something is ambiguous. */
export function judgeUnambiguous({ operation, found }: Judging, document: Document): boolean {
  let isUnambiguous = true;
  for (const rule of operation.rules) {
    const ambiguity = ambiguityOf(rule, document);
    if (!ambiguity) continue;
    const [{ count, first }, expected, actual] = ambiguity;
    const requirement = ruleAddress(operation.id, rule);
    found.exercise(requirement);
    if (count > 0) isUnambiguous = false;
    for (const [at, pointer] of first.entries())
      found.add(
        { requirement, pointer, expected, value: undefined, actual },
        at === 0 ? 1 + count - first.length : 1,
      );
  }
  return isUnambiguous;
}

function ambiguityOf(
  { check }: Rule,
  { repeatedKeys, infiniteNumbers }: Document,
): [Places, expected: string, actual: string] | undefined {
  if ('uniqueKeys' in check) return [repeatedKeys, 'each key once', 'the same key twice'];
  if (!('finiteNumbers' in check)) return undefined;
  return [infiniteNumbers, 'a finite number', 'a number beyond what a double can hold'];
}

/** The rule that there are no undeclared fields, if there is one. */
export const declaredFieldsRule = ({ rules }: Operation): Rule | undefined =>
  rules.find(({ check }) => 'declaredFields' in check);

/** The rule by which a request must not be answered with a success, if there is one. */
export const rejectionRuleOf = ({ rules }: Operation, parameters: Record<string, string>): Rule | undefined =>
  rules.find(
    ({ check }) =>
      'needs' in check && !Object.hasOwn(parameters, check.needs) && isSentWith(check.when, parameters),
  );

/** Whether a request has parameters with these values. */
export const isSentWith = (when: Record<string, string>, parameters: Record<string, string>): boolean =>
  Object.entries(when).every(([name, value]) => parameters[name] === value);

/** Any answer to the request will do that is not a success: HTTP 2xx with the payload of one. */
export function judgeRejection({ operation, answer, found }: Judging, rule: Rule): undefined {
  const requirement = ruleAddress(operation.id, rule);
  found.exercise(requirement);
  if (!isOk(answer.status) || !isPayload(operation, rule, found.judged.body)) return;
  const actual = `HTTP ${answer.status} with a success`;
  const expected = 'anything but a success';
  found.add({ requirement, pointer: 'request', expected, value: undefined, actual });
}

/** Whether a body has the code of a success and its payload, or what a success carries and no code. */
function isPayload(operation: Operation, { check }: Rule, value: unknown): boolean {
  const { code, hasSuccessCode, hasPayload } = partsOf(operation, value);
  if (hasSuccessCode) return hasPayload;
  return code === undefined && 'needs' in check && isObjectOrArray(valueAt(value, check.pointer));
}
