import type { Operation } from '../../schemas/contract/contract.ts';
import { givenValue } from '../../schemas/contract/validators.ts';
import { readJson } from '../../schemas/json.ts';
import { classify, isAccessDenied, isServerFault, mediaTypeOf } from '../../schemas/judge/classify.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import { rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { isRequested } from '../relations/shown.ts';
import { checkHeaders } from './body.ts';
import type { FoundEntry } from './dialects.ts';
import { readHeaders } from './members.ts';
import type { Moment } from './order.ts';
import type { Position, RecordedExchange, SkipReason } from './recorded.ts';
import {
  type FindRequest,
  type RecordedRequest,
  requestDescriber,
  requestFinder,
} from './recorded-request.ts';
import { entryCommand } from './shown-source.ts';

/** What an entry comes to, in the order in which entries are handed over: an exchange, or why nothing is said of it. */
export type ToExchange = (entry: FoundEntry, position: Position) => Promise<RecordedExchange | SkipReason>;

/** Lookups that are remembered. */
const maxFound = 10_000;

/**
 * Reads entries as exchanges of the operations, at any address or only below this one.
 * @param isListed whether a list has shown the record that is looked up: then its identifier may have any form
 */
export function exchangeReader(
  operations: Operation[],
  baseUrl: string | undefined,
  isListed: (request: RecordedRequest) => boolean,
): ToExchange {
  const find = requestFinder(operations, baseUrl);
  const shownRequest = requestDescriber();
  const found = new Set<string>();
  return async (entry, position) => {
    const request = requestOf(entry, find);
    if (typeof request === 'string') return request;
    const response = await responseOf(entry, request);
    if (typeof response === 'string') return response;
    const key = JSON.stringify([request.base, request.parameters]);
    const reason = whyUnjudged(request, response, () => found.has(key) || isListed(request));
    if (reason) return reason;
    if (request.isPerhapsOther && found.size < maxFound) found.add(key);
    const { answer, held } = response;
    const { operation, parameters, base } = request;
    const recorded = { headers: Object.keys(answer.headers).length > 0, body: held.holds };
    const exchange = { operation, parameters, answer, recorded };
    const shown = { ...shownRequest(request), repeat: entryCommand(position, held) };
    return { kind: 'exchange', exchange, request: shown, base, at: momentOf(entry, position), position };
  };
}

function momentOf({ startedAt = '', durationMs = Number.NaN }: FoundEntry, position: Position): Moment {
  const from = Date.parse(startedAt);
  return { from, until: from + durationMs, file: position.number, place: position.index };
}

function requestOf({ method, url: address }: FoundEntry, find: FindRequest): RecordedRequest | SkipReason {
  if (method === undefined || address === undefined || !URL.canParse(address)) return 'malformed entry';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'not HTTP';
  return method === 'GET' ? (find(url) ?? 'other path') : 'other method';
}

/** A response as far as it was recorded, with the header Accept of the request; or why there is none that counts. */
async function responseOf(entry: FoundEntry, { lookup }: RecordedRequest) {
  const status = entry.status ?? 0;
  if (!isStatus(status)) return 'malformed entry' satisfies SkipReason;
  const reason = entry.ended ?? reasonOf(status, lookup);
  if (reason) return reason;
  const [asked, headers] = [readHeaders(entry.requestHeaders), readHeaders(entry.headers)];
  // A part of the body was requested, which the contract does not document.
  if (status === 206 && ('range' in asked || 'content-range' in headers))
    return 'undocumented request' satisfies SkipReason;
  const held = checkHeaders(await entry.readBody(), headers);
  const body = held.body ?? new Uint8Array();
  const answer = { status, contentType: headers['content-type'], body, headers };
  return { answer, held, accept: asked.accept };
}

/** A status as HTTP knows it: 0 and -1 say that there was no response. */
const isStatus = (status: unknown): status is number => Number.isInteger(status) && Number(status) <= 599;

/** Why a response says nothing of the contract by its status, if it does not. */
function reasonOf(status: number, lookup: boolean): SkipReason | undefined {
  if (status < 200) return 'no response';
  if (status === 304) return 'not modified (304)';
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 404 && lookup) return 'record not found (404)';
  if (status === 429) return 'too many requests (429)';
  return status >= 500 ? 'server error (5xx)' : undefined;
}

/** Why nothing is said of an exchange, if that is so. @param isKnown whether another response showed the record */
function whyUnjudged(
  request: RecordedRequest,
  { answer, accept = '*/*' }: { answer: HttpResponse; accept: string | undefined },
  isKnown: () => boolean,
): SkipReason | undefined {
  const { operation, isDocumented, isPerhapsOther } = request;
  const { mediaType } = operation;
  // Whoever does not ask for JSON may get another representation.
  const isForJson = accept.includes(mediaType) || accept.trim() === '*/*';
  if (!isDocumented || !(isForJson || mediaTypeOf(answer.contentType) === mediaType))
    return 'undocumented request';
  const document = readJson(answer.body);
  const isOther = isPerhapsOther && !isKnown() && !showsRequested(request, document);
  return isOther ? 'other path' : leftOpen(request, answer, document);
}

type Read = ReturnType<typeof readJson>;

/** Whether a response shows the record that was requested. */
const showsRequested = ({ operation, parameters }: RecordedRequest, document: Read): boolean =>
  'value' in document && isRequested({ operation, parameters, body: document.value });

/** Why a response breaks nothing, though it is no success: the contract does not say when errors are right. */
function leftOpen(
  { operation, parameters }: RecordedRequest,
  answer: HttpResponse,
  document: Read,
): SkipReason | undefined {
  const { kind, hasRecord } = classify(operation, answer, document);
  if (kind === 'success' || hasRecord) return undefined;
  if (kind === 'rate limit') return 'too many requests (429)';
  if (isServerFault(kind)) return 'server error (5xx)';
  if (isAccessDenied(kind)) return 'unauthorized (401, 403, 407)';
  // Successful responses use one status (contract, section 7): another one of them is wrong for any request.
  const isOtherSuccess = kind === 'other' && answer.status < 300 && 'value' in document;
  // Of a value that is not one of a few, only the target knows whether it accepts it.
  const isOpen = operation.parameters.some(
    (one) => givenValue(parameters, one) !== undefined && !one.schema.enum,
  );
  const isLeftOpen = !isOtherSuccess && isOpen && !rejectionRuleOf(operation, parameters);
  return isLeftOpen ? 'error response that the contract leaves open' : undefined;
}
