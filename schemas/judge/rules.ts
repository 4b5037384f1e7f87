import type { CheckOf, Operation, Rule, Schema } from '../contract/contract.ts';
import { sameIdentifier } from '../contract/identifiers.ts';
import { schemaAt } from '../contract/nodes.ts';
import { ruleAddress } from '../contract/requirements.ts';
import { isValid, validatorOf } from '../contract/validators.ts';
import {
  type Document,
  isObjectOrArray,
  lastStep,
  ownValue,
  type Places,
  parentOf,
  placesAt,
  sibling,
  valueAt,
} from '../json.ts';
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
const isSentWith = (when: Record<string, string>, parameters: Record<string, string>): boolean =>
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

/** Judges what no schema says of the fields of a body. */
export function judgeFields(judging: Judging): void {
  const { operation } = judging;
  for (const rule of operation.rules) {
    const requirement = ruleAddress(operation.id, rule);
    if ('presentWith' in rule.check) judgePromised(judging, rule.check, requirement);
    if ('echoes' in rule.check) judgeEchoes(judging, rule.check, requirement);
  }
}

/** A field that is promised beside a value of another one. */
function judgePromised({ found }: Judging, check: CheckOf<'presentWith'>, requirement: string): void {
  const places = placesAt(found.judged.body, check.pointer);
  for (const [other, expected] of Object.entries(check.presentWith))
    for (const { pointer, value, parent } of places.filter(
      (one) => ownValue(one.parent, other) === expected,
    )) {
      found.exercise(requirement);
      const what = `present where ${other} is ${expected}`;
      if (value === undefined)
        found.add({ requirement, pointer, expected: what, value: parent, actual: 'nothing: it is missing' });
    }
}

/** That a record is the one that was requested. What a request did not ask for, a response need not echo. */
function judgeEchoes(
  { operation, parameters, found }: Judging,
  check: CheckOf<'echoes'>,
  requirement: string,
): void {
  const asked = ownValue(parameters, check.echoes) as string | undefined;
  if (asked === undefined || !isSentWith(check.when ?? {}, parameters)) return;
  const own = lastStep(check.pointer);
  const schema = schemaAt(operation, check.pointer) ?? {};
  const isRequired = schemaAt(operation, parentOf(check.pointer))?.required?.includes(own) ?? false;
  // A field may stand under the names under which it has been seen, too.
  for (const name of [own, ...(schema['x-observed-names'] ?? [])])
    for (const place of placesAt(found.judged.body, sibling(check.pointer, name))) {
      if (!isName(place.value, schema, isRequired)) continue;
      found.exercise(requirement);
      if (sameIdentifier(place.value, asked)) continue;
      const [expected, actual] = [`the requested \`${check.echoes}\``, `another \`${check.echoes}\``];
      found.add({ requirement, pointer: place.pointer, schema, expected, value: place.value, actual });
    }
}

/** An optional field that is empty names nothing; one that breaks its own rule is not compared. */
const isName = (value: unknown, schema: Schema, isRequired: boolean): value is string =>
  typeof value === 'string' && isValid(validatorOf(schema), value) && (isRequired || value.trim() !== '');
