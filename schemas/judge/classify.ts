import type { Operation, Schema } from '../contract/contract.ts';
import {
  type Document,
  isObjectOrArray,
  isRecord,
  ownValue,
  readJson,
  textOf,
  type Unreadable,
  valueAt,
} from '../json.ts';
import type { HttpResponse } from './response.ts';

/** What a response is, for any request. */
export type ResponseKind =
  /** The documented status, and no error in the body; or the envelope of a success with another HTTP 2xx. */
  | 'success'
  /** An error response, in HTTP's way (4xx) or in the body of a success. */
  | 'rejection'
  /** 401 or 403: it depends on the credentials. */
  | 'unauthorized'
  /** 407: the proxy's. */
  | 'proxy'
  /** 429. */
  | 'rate limit'
  /** 408, 502, 503, 504, or 520 to 527 of a gateway: it may pass. */
  | 'overload'
  | 'server error'
  /** Any other HTTP status: nothing is promised of it. */
  | 'other';

/** Whether a response says that the request, or who sends it, is at fault. */
export const isClientFault = (kind: ResponseKind): boolean =>
  kind === 'rejection' || kind === 'unauthorized' || kind === 'proxy' || kind === 'rate limit';

/** Whether a response says that the server is at fault. */
export const isServerFault = (kind: ResponseKind): boolean => kind === 'server error' || kind === 'overload';

/** Whether a response says something of the moment only: the same request may be answered otherwise later. */
export const isTransient = (kind: ResponseKind): boolean => kind === 'rate limit' || kind === 'overload';

/** Whether a response says something of the credentials or of the way to the target only. */
export const isAccessDenied = (kind: ResponseKind): boolean => kind === 'unauthorized' || kind === 'proxy';

/** Whether a response is neither a success nor says that the request is at fault. */
export const isFailure = (kind: ResponseKind): boolean => isServerFault(kind) || kind === 'other';

/** Why a response says nothing of its request, whatever that is. @param code of HTTP, or of the body, with its name */
export function otherReason(kind: ResponseKind, code: string): string | undefined {
  if (isTransient(kind)) return `the target answered ${code}: it is overloaded, or out of order`;
  return kind === 'proxy'
    ? `the proxy rejected the request with ${code}: check the user and password of the proxy`
    : undefined;
}

/** What a response is by its HTTP status alone. */
export function classifyStatus(operation: Pick<Operation, 'status'>, status: number): ResponseKind {
  if (status === operation.status) return 'success';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 407) return 'proxy';
  if (status === 429) return 'rate limit';
  if ([408, 502, 503, 504].includes(status) || (status >= 520 && status <= 527)) return 'overload';
  if (status >= 500) return 'server error';
  return status >= 400 ? 'rejection' : 'other';
}

/** What a response is, by its status and by what its body says. */
export interface Classified {
  kind: ResponseKind;
  /** The HTTP status, or the error code of the body in its place. */
  code: number;
  /** Whether it holds anything of the envelope that the contract promises: a login page, or another API, does not. */
  hasEnvelope: boolean;
  /** Whether it holds a record, or a list that is not empty, whatever else is wrong with it. */
  hasRecord: boolean;
}

/**
 * Decides what a response is. The contract does not show the shape of an error (section 7): an error code in the body
 * replaces any HTTP status but 5xx, and with the status of a success a body without any record is an error where it has
 * another code than that of a success, or neither a code nor a payload. Any other body is a success, which may be broken.
 */
export function classify(
  operation: Operation,
  answer: HttpResponse,
  document: Pick<Document, 'value'> | Unreadable | undefined = readJson(answer.body),
): Classified {
  const { status } = answer;
  const value = document && 'value' in document ? document.value : undefined;
  const parts = partsOf(operation, value);
  const [hasEnvelope, { hasRecord }] = [holdsEnvelope(operation, answer, value), parts];
  const isSuccess =
    status === operation.status ? !saysError(operation, value, parts) : isOk(status) && isPayload(parts);
  if (isSuccess) return { kind: 'success', code: status, hasEnvelope, hasRecord };
  const code = errorCodeOf(status, parts.code) ?? status;
  return { kind: errorKindOf(operation, status, code), code, hasEnvelope, hasRecord };
}

/** What HTTP says of access and load stands. Codes of a body go on where those of HTTP end. */
function errorKindOf(operation: Operation, status: number, code: number): ResponseKind {
  const kind = classifyStatus(operation, status);
  if (isTransient(kind) || isAccessDenied(kind)) return kind;
  return code >= 600 || code === operation.status ? 'rejection' : classifyStatus(operation, code);
}

/** What a body holds of the envelope of a success. */
interface EnvelopeParts {
  /** The code, if there is one, and whether it is that of a success. */
  code: unknown;
  hasSuccessCode: boolean;
  /** Whether the object is there that carries the payload. */
  hasPayload: boolean;
  hasRecord: boolean;
}

/** What a parsed body holds of the envelope of a success. */
export function partsOf(operation: Operation, value: unknown): EnvelopeParts {
  const { code: success, payload } = operation.envelope;
  const code = success && valueAt(value, success.pointer);
  const carrier = payload === undefined ? undefined : valueAt(value, payload);
  return {
    code,
    hasSuccessCode: code !== undefined && code === success?.value,
    hasPayload: isObjectOrArray(carrier),
    hasRecord: holdsRecord(operation, carrier, value),
  };
}

/** In the object that carries the payload, beside its code, or in place of all of it. */
function holdsRecord(operation: Operation, carrier: unknown, value: unknown): boolean {
  const { properties = {}, required = [] } = payloadOf(operation) ?? {};
  const inside = required.map((name) => ownValue(carrier, name));
  const beside = Object.keys(properties).map((name) => ownValue(value, name));
  const fields = Object.values(properties).map(({ required: own, items }) => own ?? items?.required ?? []);
  const isBare = fields.some((names) => names.length > 0 && names.every((name) => hasField(value, name)));
  return isBare || [...inside, ...beside].some(hasMembers);
}

const hasField = (value: unknown, name: string): boolean => isRecord(value) && Object.hasOwn(value, name);

/** Whether a status is one of success (HTTP 2xx). */
export const isOk = (status: number): boolean => Math.trunc(status / 100) === 2;

const isPayload = ({ hasSuccessCode, hasPayload }: EnvelopeParts) => hasSuccessCode && hasPayload;

function saysError({ envelope }: Operation, value: unknown, parts: EnvelopeParts): boolean {
  const { code, hasSuccessCode, hasPayload, hasRecord } = parts;
  if (typeof code === 'number') return !hasSuccessCode && !hasRecord;
  const isBare = envelope.code === undefined && envelope.payload === undefined;
  const isErrorCode =
    code === undefined || (typeof code === 'string' && code !== String(envelope.code?.value));
  return !isBare && isRecord(value) && hasMembers(value) && !hasPayload && !hasRecord && isErrorCode;
}

/** A code of an error, as long as codes are: not an identifier that has strayed into its place. */
function errorCodeOf(status: number, code: unknown): number | undefined {
  const isCode = typeof code === 'number' && code >= 400 && code < 1e6;
  return isCode && status < 500 ? code : undefined;
}

/** Whether a value is an object or an array that is not empty. */
const hasMembers = (value: unknown): boolean => isObjectOrArray(value) && Object.keys(value).length > 0;

/** A code, the payload, or what the payload holds outside it; of what is no object, the documented type. */
function holdsEnvelope(operation: Operation, answer: HttpResponse, value: unknown): boolean {
  const isDocumentedType = mediaTypeOf(answer) === operation.mediaType;
  if (value === undefined) return isDocumentedType && namesEnvelope(operation, textOf(answer.body));
  const { code, hasPayload } = partsOf(operation, value);
  const names = Object.keys(payloadOf(operation)?.properties ?? operation.schema.properties ?? {});
  const isOtherApi = Array.isArray(value) ? value.length > 0 : isObjectOrArray(value);
  return (
    hasPayload ||
    typeof code === 'number' ||
    names.some((name) => hasField(value, name)) ||
    (isDocumentedType && !isOtherApi)
  );
}

/** What is no JSON, or in UTF-16, may still name its members. */
function namesEnvelope({ envelope: { code, payload } }: Operation, text: string): boolean {
  const bare = text.replaceAll('\0', '');
  const names = [code?.pointer, payload].flatMap((pointer) => pointer?.slice(1) ?? []);
  return names.some((name) => bare.includes(`"${name}"`) || bare.includes(`'${name}'`));
}

/** The media type that a Content-Type header names, without its parameters; of several headers, where all name the same. */
export function mediaTypeOf({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  const named = headers['content-type']?.split(';')[0]?.toLowerCase();
  const [first, ...others] = named?.split(',').map((one) => one.trim()) ?? [];
  return others.every((one) => one === first) ? first : named;
}

/** Schema of the object that carries the payload. */
export const payloadOf = ({ schema, envelope }: Operation): Schema | undefined =>
  envelope.payload === undefined ? undefined : schema.properties?.[envelope.payload.slice(1)];
