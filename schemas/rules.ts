import { type Check, loadContract, type Operation, type Rule } from './contract.ts';
import { type Document, exactValueAt, isObject, readJson, textOf, valueAt } from './json.ts';
import {
  type Exchange,
  type HttpResponse,
  isEmpty,
  type Judgement,
  report,
  type Violation,
  visit,
} from './judgement.ts';
import { validatorOf } from './validators.ts';
import { schemaAt } from './violations.ts';

/** Rules of `spec/requirements.yaml` that hold for an operation. */
export const rulesOf = ({ id }: Operation): Rule[] =>
  loadContract().rules.filter(({ operations }) => !operations || operations.includes(id));

export function judgeUnambiguous(judgement: Judgement, operation: Operation, document: Document): boolean {
  const found = rulesOf(operation).map(({ address, check }): Iterable<Violation> => {
    const requirement = `${operation.id}/${address}`;
    if ('uniqueKeys' in check) return ambiguities(judgement, requirement, document.repeatedKeys);
    return 'finiteNumbers' in check ? ambiguities(judgement, requirement, document.infiniteNumbers) : [];
  });
  report(judgement, ...found);
  return found.every(isEmpty);
}

function ambiguities(
  judgement: Judgement,
  requirement: string,
  pointers: Iterable<string>,
): Iterable<Violation> {
  visit(judgement, requirement);
  const [expected, actual] = requirement.endsWith('keys')
    ? (['each key once', 'the same key twice'] as const)
    : (['a finite number', 'a number beyond what a double can hold'] as const);
  return {
    *[Symbol.iterator]() {
      for (const pointer of pointers) yield { requirement, pointer, expected, value: undefined, actual };
    },
  };
}

/** Undeclared fields are found on the way through the body; here it is only noted that they were looked for. */
export function visitDeclaredFields(judgement: Judgement, operation: Operation): void {
  for (const { address, check } of rulesOf(operation))
    if ('declaredFields' in check) visit(judgement, `${operation.id}/${address}`);
}

export function judgeEchoes(judgement: Judgement, { operation, parameters }: Exchange): void {
  for (const { address, check } of rulesOf(operation)) {
    if (!('echoes' in check)) continue;
    const value = valueAt(judgement.body, check.pointer);
    const schema = schemaAt(operation, check.pointer);
    if (typeof value !== 'string' || (schema && !validatorOf(schema, check.pointer)(value))) continue;
    const requirement = `${operation.id}/${address}`;
    visit(judgement, requirement);
    if (!sameIdentifier(value, parameters[check.echoes] ?? '')) {
      const actual = 'another identifier';
      const expected = 'the identifier that was asked for';
      report(judgement, [{ requirement, pointer: check.pointer, expected, value, actual }]);
    }
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** UUIDs are the same in either letter case (RFC 9562); other identifiers only to the letter. */
function sameIdentifier(one: string, other: string): boolean {
  return one === other || (uuid.test(one) && one.toLowerCase() === other.toLowerCase());
}

/** The rule by which a request is to be refused, if there is one. */
export function refusalRuleOf(operation: Operation, parameters: Record<string, string>): Rule | undefined {
  return rulesOf(operation).find(({ check }) => demandsRefusal(check, parameters));
}

/** Whether a body says of itself that it is no success, and carries nothing of what a success would. */
export function isRefusal({ schema }: Operation, document: Document): boolean {
  const { code: promised, data } = schema.properties ?? {};
  const code = exactValueAt(document, '/code');
  const carried = data?.required?.some((name) => isObject(valueAt(document.value, `/data/${name}`)));
  return typeof code === 'number' && code !== promised?.const && !carried;
}

/** Whether an answer claims to be a success, whatever else is wrong with it. */
export function claimsSuccess({ status, schema }: Operation, answer: HttpResponse): boolean {
  const document = answer.status === status ? readJson(answer.body, schema) : undefined;
  return document !== undefined && 'value' in document && exactValueAt(document, '/code') === 200;
}

/** Whether an answer names all that a record of a list must have, whatever else is wrong with it. */
export function carriesRecord({ schema }: Operation, { body }: HttpResponse): boolean {
  const fields = Object.values(schema.properties?.data?.properties ?? {});
  const names = fields.flatMap(({ items }) => items?.required ?? []);
  const text = textOf(body);
  return names.length > 0 && names.every((name) => text.includes(name));
}

function demandsRefusal(check: Check, parameters: Record<string, string>): boolean {
  if (!('needs' in check) || Object.hasOwn(parameters, check.needs)) return false;
  return Object.entries(check.when).every(([name, value]) => parameters[name] === value);
}

/** Whether a body has code 200 and data, or what a success carries and no code. */
function isPayload(document: Document, check: Check): boolean {
  const code = exactValueAt(document, '/code');
  const carries = (pointer: string) => isObject(valueAt(document.value, pointer));
  if (code === 200) return carries('/data');
  return code === undefined && 'pointer' in check && carries(check.pointer);
}

/** Any answer will do that is not a success: HTTP 2xx with the payload of one. */
export function judgeRefusal(
  judgement: Judgement,
  { operation, answer }: Exchange,
  { address, check }: Rule,
): void {
  const requirement = `${operation.id}/${address}`;
  const isSuccess = answer.status >= 200 && answer.status <= 299;
  const document = isSuccess ? readJson(answer.body, operation.schema) : undefined;
  if (document && 'limit' in document) {
    judgement.blocked = document.limit;
    return;
  }
  visit(judgement, requirement);
  if (!document || !('value' in document) || !isPayload(document, check)) return;
  const expected = 'anything but a success';
  const actual = `HTTP ${answer.status} with a success`;
  report(judgement, [{ requirement, pointer: 'request', expected, value: undefined, actual }]);
}
