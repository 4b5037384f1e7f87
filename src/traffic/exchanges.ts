import type { Operation } from '../../schemas/contract/contract.ts';
import { getParameterValue } from '../../schemas/contract/validators.ts';
import { isAccessDenied, isOk, isServerFault, readMediaType } from '../../schemas/judge/classify.ts';
import type { Exchange, JudgedResponse } from '../../schemas/judge/judged.ts';
import { findRejectionRule } from '../../schemas/judge/rules.ts';
import { hasRequestedRecord } from '../relations/comparable.ts';
import { isCompressedOrCutOff, noBody, type RecordedEntry, readHeaders } from './entry.ts';
import type { Position, RecordedExchange, SkipReason } from './recorded.ts';
import {
  createRequestDescriber,
  createRequestFinder,
  type FindRequest,
  type RecordedRequest,
} from './recorded-request.ts';
import { buildBodyCommand } from './shown-source.ts';

export const isSkipReason = (result: object | SkipReason): result is SkipReason => typeof result === 'string';

/**
 * Creates a function that converts a recorded entry to an exchange, or returns the reason to skip the entry. Call it in the order
 * of the recording: labels such as `{card 3}` number the cards in order of appearance.
 * @param baseUrl base URL such as `https://staging.example.com/api`. Entries with another one are skipped; undefined accepts any
 */
export function createEntryConverter(operations: Operation[], baseUrl: string | undefined) {
  const findRequest = createRequestFinder(operations, baseUrl);
  const describeRequest = createRequestDescriber();
  return async (entry: RecordedEntry, position: Position): Promise<RecordedExchange | SkipReason> => {
    const request = matchRequest(entry, findRequest);
    if (isSkipReason(request)) return request;
    const headers = readHeaders(entry.headers);
    const skipReason = explainSkip(entry, headers, request);
    if (skipReason) return skipReason;
    const recordedBody = await entry.readBody();
    const usableBody = isCompressedOrCutOff(recordedBody, headers) ? noBody : recordedBody;
    const { operation, parameters, base, isPathAmbiguous } = request;
    const response = { status: Number(entry.status), headers, body: usableBody.body ?? new Uint8Array() };
    const hasHeaders = Object.keys(headers).length > 0;
    const recorded = { headers: hasHeaders, body: usableBody.fidelity };
    const { startedAt: startedAtMs, durationMs = Number.NaN } = entry;
    return {
      kind: 'exchange',
      exchange: { operation, parameters, response, recorded },
      request: { ...describeRequest(request), repeat: buildBodyCommand(position, usableBody) },
      base,
      isPathAmbiguous,
      at: { ...position, from: startedAtMs, until: startedAtMs + durationMs },
    };
  };
}

function matchRequest(
  { method, url: address }: RecordedEntry,
  findRequest: FindRequest,
): RecordedRequest | SkipReason {
  if (method === undefined || address === undefined || !URL.canParse(address)) return 'malformed entry';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'not HTTP';
  return method === 'GET' ? (findRequest(url) ?? 'other path') : 'other method';
}

function explainSkip(
  { status: recordedStatus, skipReason, requestHeaders }: RecordedEntry,
  headers: Record<string, string>,
  { operation, isLookup, isDocumented }: RecordedRequest,
): SkipReason | undefined {
  const status = recordedStatus ?? 0;
  if (!isRecordedStatus(status)) return 'malformed entry';
  const reason = skipReason ?? explainSkippedStatus(status, isLookup);
  if (reason) return reason;
  // A request that does not accept JSON may get another representation (RFC 9110, section 12.1).
  const { accept = '*/*' } = readHeaders(requestHeaders);
  const acceptsJson = accept.includes(operation.mediaType) || accept === '*/*';
  const isJsonResponse = readMediaType({ headers }) === operation.mediaType;
  const isDocumentedRequest = isDocumented && (acceptsJson || isJsonResponse);
  return isDocumentedRequest ? undefined : 'undocumented request';
}

/** Returns whether a status is an integer up to 599. Recorders write 0 or -1 for a missing response. */
const isRecordedStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) <= 599;

/**
 * Returns the reason to skip a response with a status that the contract leaves open (section 7), such as 429; otherwise undefined.
 * @param isLookup true if the request names a record, such as a card, which may not exist
 */
function explainSkippedStatus(status: number, isLookup: boolean): SkipReason | undefined {
  if (status < 200) return 'no response';
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 404 && isLookup) return 'record not found (404)';
  if (status === 429) return 'too many requests (429)';
  return status >= 500 ? 'server error (5xx)' : undefined;
}

/**
 * Returns the reason to ignore the judgement of an exchange; otherwise undefined. One reason is that the contract does not say
 * whether the request may be rejected (section 7); another is a path that may belong to another resource (`isPathAmbiguous`).
 * @param isKnownRecord returns whether an earlier response has shown the requested record
 */
export function explainSkipAfterJudging(
  { exchange, isPathAmbiguous }: RecordedExchange,
  { kind, hasRecord: hasAnyRecord, body }: JudgedResponse,
  isKnownRecord: () => boolean,
): SkipReason | undefined {
  const { operation, parameters, response } = exchange;
  const showsRequestedRecord = hasRequestedRecord({ operation, parameters, body });
  if (isPathAmbiguous && !showsRequestedRecord && !isKnownRecord()) return 'other path';
  if (kind === 'success' || hasAnyRecord) return undefined;
  if (kind === 'rate limit') return 'too many requests (429)';
  if (isServerFault(kind)) return 'server error (5xx)';
  if (isAccessDenied(kind)) return 'unauthorized (401, 403, 407)';
  // Successful responses use HTTP 200 (contract section 7), so another 2xx status is wrong for any request.
  const isWrongSuccess = kind === 'other' && isOk(response.status) && body !== undefined;
  if (isWrongSuccess || !mayBeRejected(exchange)) return undefined;
  return 'error response that the contract leaves open';
}

/** Returns whether only the target knows if it accepts a request: a parameter without `enum` has a value, which no rule rejects. */
function mayBeRejected({ operation, parameters }: Exchange): boolean {
  if (findRejectionRule(operation, parameters)) return false;
  return operation.parameters.some(
    (parameter) => getParameterValue(parameters, parameter) !== undefined && !parameter.schema.enum,
  );
}
