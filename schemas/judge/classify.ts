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
import type { HttpResponse } from './response.ts';

/** Class of a response, derived from the response alone: the request does not matter. */
export type ResponseKind =
  /** Documented HTTP status without an error in the body, or another HTTP 2xx status with the envelope of a success. */
  | 'success'
  /** HTTP 4xx without a class of its own, such as 404, or an error in the body of an HTTP success. */
  | 'rejection'
  /** HTTP 401 or 403: depends on the credentials. */
  | 'unauthorized'
  /** HTTP 407: sent by the proxy, not by the target (RFC 9110 section 15.5.8). */
  | 'proxy'
  /** HTTP 429: too many requests (RFC 6585 section 4). */
  | 'rate limit'
  /** HTTP 408, 502, 503, 504, or 520 to 527 (gateways such as Cloudflare): may be temporary. */
  | 'overload'
  /** Any other HTTP 5xx, or such an error code in the body. */
  | 'server error'
  /** Any other status below 400, such as 302; or the code and the record of a success with an HTTP status such as 404. */
  | 'other';

/** Returns whether a response blames the request or its sender: `rejection`, `unauthorized`, `proxy` or `rate limit`. */
export const isClientFault = (kind: ResponseKind): boolean =>
  kind === 'rejection' || kind === 'unauthorized' || kind === 'proxy' || kind === 'rate limit';

/** Returns whether the server is at fault according to the response: `server error` or `overload`. */
export const isServerFault = (kind: ResponseKind): boolean => kind === 'server error' || kind === 'overload';

/** Returns whether a response reflects a temporary state (rate limit or overload), so that the same request may succeed later. */
export const isTransient = (kind: ResponseKind): boolean => kind === 'rate limit' || kind === 'overload';

/** Returns whether access was denied, by the target (HTTP 401, 403) or by the proxy (407), whatever was requested. */
export const isAccessDenied = (kind: ResponseKind): boolean => kind === 'unauthorized' || kind === 'proxy';

/** Returns whether a response is neither a success nor an error of the client: `server error`, `overload` or `other`. */
export const isFailure = (kind: ResponseKind): boolean => isServerFault(kind) || kind === 'other';

/**
 * Explains why a response says nothing about the target's conformance, whatever the request was: the response is temporary (`rate
 * limit`, `overload`), or sent by the proxy. Undefined for any other response.
 * @param code text that names the status, such as `HTTP 503` or `HTTP 200 with code 503`
 */
export function explainInconclusive(kind: ResponseKind, code: string): string | undefined {
  if (isTransient(kind)) return `the target responded with ${code}: it may be overloaded or down`;
  return kind === 'proxy'
    ? `the proxy rejected the request with ${code}: check the user and password of the proxy`
    : undefined;
}

/** Returns whether an HTTP status means an overloaded or stopped server: 408, 502, 503, 504, or 520 to 527 (Cloudflare). */
export const isOverload = (status: number): boolean =>
  [408, 502, 503, 504].includes(status) || (status >= 520 && status <= 527);

/** Classifies a response by its HTTP status alone. `operation.status` is the documented status of a success. */
export function classifyStatus(operation: Pick<Operation, 'status'>, status: number): ResponseKind {
  if (status === operation.status) return 'success';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 407) return 'proxy';
  if (status === 429) return 'rate limit';
  if (isOverload(status)) return 'overload';
  if (status >= 500) return 'server error';
  return status >= 400 ? 'rejection' : 'other';
}

/** Result of `classifyResponse`: class of a response, and what its body shows of the envelope. */
export interface ClassifiedResponse {
  kind: ResponseKind;
  /** HTTP status, or the error code of the body if that replaces the status: 404 for HTTP 200 with `code` 404. */
  code: number;
  /** True if the body has any part of the promised envelope (contract 2.1). A login page or another API has none. */
  hasEnvelope: boolean;
  /** True if the body has a record, or a list that is not empty, however broken its fields are. */
  hasRecord: boolean;
}

/**
 * Classifies a response by status and body. The contract does not show the shape of an error (contract 7), so the suite applies
 * this rule: an error code in the body replaces any HTTP status but 5xx. With the status of a success, a body without a record is
 * an error in two cases: if its code is not that of a success, or if it has neither a code nor a payload. Any other body is a
 * success, possibly a broken one.
 * @param document parsed body; default: the body of the response, parsed by `readJson`
 */
export function classifyResponse(
  operation: Operation,
  response: HttpResponse,
  document: Pick<ParsedBody, 'value'> | UnreadableBody | undefined = readJson(response.body),
): ClassifiedResponse {
  const { status } = response;
  const value = document && 'value' in document ? document.value : undefined;
  const parts = splitEnvelope(operation, value);
  const hasEnvelope = resemblesEnvelope(operation, response, value);
  const { hasRecord } = parts;
  const isSuccess =
    status === operation.status
      ? !isErrorBody(operation, value, parts)
      : isOk(status) && isSuccessEnvelope(parts);
  if (isSuccess) return { kind: 'success', code: status, hasEnvelope, hasRecord };
  const code = readErrorCode(status, parts.code) ?? status;
  const kind = classifyError(operation, status, code);
  // A record in a success envelope shows that the request was not rejected, whatever the HTTP status says.
  const contradictsStatus = kind === 'rejection' && parts.hasSuccessCode && hasRecord;
  return { kind: contradictsStatus ? 'other' : kind, code, hasEnvelope, hasRecord };
}

/**
 * Classifies an error response. An HTTP status about access (401, 403, 407) or load (429, 503 and the like) counts before the code
 * of the body. A body code of 600 or more, of 407, or that of a success, is a `rejection`.
 * @param code error code of the body, or the HTTP status if the body has none
 */
function classifyError(operation: Operation, status: number, code: number): ResponseKind {
  const kind = classifyStatus(operation, status);
  if (isTransient(kind) || isAccessDenied(kind)) return kind;
  // 600 or more is no HTTP status. The code of a success means an error body with that status, and without an error code.
  if (code >= 600 || code === operation.status) return 'rejection';
  // Only the HTTP status 407 comes from a proxy. In a body, the number is a code of the target.
  const kindOfCode = classifyStatus(operation, code);
  return kindOfCode === 'proxy' ? 'rejection' : kindOfCode;
}

/** Parts of a success envelope (contract 2.1) that a body has. */
interface EnvelopeParts {
  /** Value of the field `code` of the body, of any type; undefined if the body has none. */
  code: unknown;
  hasSuccessCode: boolean;
  hasPayload: boolean;
  /** True if the payload has a field that the contract requires of it, such as `customers`. */
  hasRequiredField: boolean;
  hasRecord: boolean;
}

/** Finds out which parts of a success envelope (contract 2.1) a parsed body has. */
export function splitEnvelope(operation: Operation, value: unknown): EnvelopeParts {
  const { code: successCode, payload } = operation.envelope;
  const code = successCode && getValue(value, successCode.pointer);
  const payloadValue = payload === undefined ? undefined : getValue(value, payload);
  return {
    code,
    hasSuccessCode: code !== undefined && code === successCode?.value,
    hasPayload: isObjectOrArray(payloadValue),
    hasRequiredField:
      getPayloadSchema(operation)?.required?.some((name) => hasField(payloadValue, name)) ?? false,
    hasRecord: containsRecord(operation, payloadValue, value),
  };
}

/**
 * Returns whether a body contains a record or a non-empty list, in one of three places: in the payload object as in `{ data: { card
 * } }`, beside the code as in `{ code, card }`, or in place of the envelope (all required fields of a card).
 */
function containsRecord(operation: Operation, payloadValue: unknown, value: unknown): boolean {
  const { properties = {}, required = [] } = getPayloadSchema(operation) ?? {};
  const payloadValues = required.map((name) => getOwnValue(payloadValue, name));
  const bodyValues = Object.keys(properties).map((name) => getOwnValue(value, name));
  const requiredNames = Object.values(properties).map(
    ({ required: fieldNames, items }) => fieldNames ?? items?.required ?? [],
  );
  const isBareRecord = requiredNames.some(
    (names) => names.length > 0 && names.every((name) => hasField(value, name)),
  );
  return isBareRecord || [...payloadValues, ...bodyValues].some(hasMembers);
}

const hasField = (value: unknown, name: string): boolean => isRecord(value) && Object.hasOwn(value, name);

/** Returns whether an HTTP status is 2xx. The body may still hold an error. */
export const isOk = (status: number): boolean => Math.trunc(status / 100) === 2;

const isSuccessEnvelope = ({ hasSuccessCode, hasPayload }: EnvelopeParts) => hasSuccessCode && hasPayload;

/**
 * Returns whether a body that came with the HTTP status of a success is an error. With a numeric code, the body is an error if the
 * code is not that of a success and the body has no record. With another code such as `"E1"` or null, or none, the body is an error
 * if it is a non-empty object without a record and without a required field of the payload, as in `{ success: false, data: {} }`;
 * `"200"` counts as the code of a success. Returns false if the operation documents no envelope and the code is no number.
 */
function isErrorBody({ envelope }: Operation, value: unknown, parts: EnvelopeParts): boolean {
  const { code, hasSuccessCode, hasRequiredField, hasRecord } = parts;
  if (typeof code === 'number') return !hasSuccessCode && !hasRecord;
  const isEnvelopeDocumented = envelope.code !== undefined || envelope.payload !== undefined;
  const isSuccessCode = code === String(envelope.code?.value);
  const hasNoData = isRecord(value) && hasMembers(value) && !hasRequiredField && !hasRecord;
  return isEnvelopeDocumented && !isSuccessCode && hasNoData;
}

/**
 * Returns the code of a body if it is an error code: a number from 400 to 999,999, because a longer one may be an identifier.
 * Undefined for any other value, and for HTTP 5xx, which no code of the body replaces.
 */
function readErrorCode(status: number, code: unknown): number | undefined {
  const isCode = typeof code === 'number' && code >= 400 && code < 1e6;
  return isCode && status < 500 ? code : undefined;
}

const hasMembers = (value: unknown): boolean => isObjectOrArray(value) && Object.keys(value).length > 0;

/**
 * Returns whether a body resembles the promised envelope (contract 2.1): the body has a numeric code, the payload, or a field of
 * the payload at the top level. An empty list, a scalar or null counts only if it has the documented media type.
 * @param value parsed body; undefined if the body is not valid JSON: then its text is searched for names of the envelope
 */
function resemblesEnvelope(operation: Operation, response: HttpResponse, value: unknown): boolean {
  const isDocumentedType = readMediaType(response) === operation.mediaType;
  if (value === undefined) return isDocumentedType && mentionsEnvelope(operation, decodeText(response.body));
  const { code, hasPayload } = splitEnvelope(operation, value);
  const names = Object.keys(getPayloadSchema(operation)?.properties ?? operation.schema.properties ?? {});
  // An object, or a list with elements, may be of another API.
  const mayBeOtherApi = Array.isArray(value) ? value.length > 0 : isObjectOrArray(value);
  return (
    hasPayload ||
    typeof code === 'number' ||
    names.some((name) => hasField(value, name)) ||
    (isDocumentedType && !mayBeOtherApi)
  );
}

/**
 * Returns whether a text has a quoted name of the envelope, such as `"code"` or `'data'`, even if the text is invalid JSON or
 * UTF-16.
 */
function mentionsEnvelope({ envelope: { code, payload } }: Operation, text: string): boolean {
  // The bytes of UTF-16, read as UTF-8, have a NUL beside each letter.
  const textWithoutNulls = text.replaceAll('\0', '');
  const names = [code?.pointer, payload].filter((pointer) => pointer !== undefined).map(getLastStep);
  return names.some(
    (name) => textWithoutNulls.includes(`"${name}"`) || textWithoutNulls.includes(`'${name}'`),
  );
}

/**
 * Reads the media type of `Content-Type`, in lower case and without parameters, such as `application/json`. Repeated headers,
 * joined by commas (RFC 9110 section 8.3), count as one if they agree; otherwise returns all of them. Undefined without the header.
 */
export function readMediaType({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  const mediaTypes = headers['content-type']?.split(';')[0]?.toLowerCase();
  const [mediaType, ...repetitions] = mediaTypes?.split(',').map((part) => part.trim()) ?? [];
  const isUniform = repetitions.every((repetition) => repetition === mediaType);
  return isUniform ? mediaType : mediaTypes;
}

/** Returns the schema of the object that carries the payload, such as `data`; undefined if the operation has none. */
export const getPayloadSchema = ({ schema, envelope }: Operation): Schema | undefined =>
  envelope.payload === undefined ? undefined : schema.properties?.[envelope.payload.slice(1)];
