import type { Operation } from '../contract/contract.ts';
import { type Document, exactValueAt, isObjectOrArray, readJson, textOf } from '../json/read.ts';
import { classify, hasMembers, mediaTypeOf, payloadOf, type ResponseClass } from './classify-response.ts';
import type { HttpResponse } from './judgement.ts';

/** What a response is whose body was read, by the exact text of its code. */
export const classOf = (operation: Operation, status: number, document: Document) => {
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
 * What has the status of a success, and is no such object, is a success that is broken, and so is the envelope of one with
 * another HTTP 2xx.
 */
export function isErrorResponse(operation: Operation, answer: HttpResponse): boolean {
  if (carriesRecord(operation, answer)) return false;
  if (answer.status !== operation.status) return !holdsSuccess(operation, answer);
  const document = readJson(answer.body, operation.schema);
  return 'value' in document && saysError(operation, document);
}

/** Whether a body that came with the status of a success says that it is an error, and holds nothing of a success. */
export function saysError(operation: Operation, document: Document): boolean {
  const { bodyCode, hasSuccessCode, hasPayload, hasContent } = classOf(operation, operation.status, document);
  if (typeof bodyCode === 'number') return !hasSuccessCode && !hasContent;
  const { value } = document;
  return !Array.isArray(value) && hasMembers(value) && !hasPayload && isErrorCode(operation, bodyCode);
}

/** Whether a code that is no number may be that of an error: there is none, or a text that is not the number of a success. */
const isErrorCode = ({ envelope }: Operation, code: unknown): boolean =>
  code === undefined || (typeof code === 'string' && code !== String(envelope.code?.value));

/** Whether an answer claims to be a success, even if something else is wrong with it. */
export const claimsSuccess = (operation: Operation, answer: HttpResponse): boolean =>
  answer.status === operation.status && (readClassOf(operation, answer)?.hasSuccessCode ?? false);

/** Whether an answer with HTTP 2xx holds the envelope of a success, be it with an empty list. */
function holdsSuccess(operation: Operation, answer: HttpResponse): boolean {
  if (!isSuccessful(answer)) return false;
  const { hasSuccessCode = false, hasPayload = false } = readClassOf(operation, answer) ?? {};
  return hasSuccessCode && hasPayload;
}

/** Whether an answer with HTTP 2xx holds a record, even if its status or its code is not that of a success. An empty list holds none. */
export const holdsRecord = (operation: Operation, answer: HttpResponse): boolean =>
  isSuccessful(answer) && (readClassOf(operation, answer)?.hasContent ?? false);

const isSuccessful = ({ status }: HttpResponse) => status >= 200 && status <= 299;

/** What a response is; undefined where its body cannot be read. */
function readClassOf(operation: Operation, { status, body }: HttpResponse): ResponseClass | undefined {
  const document = readJson(body, operation.schema);
  return 'value' in document ? classOf(operation, status, document) : undefined;
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
