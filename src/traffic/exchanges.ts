import type { Operation } from '../../schemas/contract/contract.ts';
import { getOwnValue } from '../../schemas/json.ts';
import { isAccessDenied, isOk, isServerFault, readMediaType } from '../../schemas/judge/classify.ts';
import type { Exchange, JudgedResponse } from '../../schemas/judge/judged.ts';
import { findRejectionRule } from '../../schemas/judge/rules.ts';
import { hasRequestedRecord } from '../relations/comparable.ts';
import {
  isCompressedOrCutOff,
  markDecodedBody,
  noBody,
  type RecordedBody,
  type RecordedEntry,
  readHeaders,
} from './entry.ts';
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
 * Creates a function that converts recorded entries to exchanges. For an entry that must not be judged, the function returns a skip
 * reason.
 * @param baseUrl base URL of the requests to convert. Undefined accepts every base URL.
 */
export function createEntryConverter(
  operations: Operation[],
  baseUrl: string | undefined,
): (entry: RecordedEntry, position: Position) => Promise<RecordedExchange | SkipReason> {
  const findRequest = createRequestFinder(operations, baseUrl);
  // Numbers labels such as `{card 3}` in the order of its calls.
  const describeRequest = createRequestDescriber();
  return async (entry, position) => {
    const request = matchRequest(entry, findRequest);
    if (isSkipReason(request)) return request;
    const headers = readHeaders(entry.headers);
    const skipReason = explainSkip(entry, headers, request);
    if (skipReason) return skipReason;
    const recordedBody = markDecodedBody(await entry.readBody(), headers);
    const usableBody = isCompressedOrCutOff(recordedBody, headers) ? noBody : recordedBody;
    const { base, isPathAmbiguous } = request;
    const { startedAt, durationMs = Number.NaN } = entry;
    return {
      kind: 'exchange',
      exchange: createExchange(request, Number(entry.status), headers, usableBody),
      request: { ...describeRequest(request), curlCommand: buildBodyCommand(position, usableBody) },
      base,
      isPathAmbiguous,
      at: { ...position, from: startedAt, until: startedAt + durationMs },
    };
  };
}

function createExchange(
  { operation, parameters }: RecordedRequest,
  status: number,
  headers: Record<string, string>,
  { body = new Uint8Array(), fidelity }: RecordedBody,
): Exchange {
  const hasHeaders = Object.keys(headers).length > 0;
  return {
    operation,
    parameters,
    response: { status, headers, body },
    recorded: { headers: hasHeaders, body: fidelity },
  };
}

function matchRequest(
  { method, url: address }: RecordedEntry,
  findRequest: FindRequest,
): RecordedRequest | SkipReason {
  if (method === undefined || address === undefined || !URL.canParse(address)) return 'malformed entry';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'not HTTP';
  if (method !== 'GET') return 'other method';
  return findRequest(url) ?? 'other path';
}

function explainSkip(
  { status: recordedStatus, skipReason, requestHeaders }: RecordedEntry,
  headers: Record<string, string>,
  { operation, isLookup, isDocumented }: RecordedRequest,
): SkipReason | undefined {
  // A recorder may omit the status of a missing response, or write 0.
  const status = recordedStatus ?? 0;
  if (!isRecordedStatus(status)) return 'malformed entry';
  const reason = skipReason ?? explainSkippedStatus(status, isLookup);
  if (reason) return reason;
  // AWS WAF responds instead of the target: with HTTP 202 for a challenge, and with HTTP 405 for a CAPTCHA.
  if (headers['x-amzn-waf-action'] !== undefined) return 'not answered by the target';
  const isExpected =
    isDocumented && !mayBeDueToHeaders(operation, status, headers, readHeaders(requestHeaders));
  return isExpected ? undefined : 'undocumented request';
}

/**
 * Returns whether a response may be due to request headers that the contract does not document: a `Range`, or an `Accept` with
 * other media types than JSON (RFC 9110, section 12.1).
 */
function mayBeDueToHeaders(
  { mediaType }: Operation,
  status: number,
  responseHeaders: Record<string, string>,
  { accept = '*/*', range }: Record<string, string>,
): boolean {
  // HTTP 206 sends the range, and HTTP 416 rejects it (RFC 9110, section 14).
  if (range !== undefined && (status === 206 || status === 416)) return true;
  const receivedType = readMediaType({ headers: responseHeaders }) ?? '';
  const isJson = receivedType === mediaType;
  const qualities = readQualities(accept);
  // A browser's `text/html, …, */*;q=0.8` prefers HTML, so only a bare `*/*` counts as accepting JSON.
  const jsonQuality = qualities.get(mediaType) ?? (accept === '*/*' ? 1 : undefined);
  const isJsonAccepted = jsonQuality !== undefined;
  // HTTP 406 says that there is no response of an accepted type.
  if (!isJsonAccepted) return !isJson || status === 406;
  const receivedQuality = qualities.get(receivedType) ?? 0;
  // The request may accept JSON, and yet rank the received type as high or higher (RFC 9110 section 12.4.2).
  return !isJson && receivedQuality >= jsonQuality;
}

/** Returns the quality of each media type in an `Accept` header (RFC 9110, section 12.4.2): 0.9 for `text/html;q=0.9`. */
function readQualities(accept: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const acceptedType of accept.toLowerCase().split(',')) {
    const [mediaType = '', ...parameters] = acceptedType.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1;
    qualities.set(mediaType, Number(quality));
  }
  return qualities;
}

/** Returns whether a value is an integer of at most 599. Recorders write 0 or -1 for a missing response. */
const isRecordedStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) <= 599;

function explainSkippedStatus(status: number, isLookup: boolean): SkipReason | undefined {
  if (status < 200) return 'no response';
  if (status >= 300 && status < 400) return 'redirect';
  // The contract does not define the following error responses (section 7).
  if (status === 404 && isLookup) return 'record not found (404)';
  if (status === 429) return 'too many requests (429)';
  if (status >= 500) return 'server error (5xx)';
  return undefined;
}

/**
 * Explains why an exchange must be ignored: `too many requests (429)`. Returns undefined if the exchange counts.
 * @param judgedResponse result of judging the response of the exchange
 * @param isKnownRecord returns whether an earlier response shows the requested record. A known record proves that an ambiguous
 *   path, such as `/customers/C-7`, is a lookup.
 */
export function explainSkipAfterJudging(
  { exchange, isPathAmbiguous }: RecordedExchange,
  judgedResponse: JudgedResponse,
  isKnownRecord: () => boolean,
): SkipReason | undefined {
  const { kind, hasRecord: hasAnyRecord, body } = judgedResponse;
  const { operation, parameters, response } = exchange;
  const showsRequestedRecord = hasRequestedRecord({ operation, parameters, body });
  // Nothing shows that a path such as `/customers/export.csv` is the lookup of a record.
  if (isPathAmbiguous && !showsRequestedRecord && !isKnownRecord()) return 'other path';
  if (kind === 'success' || hasAnyRecord) return undefined;
  if (kind === 'rate limit') return 'too many requests (429)';
  if (isServerFault(kind)) return 'server error (5xx)';
  if (isAccessDenied(kind)) return 'unauthorized (401, 403, 407)';
  // Successful responses use HTTP 200 (contract section 7), so another 2xx status is wrong for any request. Without a readable body,
  // such as with HTTP 204, nothing shows a success.
  const hasReadableBody = body !== undefined;
  if (kind === 'other' && isOk(response.status) && hasReadableBody) return undefined;
  return mayBeRejected(exchange) ? 'error response that the contract leaves open' : undefined;
}

/**
 * Returns whether the contract leaves open whether a request succeeds (section 7). The outcome is open if a sent parameter has no
 * `enum`, because the contract does not say which values of the parameter, such as `limit=1000`, must succeed. The outcome is
 * never open if a rule says that the target must reject the request.
 */
function mayBeRejected({ operation, parameters }: Exchange): boolean {
  if (findRejectionRule(operation, parameters)) return false;
  return operation.parameters.some((parameter) => {
    const isSent = getOwnValue(parameters, parameter.name) !== undefined;
    // Without an `enum`, the contract does not say which values, such as `limit=1000`, must succeed.
    return isSent && !parameter.schema.enum;
  });
}
