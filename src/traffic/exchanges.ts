import type { Operation } from '../../schemas/contract/contract.ts';
import { getParameterValue } from '../../schemas/contract/validators.ts';
import { isAccessDenied, isOk, isServerFault, readMediaType } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { findRejectionRule } from '../../schemas/judge/rules.ts';
import { isRequested } from '../relations/shown.ts';
import { type Entry, fitsHeaders, nothing, readHeaders } from './entry.ts';
import type { Position, RecordedExchange, SkipReason } from './recorded.ts';
import {
  type FindRequest,
  type RecordedRequest,
  requestDescriber,
  requestFinder,
} from './recorded-request.ts';
import { entryCommand } from './shown-source.ts';

/** What an entry comes to, in the order in which entries are handed over: an exchange, or why nothing is said of it. */
type ToExchange = (entry: Entry, position: Position) => Promise<RecordedExchange | SkipReason>;

/** Reads entries as exchanges of the operations, at any address or only below this one. */
export function exchangeReader(operations: Operation[], baseUrl: string | undefined): ToExchange {
  const find = requestFinder(operations, baseUrl);
  const shownRequest = requestDescriber();
  return async (entry, position) => {
    const request = requestOf(entry, find);
    if (typeof request === 'string') return request;
    const headers = readHeaders(entry.headers);
    const reason = reasonOf(entry, headers, request);
    if (reason) return reason;
    const read = await entry.readBody();
    const held = fitsHeaders(read, headers) ? read : nothing;
    const { operation, parameters, base, isPerhapsOther } = request;
    const answer = { status: Number(entry.status), headers, body: held.body ?? new Uint8Array() };
    const recorded = { headers: Object.keys(headers).length > 0, body: held.holds };
    const exchange = { operation, parameters, answer, recorded };
    const shown = { ...shownRequest(request), repeat: entryCommand(position, held) };
    const { startedAt: from, durationMs = Number.NaN } = entry;
    const at = { ...position, from, until: from + durationMs };
    return { kind: 'exchange', exchange, request: shown, base, isPerhapsOther, at };
  };
}

function requestOf({ method, url: address }: Entry, find: FindRequest): RecordedRequest | SkipReason {
  if (method === undefined || address === undefined || !URL.canParse(address)) return 'malformed entry';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'not HTTP';
  return method === 'GET' ? (find(url) ?? 'other path') : 'other method';
}

/** Why a response does not count, if it does not: whatever its body is. */
function reasonOf(
  { status: recorded, ended, requestHeaders }: Entry,
  headers: Record<string, string>,
  { operation, lookup, isDocumented }: RecordedRequest,
): SkipReason | undefined {
  const status = recorded ?? 0;
  if (!isStatus(status)) return 'malformed entry';
  const reason = ended ?? reasonOfStatus(status, lookup);
  if (reason) return reason;
  // Whoever does not ask for JSON may get another representation.
  const { accept = '*/*' } = readHeaders(requestHeaders);
  const isForJson = accept.includes(operation.mediaType) || accept === '*/*';
  const isCounted = isDocumented && (isForJson || readMediaType({ headers }) === operation.mediaType);
  return isCounted ? undefined : 'undocumented request';
}

/** A status as HTTP knows it: 0 and -1 say that there was no response. */
const isStatus = (status: unknown): status is number => Number.isInteger(status) && Number(status) <= 599;

/** Why a response says nothing of the contract by its status, if it does not. */
function reasonOfStatus(status: number, lookup: boolean): SkipReason | undefined {
  if (status < 200) return 'no response';
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 404 && lookup) return 'record not found (404)';
  if (status === 429) return 'too many requests (429)';
  return status >= 500 ? 'server error (5xx)' : undefined;
}

/**
 * Why nothing is said of an exchange that was judged, if that is so: it is no success, and the contract does not say when errors are
 * right, or it may be of another resource.
 * @param isKnown whether another response has shown the record
 */
export function leftOpen(
  { exchange, isPerhapsOther }: RecordedExchange,
  { kind, hasRecord, body }: Judged,
  isKnown: () => boolean,
): SkipReason | undefined {
  const { operation, parameters, answer } = exchange;
  if (isPerhapsOther && !isRequested({ operation, parameters, body }) && !isKnown()) return 'other path';
  if (kind === 'success' || hasRecord) return undefined;
  if (kind === 'rate limit') return 'too many requests (429)';
  if (isServerFault(kind)) return 'server error (5xx)';
  if (isAccessDenied(kind)) return 'unauthorized (401, 403, 407)';
  // Successful responses use one status (contract, section 7): another one of them is wrong for any request.
  const isOtherSuccess = kind === 'other' && isOk(answer.status) && body !== undefined;
  // Of a value that is not one of a few, only the target knows whether it accepts it.
  const isOpen = operation.parameters.some(
    (one) => getParameterValue(parameters, one) !== undefined && !one.schema.enum,
  );
  const isLeftOpen = !isOtherSuccess && isOpen && !findRejectionRule(operation, parameters);
  return isLeftOpen ? 'error response that the contract leaves open' : undefined;
}
