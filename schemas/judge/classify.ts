import type { Operation, Schema } from '../contract/contract.ts';
import {
  decodeText,
  getLastStep,
  getOwnValue,
  getValue,
  isObjectOrArray,
  isRecord,
  type ParsedBody,
  readJson,
  type UnreadableBody,
} from '../json.ts';

/** HTTP response, received from the target or read from a recording. */
export interface HttpResponse {
  status: number;
  /** Values of the headers, keyed by name in lower case, such as `content-type`. */
  headers: Readonly<Record<string, string>>;
  /** Body after decompression. */
  body: Uint8Array;
}

/** Kind of a response. Depends on its HTTP status and body, but not on the request. */
export type ResponseKind =
  /** Documented HTTP status such as 200, and no error in the body; or another HTTP 2xx whose body has `code` 200 and `data`. */
  | 'success'
  /** HTTP 4xx such as 404, except 401, 403, 407, 408 and 429; or an error in a body with the HTTP status of a success. */
  | 'rejection'
  /** HTTP 401 or 403. */
  | 'unauthorized'
  /** HTTP 407: the proxy, not the target, requires credentials (RFC 9110 section 15.5.8). */
  | 'proxy'
  /** HTTP 429. */
  | 'rate limit'
  /** HTTP 408, 502, 503, 504, or 520 to 527 (of gateways such as Cloudflare): the server may be available again later. */
  | 'overload'
  /** Any other HTTP 5xx; or an error code such as 500 in the body. */
  | 'server error'
  /** Any other HTTP status below 400, such as 302; or an HTTP 4xx whose body has the `code` and the record of a success. */
  | 'other';

export const isClientFault = (kind: ResponseKind): boolean =>
  kind === 'rejection' || kind === 'unauthorized' || kind === 'proxy' || kind === 'rate limit';
export const isServerFault = (kind: ResponseKind): boolean => kind === 'server error' || kind === 'overload';
export const isTransient = (kind: ResponseKind): boolean => kind === 'rate limit' || kind === 'overload';
export const isAccessDenied = (kind: ResponseKind): boolean => kind === 'unauthorized' || kind === 'proxy';
export const isFailure = (kind: ResponseKind): boolean => isServerFault(kind) || kind === 'other';

/**
 * Explains why a response shows nothing about the target: a rate limit, an overload, or a proxy that requires credentials.
 * Undefined for any other kind.
 * @param statusText status for the sentence, such as `HTTP 503` or `HTTP 200 with code 503`
 */
export function explainInconclusive(kind: ResponseKind, statusText: string): string | undefined {
  if (isTransient(kind)) return `the target responded with ${statusText}: it may be overloaded or down`;
  return kind === 'proxy'
    ? `the proxy rejected the request with ${statusText}: check the user and password of the proxy`
    : undefined;
}

export function isOverload(status: number): boolean {
  const isOfCloudflare = status >= 520 && status <= 527;
  return [408, 502, 503, 504].includes(status) || isOfCloudflare;
}

export function classifyStatus(operation: Pick<Operation, 'status'>, status: number): ResponseKind {
  if (status === operation.status) return 'success';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 407) return 'proxy';
  if (status === 429) return 'rate limit';
  if (isOverload(status)) return 'overload';
  if (status >= 500) return 'server error';
  return status >= 400 ? 'rejection' : 'other';
}

/** Kind of a response, its status or error code, and what its body contains. */
export interface ClassifiedResponse {
  kind: ResponseKind;
  /** HTTP status, unless an error code in the body replaces it: 404 for HTTP 200 with `"code": 404`. */
  code: number;
  /** True if the body seems to come from this API, as JSON with `code` or `data` does (contract 2.1); false for a login page. */
  hasEnvelope: boolean;
  /** True if the body contains a record, such as a card, or a non-empty list of records, even with invalid fields. */
  hasRecord: boolean;
}

/**
 * Determines the kind of a response by rules of the suite, because the contract shows no error (contract 7). An error code in the
 * body takes precedence over the HTTP status, except over 5xx, 401, 403, 407, 408 and 429. A body without a record
 * may be an error even with HTTP 200.
 */
export function classifyResponse(
  operation: Operation,
  response: HttpResponse,
  document: Pick<ParsedBody, 'value'> | UnreadableBody | undefined = readJson(response.body),
): ClassifiedResponse {
  const { status } = response;
  const value = document && 'value' in document ? document.value : undefined;
  const facts = inspectEnvelope(operation, value);
  const { hasRecord, hasSuccessCode, hasPayload, receivedCode } = facts;
  const hasEnvelope = resemblesEnvelope(operation, response, value);
  const hasDocumentedStatus = status === operation.status;
  const isDocumentedSuccess = hasDocumentedStatus && !isErrorBody(operation, value, facts);
  const isOtherSuccess = !hasDocumentedStatus && isOk(status) && hasSuccessCode && hasPayload;
  if (isDocumentedSuccess || isOtherSuccess) return { kind: 'success', code: status, hasEnvelope, hasRecord };
  const code = readErrorCode(status, receivedCode) ?? status;
  const kind = classifyError(operation, status, code);
  // With code and record of a success, the request was not rejected, whatever the HTTP status says.
  const contradictsStatus = kind === 'rejection' && hasSuccessCode && hasRecord;
  return { kind: contradictsStatus ? 'other' : kind, code, hasEnvelope, hasRecord };
}

function classifyError(operation: Operation, status: number, code: number): ResponseKind {
  const kindOfStatus = classifyStatus(operation, status);
  // An HTTP status about access or load counts before the code of the body.
  if (isTransient(kindOfStatus) || isAccessDenied(kindOfStatus)) return kindOfStatus;
  // An error code such as 40400 is no HTTP status, so that it does not tell the kind.
  if (code >= 600) return 'rejection';
  // HTTP 200 without an error code: `isErrorBody` has found an error of another form, such as `{ success: false }`.
  if (code === operation.status) return 'rejection';
  // Only the HTTP status 407 comes from a proxy. In a body, 407 is an error code of the target.
  const kindOfCode = classifyStatus(operation, code);
  return kindOfCode === 'proxy' ? 'rejection' : kindOfCode;
}

/** Which parts of a success, such as `{ code: 200, data: { card: … } }` (contract 2.1), a body has. */
interface EnvelopeFacts {
  receivedCode: unknown;
  /** True if `code` has the promised value, such as 200. */
  hasSuccessCode: boolean;
  /** True if the body has the object that contains the record or list, such as `data`. */
  hasPayload: boolean;
  /** True if the payload has a field that the contract requires in it, such as `customers` in `data`. */
  hasRequiredField: boolean;
  hasRecord: boolean;
}

export function inspectEnvelope(operation: Operation, body: unknown): EnvelopeFacts {
  const { code: successCode, payload: payloadPointer } = operation.envelope;
  const receivedCode = successCode && getValue(body, successCode.pointer);
  const payload = payloadPointer === undefined ? undefined : getValue(body, payloadPointer);
  const requiredNames = getPayloadSchema(operation)?.required ?? [];
  return {
    receivedCode,
    hasSuccessCode: receivedCode !== undefined && receivedCode === successCode?.value,
    hasPayload: isObjectOrArray(payload),
    hasRequiredField: requiredNames.some((name) => hasField(payload, name)),
    hasRecord: containsRecord(operation, payload, body),
  };
}

/** Returns whether a body contains a record or a non-empty list: in the payload, at the top level, or as the whole body. */
function containsRecord(operation: Operation, payload: unknown, body: unknown): boolean {
  const { properties = {}, required = [] } = getPayloadSchema(operation) ?? {};
  // `{ data: { card: { id: … } } }`
  const isInPayload = required.some((name) => hasMembers(getOwnValue(payload, name)));
  // `{ card: { id: … } }`
  const isAtTopLevel = Object.keys(properties).some((name) => hasMembers(getOwnValue(body, name)));
  // `{ id: … }`
  const isWholeBody = Object.values(properties).some((schema) => hasRequiredFields(body, schema));
  return isInPayload || isAtTopLevel || isWholeBody;
}

/** Returns whether a value has all required fields of a record. For the schema of a list, those of one list element. */
function hasRequiredFields(value: unknown, { required, items }: Schema): boolean {
  const names = required ?? items?.required ?? [];
  return names.length > 0 && names.every((name) => hasField(value, name));
}

const hasField = (value: unknown, name: string): boolean => isRecord(value) && Object.hasOwn(value, name);

export const isOk = (status: number): boolean => status >= 200 && status < 300;

/** Returns whether the body of a response with the HTTP status of a success is an error. */
function isErrorBody({ envelope }: Operation, value: unknown, facts: EnvelopeFacts): boolean {
  const { receivedCode, hasSuccessCode, hasRequiredField, hasRecord } = facts;
  if (hasRecord) return false;
  if (typeof receivedCode === 'number') return !hasSuccessCode;
  const isEnvelopeDocumented = envelope.code !== undefined || envelope.payload !== undefined;
  if (!isEnvelopeDocumented) return false;
  // `{ code: '200' }` is a success, in which `code` has the wrong type.
  if (receivedCode === String(envelope.code?.value)) return false;
  // Without a numeric code, an error is an object without a required field of the payload: `{ success: false, data: {} }`.
  return isRecord(value) && hasMembers(value) && !hasRequiredField;
}

/** A greater number may be an identifier. */
const maxErrorCode = 999_999;

/** Returns `code` of a body if it is from 400 to `maxErrorCode`. Undefined for HTTP 5xx, which takes precedence over the code. */
function readErrorCode(status: number, code: unknown): number | undefined {
  const isErrorCode = typeof code === 'number' && code >= 400 && code <= maxErrorCode;
  return isErrorCode && status < 500 ? code : undefined;
}

const hasMembers = (value: unknown): boolean => isObjectOrArray(value) && Object.keys(value).length > 0;

/**
 * Returns whether a body seems to come from this API. True if it has a numeric `code`, an object `data`, or a field of `data`
 * at top level, such as `{ card: … }`. With the documented media type, also true for an empty list, a value such as `null`, and
 * invalid JSON with the word `code` or `data` in quotes.
 * @param value parsed body; undefined if the body is not valid JSON
 */
function resemblesEnvelope(operation: Operation, response: HttpResponse, value: unknown): boolean {
  const isDocumentedType = readMediaType(response) === operation.mediaType;
  if (value === undefined) return isDocumentedType && mentionsEnvelope(operation, decodeText(response.body));
  const { receivedCode, hasPayload } = inspectEnvelope(operation, value);
  // If the contract documents no fields of a payload, those of the body count.
  const properties = getPayloadSchema(operation)?.properties ?? operation.schema.properties ?? {};
  const hasFieldOfPayload = Object.keys(properties).some((name) => hasField(value, name));
  if (hasPayload || typeof receivedCode === 'number' || hasFieldOfPayload) return true;
  // An object, or a list with elements, may be the body of another API.
  const mayBeOtherApi = Array.isArray(value) ? value.length > 0 : isObjectOrArray(value);
  return isDocumentedType && !mayBeOtherApi;
}

/** Returns whether a text, which may be invalid JSON or UTF-16, contains a key of the envelope in quotes, such as `"code"`. */
function mentionsEnvelope({ envelope: { code, payload } }: Operation, text: string): boolean {
  // The bytes of UTF-16, read as UTF-8, have a NUL beside each letter.
  const textWithoutNulls = text.replaceAll('\0', '');
  const names = [code?.pointer, payload].filter((pointer) => pointer !== undefined).map(getLastStep);
  return names.some(
    (name) => textWithoutNulls.includes(`"${name}"`) || textWithoutNulls.includes(`'${name}'`),
  );
}

/**
 * Returns the media type in lower case and without parameters: `text/html` for `Text/HTML; charset=utf-8`. If the header was
 * repeated (values joined by commas, RFC 9110 section 8.3), returns each different media type: `application/json, text/html`.
 */
export function readMediaType({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  // The quoted value of a parameter may contain commas (RFC 9110 section 5.6.4). In the pattern, only one branch matches a
  // backslash: with two, a long value without a closing quote would take hours.
  const withoutQuotedTexts = headers['content-type']?.toLowerCase().replace(/"(\\.|[^"\\])*"/g, '');
  const mediaTypes = withoutQuotedTexts?.split(',').map((value) => value.replace(/;.*/, '').trim());
  return mediaTypes && [...new Set(mediaTypes)].join(', ');
}

export const getPayloadSchema = ({ schema, envelope }: Operation): Schema | undefined =>
  envelope.payload === undefined ? undefined : schema.properties?.[envelope.payload.slice(1)];
