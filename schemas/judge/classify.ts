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

/** HTTP response of a target. The suite has received the response, or has read it from a recording. */
export interface HttpResponse {
  status: number;
  /** Header values, keyed by name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Body after decompression. */
  body: Uint8Array;
}

/**
 * Kind of a response, which depends on the HTTP status and the body. An error code in the body can replace the status.
 * For example, HTTP 200 with `{ code: 503 }` is an `overload`.
 */
export type ResponseKind =
  /** HTTP 200 with a body that is no error. Another 2xx status is a success only with `code` 200 and `data` in the body. */
  | 'success'
  /**
   * HTTP 4xx other than 401, 403, 407, 408, 425 and 429. For example, HTTP 404 is a rejection.
   * HTTP 200 with an error in the body, such as `{ success: false }`, is a rejection, too, unless an error code gives another kind.
   */
  | 'rejection'
  /** HTTP 401. The target does not accept the credentials. */
  | 'unauthorized'
  /** HTTP 403. The target denies access to all records, or to the requested one. */
  | 'forbidden'
  /** HTTP 407, sent by a proxy that requires credentials (RFC 9110 section 15.5.8). */
  | 'proxy'
  /** HTTP 429 (too many requests), or HTTP 403 with headers of a rate limit (`isRateLimit`). */
  | 'rate limit'
  /**
   * HTTP 408, 425, 502, 503, 504, 520 to 527 or 530. HTTP 425 asks to repeat a request that came too early (RFC 8470). Gateways
   * such as Cloudflare send 520 to 527, and 530 if a tunnel is down.
   */
  | 'overload'
  /** Any other HTTP 5xx, such as 500. */
  | 'server error'
  /**
   * Response of none of the kinds above, such as HTTP 302.
   * HTTP 404 with the body of a success is `other`, too, because the status and the body contradict each other.
   */
  | 'other';

export const isClientFault = (kind: ResponseKind): boolean =>
  kind === 'rejection' || isAccessDenied(kind) || kind === 'rate limit';
export const isServerFault = (kind: ResponseKind): boolean => kind === 'server error' || kind === 'overload';
export const isTransient = (kind: ResponseKind): boolean => kind === 'rate limit' || kind === 'overload';
export const isAccessDenied = (kind: ResponseKind): boolean =>
  kind === 'unauthorized' || kind === 'forbidden' || kind === 'proxy';
export const isFailure = (kind: ResponseKind): boolean => isServerFault(kind) || kind === 'other';

/**
 * Explains why a response cannot be judged, such as "the proxy rejected the request with …".
 * Returns undefined unless the kind is `rate limit`, `overload` or `proxy`.
 * @param statusText status in words, such as `HTTP 200 with code 503`
 */
export function explainInconclusive(kind: ResponseKind, statusText: string): string | undefined {
  const responseText = `the target responded with ${statusText}`;
  if (kind === 'rate limit') return `${responseText}: it may be overloaded, or limit the rate of requests`;
  if (kind === 'overload') return `${responseText}: it may be overloaded or down`;
  if (kind === 'proxy')
    return `the proxy rejected the request with ${statusText}: check the user and password of the proxy`;
  return undefined;
}

/**
 * Formats the HTTP status of an error response: "HTTP 404", or "HTTP 200 and an error in the body".
 * An error response may have HTTP 2xx, because the contract leaves the form of errors open (section 7).
 */
export const formatErrorStatus = (status: number): string =>
  isOk(status) ? `HTTP ${status} and an error in the body` : `HTTP ${status}`;

/**
 * Returns whether a response refuses the request because of a rate limit.
 * HTTP 429 always means a rate limit. HTTP 403 means a rate limit only with the header `Retry-After`, or with
 * `X-RateLimit-Remaining: 0`. GitHub sends HTTP 403 with one of these headers instead of HTTP 429.
 */
export function isRateLimit({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): boolean {
  const hasRateLimitHeader = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  return status === 429 || (status === 403 && hasRateLimitHeader);
}

export function isOverload(status: number): boolean {
  const isOfCloudflare = (status >= 520 && status <= 527) || status === 530;
  return [408, 425, 502, 503, 504].includes(status) || isOfCloudflare;
}

export function classifyStatus(operation: Pick<Operation, 'status'>, status: number): ResponseKind {
  if (status === operation.status) return 'success';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 407) return 'proxy';
  if (status === 429) return 'rate limit';
  if (isOverload(status)) return 'overload';
  if (status >= 500) return 'server error';
  return status >= 400 ? 'rejection' : 'other';
}

export interface ClassifiedResponse {
  kind: ResponseKind;
  /**
   * Error code in the body, such as 404 for HTTP 200 with `{ code: 404 }`.
   * If the body has no error code, `code` is the HTTP status. For a success, and for HTTP 5xx, `code` is always the HTTP status.
   * If HTTP 4xx has an error code from 500 to 599 in the body, `code` is the HTTP status, too.
   */
  code: number;
  /** True if the body seems to come from this API, such as `{ code: 404 }` (contract 2.1). False for the HTML page of a gateway. */
  hasEnvelope: boolean;
  /** True if the body seems to contain a record, such as a card. */
  hasRecord: boolean;
}

/**
 * Classifies a response by its status and body. The form of errors is a guess, because the contract shows none (contract 7).
 * @param document result of parsing `response.body`. If undefined, `classifyResponse` parses `response.body`.
 */
export function classifyResponse(
  operation: Operation,
  response: HttpResponse,
  document: Pick<ParsedBody, 'value'> | UnreadableBody | undefined = readJson(response.body),
): ClassifiedResponse {
  const { status } = response;
  const isReadable = 'value' in document;
  const body = isReadable ? document.value : undefined;
  const facts = inspectEnvelope(operation, body);
  const { hasRecord, hasSuccessCode, receivedCode } = facts;
  const hasEnvelope = resemblesEnvelope(operation, response, body, facts);
  if (isSuccess(operation, status, body, facts))
    return { kind: 'success', code: status, hasEnvelope, hasRecord };
  const code = readErrorCode(status, receivedCode) ?? status;
  const errorKind = isRateLimit(response) ? 'rate limit' : classifyError(operation, status, code);
  // HTTP 404 with `code` 200 and a record: the target has not rejected the request.
  const isContradictory = errorKind === 'rejection' && hasSuccessCode && hasRecord;
  const kind = isContradictory ? 'other' : errorKind;
  return { kind, code, hasEnvelope, hasRecord };
}

function isSuccess(operation: Operation, status: number, body: unknown, facts: EnvelopeFacts): boolean {
  const hasDocumentedStatus = status === operation.status;
  if (hasDocumentedStatus) return !isErrorBody(operation, body, facts);
  return isOk(status) && facts.hasSuccessCode && facts.hasPayload;
}

function classifyError(operation: Operation, status: number, code: number): ResponseKind {
  const kindOfStatus = classifyStatus(operation, status);
  // HTTP 401, 403, 407, 408, 425, 429 and some 5xx count more than the code.
  if (isTransient(kindOfStatus) || isAccessDenied(kindOfStatus)) return kindOfStatus;
  // A code such as 40400 is no HTTP status, and counts as a rejection.
  const isHttpStatus = code < 600;
  if (!isHttpStatus) return 'rejection';
  // HTTP 200 without an error code, but with an error of another form, such as `{ success: false }`.
  if (code === operation.status) return 'rejection';
  const kindOfCode = classifyStatus(operation, code);
  // Only an HTTP status 407 comes from a proxy. A code 407 in the body comes from the target.
  return kindOfCode === 'proxy' ? 'rejection' : kindOfCode;
}

/**
 * Facts by which a body is recognized as a success (contract 2.1).
 * For the body `{ code: 200, data: { card: { id: '…' } } }`, each boolean fact is true.
 */
interface EnvelopeFacts {
  receivedCode: unknown;
  hasSuccessCode: boolean;
  /** True if the body has `data`, and `data` is an object or array. */
  hasPayload: boolean;
  /** True if `data` has a required field, such as `card`. */
  hasRequiredField: boolean;
  /** True if the body seems to contain a record, such as a card. The record may also be outside of `data`. */
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

function containsRecord(operation: Operation, payload: unknown, body: unknown): boolean {
  const { properties = {}, required = [] } = getPayloadSchema(operation) ?? {};
  // As documented: `{ data: { card: { id: … } } }`.
  const isInPayload = required.some((name) => hasMembers(getOwnValue(payload, name)));
  // Without `data`: `{ card: { id: … } }`.
  const isAtTopLevel = Object.keys(properties).some((name) => hasMembers(getOwnValue(body, name)));
  // Without `data` and `card`: `{ id: … }`.
  const isWholeBody = Object.values(properties).some((schema) => hasRequiredFields(body, schema));
  return isInPayload || isAtTopLevel || isWholeBody;
}

function hasRequiredFields(value: unknown, schema: Schema): boolean {
  const requiredNames = schema.required ?? schema.items?.required ?? [];
  // Without required fields, any value would seem to be a record.
  if (requiredNames.length === 0) return false;
  return requiredNames.every((name) => hasField(value, name));
}

const hasField = (value: unknown, name: string): boolean => isRecord(value) && Object.hasOwn(value, name);

export const isOk = (status: number): boolean => status >= 200 && status < 300;

function isErrorBody({ envelope }: Operation, body: unknown, facts: EnvelopeFacts): boolean {
  const { receivedCode, hasSuccessCode, hasRequiredField, hasRecord } = facts;
  if (hasRecord) return false;
  // `{ code: 404 }` is an error, `{ code: 200 }` is none.
  if (typeof receivedCode === 'number') return !hasSuccessCode;
  const isEnvelopeDocumented = envelope.code !== undefined || envelope.payload !== undefined;
  if (!isEnvelopeDocumented) return false;
  // `{ code: '200' }` is a success in which `code` has the wrong type.
  if (receivedCode === String(envelope.code?.value)) return false;
  // Any other code is an error, also beside empty fields: `{ code: 'NOT_FOUND', data: { card: null } }`.
  if (receivedCode !== undefined) return true;
  // `{ success: false }` is an error. `{}` is none, and neither is an object whose `data` has a required field.
  const isObjectWithMembers = isRecord(body) && hasMembers(body);
  return isObjectWithMembers && !hasRequiredField;
}

/** Greatest `code` that counts as an error. A greater number may be an identifier. */
const maxErrorCode = 999_999;

function readErrorCode(status: number, code: unknown): number | undefined {
  // HTTP 5xx counts more than any code.
  if (status >= 500) return undefined;
  const isErrorCode = typeof code === 'number' && code >= 400 && code <= maxErrorCode;
  if (!isErrorCode) return undefined;
  // HTTP 4xx blames the request, and counts more than a code such as 500, which blames the target.
  const isServerErrorCode = code >= 500 && code < 600;
  return status >= 400 && isServerErrorCode ? undefined : code;
}

const hasMembers = (value: unknown): boolean => isObjectOrArray(value) && Object.keys(value).length > 0;

function resemblesEnvelope(
  operation: Operation,
  response: HttpResponse,
  value: unknown,
  { receivedCode, hasPayload }: EnvelopeFacts,
): boolean {
  const hasDocumentedType = readMediaType(response) === operation.mediaType;
  // Invalid JSON such as `{"code":20`.
  if (value === undefined) return hasDocumentedType && mentionsEnvelope(operation, decodeText(response.body));
  // `{ code: 404 }` or `{ data: {} }`
  if (typeof receivedCode === 'number' || hasPayload) return true;
  // `{ card: … }`
  if (hasFieldOfPayload(operation, value)) return true;
  // `null`, a text, a number or `[]`. Any other list or object may be the body of another API.
  const isEmptyList = Array.isArray(value) && value.length === 0;
  const hasNoMembers = isEmptyList || !isObjectOrArray(value);
  return hasDocumentedType && hasNoMembers;
}

/** Returns whether the body has a field of `data` at top level. An example is `{ card: … }` instead of `{ data: { card: … } }`. */
function hasFieldOfPayload(operation: Operation, body: unknown): boolean {
  // If the contract documents no payload, the fields of the whole body count.
  const properties = getPayloadSchema(operation)?.properties ?? operation.schema.properties ?? {};
  return Object.keys(properties).some((name) => hasField(body, name));
}

function mentionsEnvelope({ envelope: { code, payload } }: Operation, text: string): boolean {
  // The bytes of UTF-16, read as UTF-8, have a NUL beside each letter.
  const textWithoutNulls = text.replaceAll('\0', '');
  const pointers = [code?.pointer, payload].filter((pointer) => pointer !== undefined);
  const names = pointers.map(getLastStep);
  return names.some(
    (name) => textWithoutNulls.includes(`"${name}"`) || textWithoutNulls.includes(`'${name}'`),
  );
}

const escapedCharacterPattern = /\\./g;
/** Matches a quoted text in a header, such as `"a, b"` in `text/html; title="a, b"`. The closing quote may be missing. */
const quotedTextPattern = /"[^"]*("|$)/g;

/** Returns the media type of a response in lower case, without parameters: `text/html` for `Text/HTML; charset=utf-8`. */
export function readMediaType({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  const contentType = headers['content-type'];
  if (contentType === undefined) return undefined;
  // The quoted value of a parameter may contain a comma (RFC 9110 section 5.6.4), which separates no media types. Escaped
  // characters are removed first, so that each pattern reads even a header of megabytes, as in a recording, only once.
  const withoutEscapedCharacters = contentType.toLowerCase().replace(escapedCharacterPattern, '');
  const withoutQuotedTexts = withoutEscapedCharacters.replace(quotedTextPattern, '');
  const removeParameters = (value: string) => value.replace(/;.*/, '').trim();
  const mediaTypes = withoutQuotedTexts.split(',').map(removeParameters);
  // If `Content-Type` was sent several times: `application/json, text/html` (RFC 9110 section 8.3).
  return [...new Set(mediaTypes)].join(', ');
}

export const getPayloadSchema = ({ schema, envelope }: Operation): Schema | undefined =>
  envelope.payload === undefined ? undefined : schema.properties?.[envelope.payload.slice(1)];
