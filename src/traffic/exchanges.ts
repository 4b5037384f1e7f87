import type { Operation } from '../../schemas/contract/contract.ts';
import { getParameterValue } from '../../schemas/contract/validators.ts';
import { isAccessDenied, isOk, isServerFault, readMediaType } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { findRejectionRule } from '../../schemas/judge/rules.ts';
import { isRequested } from '../relations/shown.ts';
import { isCompleteAndDecoded, noBody, type RecordedEntry, readHeaders } from './entry.ts';
import type { Position, RecordedExchange, SkipReason } from './recorded.ts';
import {
  createRequestDescriber,
  createRequestFinder,
  type FindRequest,
  type RecordedRequest,
} from './recorded-request.ts';
import { buildEntryCommand } from './shown-source.ts';

/** Converts an entry to an exchange, or to the reason why it is skipped. Pass entries in order, because identifiers are numbered. */
type ConvertEntry = (entry: RecordedEntry, position: Position) => Promise<RecordedExchange | SkipReason>;

/**
 * Creates a function that converts entries to exchanges of the given operations. @param baseUrl address below which exchanges
 * count; undefined for any address
 */
export function createExchangeReader(operations: Operation[], baseUrl: string | undefined): ConvertEntry {
  const findRequest = createRequestFinder(operations, baseUrl);
  const describeRequest = createRequestDescriber();
  return async (entry, position) => {
    const request = matchRequest(entry, findRequest);
    if (typeof request === 'string') return request;
    const headers = readHeaders(entry.headers);
    const reason = explainSkip(entry, headers, request);
    if (reason) return reason;
    const recordedBody = await entry.readBody();
    const usableBody = isCompleteAndDecoded(recordedBody, headers) ? recordedBody : noBody;
    const { operation, parameters, base, isPerhapsOther } = request;
    const answer = { status: Number(entry.status), headers, body: usableBody.body ?? new Uint8Array() };
    const recorded = { headers: Object.keys(headers).length > 0, body: usableBody.holds };
    const exchange = { operation, parameters, answer, recorded };
    const describedRequest = { ...describeRequest(request), repeat: buildEntryCommand(position, usableBody) };
    const { startedAt: startedAtMs, durationMs = Number.NaN } = entry;
    const at = { ...position, from: startedAtMs, until: startedAtMs + durationMs };
    return { kind: 'exchange', exchange, request: describedRequest, base, isPerhapsOther, at };
  };
}

/** Finds the operation that an entry requests, or the reason why the entry is skipped. */
function matchRequest(
  { method, url: address }: RecordedEntry,
  findRequest: FindRequest,
): RecordedRequest | SkipReason {
  if (method === undefined || address === undefined || !URL.canParse(address)) return 'malformed entry';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'not HTTP';
  return method === 'GET' ? (findRequest(url) ?? 'other path') : 'other method';
}

/** Explains, by status and headers, why an entry is skipped; undefined if its exchange is to be judged. */
function explainSkip(
  { status: recordedStatus, ended, requestHeaders }: RecordedEntry,
  headers: Record<string, string>,
  { operation, isLookup, isDocumented }: RecordedRequest,
): SkipReason | undefined {
  const status = recordedStatus ?? 0;
  if (!isHttpStatus(status)) return 'malformed entry';
  const reason = ended ?? explainSkippedStatus(status, isLookup);
  if (reason) return reason;
  // A request that does not accept JSON may get another representation (RFC 9110, section 12.1).
  const { accept = '*/*' } = readHeaders(requestHeaders);
  const acceptsJson = accept.includes(operation.mediaType) || accept === '*/*';
  const isCounted = isDocumented && (acceptsJson || readMediaType({ headers }) === operation.mediaType);
  return isCounted ? undefined : 'undocumented request';
}

/** Returns whether a value is an HTTP status; recorders write 0 or -1 for a missing response. */
const isHttpStatus = (status: unknown): status is number => Number.isInteger(status) && Number(status) <= 599;

/** Explains why nothing follows from a status, such as 429; undefined for a status that can be judged. */
function explainSkippedStatus(status: number, isLookup: boolean): SkipReason | undefined {
  if (status < 200) return 'no response';
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 404 && isLookup) return 'record not found (404)';
  if (status === 429) return 'too many requests (429)';
  return status >= 500 ? 'server error (5xx)' : undefined;
}

/**
 * Explains why the judgement of a recorded exchange does not count: the response is an error, and the contract does not say when
 * errors are right (contract 7), or the path may belong to another resource. Undefined if the judgement counts.
 * @param isKnownRecord returns whether another response has shown the requested record
 */
export function findOpenReason(
  { exchange, isPerhapsOther }: RecordedExchange,
  { kind, hasRecord, body }: Judged,
  isKnownRecord: () => boolean,
): SkipReason | undefined {
  const { operation, parameters, answer } = exchange;
  if (isPerhapsOther && !isRequested({ operation, parameters, body }) && !isKnownRecord())
    return 'other path';
  if (kind === 'success' || hasRecord) return undefined;
  if (kind === 'rate limit') return 'too many requests (429)';
  if (isServerFault(kind)) return 'server error (5xx)';
  if (isAccessDenied(kind)) return 'unauthorized (401, 403, 407)';
  // Successful responses use one status (contract 7), so another 2xx status is wrong for any request.
  const isOtherSuccess = kind === 'other' && isOk(answer.status) && body !== undefined;
  // Only the target knows whether it accepts a value outside an `enum`.
  const hasOpenParameter = operation.parameters.some(
    (parameter) => getParameterValue(parameters, parameter) !== undefined && !parameter.schema.enum,
  );
  const isOpenResponse = !isOtherSuccess && hasOpenParameter && !findRejectionRule(operation, parameters);
  return isOpenResponse ? 'error response that the contract leaves open' : undefined;
}
