import type { Check, Operation, Rule } from '../contract/contract.ts';
import { ruleAddress } from '../contract/requirements.ts';
import { iterable } from '../iterable.ts';
import { type Document, exactValueAt, isObjectOrArray, readJson, textOf, valueAt } from '../json/read.ts';
import { classify, hasMembers, mediaTypeOf, payloadOf } from './classify-response.ts';
import {
  type Exchange,
  type HttpResponse,
  isEmpty,
  type Judgement,
  report,
  type Violation,
  visit,
} from './judgement.ts';

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

/** What a response is whose body was read, by the exact text of its code. */
const classOf = (operation: Operation, status: number, document: Document) => {
  const { code } = operation.envelope;
  const exact = code && exactValueAt(document, code.pointer);
  return classify(operation, { status, value: document.value, code: exact });
};

/** Whether a body says of itself that it is no success, and carries nothing of what a success would. */
export function isErrorEnvelope(operation: Operation, document: Document): boolean {
  const { bodyCode, hasSuccessCode, hasRecord } = classOf(operation, operation.status, document);
  return typeof bodyCode === 'number' && !hasSuccessCode && !hasRecord;
}

/**
 * Whether an answer is no success, by its status or by what its body says, and holds no record. The contract does not show the
 * shape of an error (section 7), so an object with HTTP 200 may be one: it has another code, or neither a code nor a payload.
 * What has the status of a success, and is no such object, is a success that is broken.
 */
export function isErrorResponse(operation: Operation, answer: HttpResponse): boolean {
  if (carriesRecord(operation, answer)) return false;
  if (answer.status !== operation.status) return true;
  const document = readJson(answer.body, operation.schema);
  return 'value' in document && saysError(operation, document);
}

function saysError(operation: Operation, document: Document): boolean {
  const { bodyCode, hasSuccessCode, hasPayload, hasContent } = classOf(operation, operation.status, document);
  if (typeof bodyCode === 'number') return !hasSuccessCode && !hasContent;
  const { value } = document;
  return !Array.isArray(value) && hasMembers(value) && !hasPayload && isErrorCode(operation, bodyCode);
}

/** Whether a code that is no number may be that of an error: there is none, or a text that is not the number of a success. */
const isErrorCode = ({ envelope }: Operation, code: unknown): boolean =>
  code === undefined || (typeof code === 'string' && code !== String(envelope.code?.value));

/** Whether an answer claims to be a success, even if something else is wrong with it. */
export function claimsSuccess(operation: Operation, { status, body }: HttpResponse): boolean {
  const document = status === operation.status ? readJson(body, operation.schema) : undefined;
  return document !== undefined && 'value' in document && classOf(operation, status, document).hasSuccessCode;
}

/** Whether an answer with HTTP 2xx holds a record, even if its status or its code is not that of a success. */
export function holdsRecord(operation: Operation, { status, body }: HttpResponse): boolean {
  const document = status >= 200 && status <= 299 ? readJson(body, operation.schema) : undefined;
  return document !== undefined && 'value' in document && classOf(operation, status, document).hasRecord;
}

/**
 * Whether a response holds something of the envelope that the contract promises, whatever else is wrong with it: a
 * login page, or the response of another API, holds nothing of it.
 */
export function carriesEnvelope(operation: Operation, { status, contentType, body }: HttpResponse): boolean {
  const document = readJson(body, operation.schema);
  const isDocumentedType = mediaTypeOf(contentType) === operation.mediaType;
  if ('value' in document)
    return hasEnvelope(operation, status, document) || (isDocumentedType && !isObjectOrList(document.value));
  const { code, payload } = operation.envelope;
  return (
    isDocumentedType && [code?.pointer, payload].some((at) => at && namesMember(textOf(body), at.slice(1)))
  );
}

/** A code, the payload, or what the payload holds outside it. */
function hasEnvelope(operation: Operation, status: number, document: Document): boolean {
  const { bodyCode, hasPayload } = classOf(operation, status, document);
  const names = Object.keys(payloadOf(operation)?.properties ?? operation.schema.properties ?? {});
  const { value } = document;
  const hasRecord = isObjectOrArray(value) && names.some((name) => Object.hasOwn(value, name));
  return hasPayload || typeof bodyCode === 'number' || hasRecord;
}

/** Whether a value is an object, or an array that is not empty: where it is none, it is no other API's either. */
const isObjectOrList = (value: unknown) =>
  isObjectOrArray(value) && !(Array.isArray(value) && value.length === 0);

/** What is no JSON, or in UTF-16, may still name its members. */
function namesMember(text: string, name: string): boolean {
  const bare = text.replaceAll('\0', '');
  return ['"', "'"].some((mark) => bare.includes(mark + name + mark));
}

/** Whether an answer names all that a record of a list must have, even if something else is wrong with it. */
export function carriesRecord(operation: Operation, { body }: HttpResponse): boolean {
  const fields = Object.values(payloadOf(operation)?.properties ?? {});
  const names = fields.flatMap(({ items }) => items?.required ?? []);
  const text = textOf(body);
  return names.length > 0 && names.every((name) => text.includes(name));
}

function demandsRejection(check: Check, parameters: Record<string, string>): boolean {
  if (!('needs' in check) || Object.hasOwn(parameters, check.needs)) return false;
  return Object.entries(check.when).every(([name, value]) => parameters[name] === value);
}

/** Whether a body has the code of a success and its payload, or what a success carries and no code. */
function isPayload(operation: Operation, document: Document, check: Check): boolean {
  const { bodyCode, hasSuccessCode, hasPayload } = classOf(operation, operation.status, document);
  if (hasSuccessCode) return hasPayload;
  return (
    bodyCode === undefined && 'pointer' in check && isObjectOrArray(valueAt(document.value, check.pointer))
  );
}

/** Any answer will do that is not a success: HTTP 2xx with the payload of one. */
export function judgeRejection(judgement: Judgement, exchange: Exchange, rule: Rule): void {
  const { operation, answer, recorded } = exchange;
  const requirement = ruleAddress(operation.id, rule);
  const isSuccess = Math.floor(answer.status / 100) === 2;
  if (isSuccess && recorded?.body === 'nothing') return;
  const document = isSuccess ? readJson(answer.body, operation.schema) : undefined;
  visit(judgement, requirement);
  if (!document || !('value' in document) || !isPayload(operation, document, rule.check)) return;
  const expected = 'anything but a success';
  const actual = `HTTP ${answer.status} with a success`;
  report(judgement, [{ requirement, pointer: 'request', expected, value: undefined, actual }]);
}
