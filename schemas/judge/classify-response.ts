import type { Operation, Schema } from '../contract/contract.ts';
import { isObjectOrArray, valueAt } from '../json/read.ts';

/** What an HTTP response is, for any request. */
export type ResponseKind =
  /** The documented status, or a body that says so. */
  | 'success'
  /** An error response, in HTTP's way (4xx) or in the envelope of a success. */
  | 'rejection'
  /** 401 or 403: it depends on the credentials. */
  | 'unauthorized'
  /** 407: the proxy's. */
  | 'proxy'
  /** 429. */
  | 'rate limit'
  /** 502, 503 or 504: it may pass. */
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

/** Why a response says nothing of its request, whatever that is. @param code of HTTP, or of the body, with its name */
export function otherReason(kind: ResponseKind, code: string): string | undefined {
  if (isTransient(kind)) return `the target answered ${code}: it is overloaded, or out of order`;
  return kind === 'proxy'
    ? `the proxy rejected the request with ${code}: check the user and password of the proxy`
    : undefined;
}

/** Whether a response is neither a success nor says that the request is at fault. */
export const isFailure = (kind: ResponseKind): boolean => isServerFault(kind) || kind === 'other';

/** What a response is, by its status and by what its body says. */
export interface ResponseClass {
  kind: ResponseKind;
  /** The HTTP status, or the error code of the body in its place. */
  code: number;
  /** The code of the body, if there is one, and whether it is that of a success. */
  bodyCode: unknown;
  hasSuccessCode: boolean;
  /** Whether the object is there that carries the payload, and something that it requires in it. */
  hasPayload: boolean;
  hasRecord: boolean;
  /** Whether what the payload requires holds something, so that a list is not empty. */
  hasContent: boolean;
}

/** What a response is by its HTTP status alone. */
export function classifyStatus(operation: Pick<Operation, 'status'>, status: number): ResponseKind {
  if (status === operation.status) return 'success';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 407) return 'proxy';
  if (status === 429) return 'rate limit';
  if ([502, 503, 504].includes(status)) return 'overload';
  if (status >= 500 && status <= 599) return 'server error';
  return status >= 400 && status <= 499 ? 'rejection' : 'other';
}

/** Of these statuses the request is the reason, rather than the moment or the credentials: to repeat it is of no use. */
const lastingRejections = new Set([400, 404, 416, 422]);

/** Whether a status says that the same request will be rejected again. */
export const isLastingRejection = (status: number): boolean => lastingRejections.has(status);

/** A response whose body was parsed; `code` is its code where JSON.parse has made another number of it. */
interface ParsedResponse {
  status: number;
  value: unknown;
  code?: unknown;
}

/**
 * Decides what a response is, from what the contract says of a success: its status, the constant of its envelope, and
 * its payload. An error code in the body replaces any HTTP status but 5xx, so that an error response is recognized
 * in any form.
 */
export function classify(operation: Envelope, response: ParsedResponse): ResponseClass {
  const { status, value } = response;
  const { code: success, payload } = operation.envelope;
  const found = response.code ?? (success && valueAt(value, success.pointer));
  const code = errorCodeOf(status, found) ?? status;
  const hasSuccessCode = found !== undefined && found === success?.value;
  const hasPayload = payload !== undefined && isObjectOrArray(valueAt(value, payload));
  const records = recordsOf(operation).map((pointer) => valueAt(value, pointer));
  // Codes of a body go on where those of HTTP end.
  const kind = code >= 600 ? 'rejection' : classifyStatus(operation, code);
  const isBare = success === undefined && payload === undefined;
  const isRejection = kind === 'success' && !isBare && !hasSuccessCode && !hasPayload;
  return {
    kind: isRejection ? 'rejection' : kind,
    code,
    bodyCode: found,
    hasSuccessCode,
    hasPayload,
    hasRecord: records.some(isObjectOrArray),
    hasContent: records.some(hasMembers),
  };
}

/** Whether a value is an object or an array that is not empty. */
export const hasMembers = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObjectOrArray(value) && Object.keys(value).length > 0;

type Envelope = Pick<Operation, 'status' | 'schema' | 'envelope'>;

/** A code of an error, as long as codes are: not an identifier that has strayed into its place. */
function errorCodeOf(status: number, code: unknown): number | undefined {
  const isCode = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 1e6;
  return isCode && status < 500 ? code : undefined;
}

/** The media type that a Content-Type header names, without its parameters; of several headers, where all name the same. */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  const named = contentType?.split(';')[0]?.trim().toLowerCase();
  const [first, ...others] = named?.split(',').map((one) => one.trim()) ?? [];
  return others.every((one) => one === first) ? first : named;
}

/** Schema of the object that carries the payload. */
export const payloadOf = ({
  schema,
  envelope,
}: Pick<Operation, 'schema' | 'envelope'>): Schema | undefined =>
  envelope.payload === undefined ? undefined : schema.properties?.[envelope.payload.slice(1)];

/** Places of what a payload requires. */
function recordsOf(operation: Envelope): string[] {
  const known = recordPlaces.get(operation);
  if (known) return known;
  const pointers = (payloadOf(operation)?.required ?? []).map(
    (name) => `${operation.envelope.payload}/${name}`,
  );
  recordPlaces.set(operation, pointers);
  return pointers;
}

const recordPlaces = new WeakMap<Envelope, string[]>();
