import type { Entry } from '../../schemas/contract/ledger.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { readJson } from '../../schemas/json/read.ts';
import {
  classify,
  isAccessDenied,
  isServerFault,
  mediaTypeOf,
  type ResponseClass,
  type ResponseKind,
} from '../../schemas/judge/classify-response.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { Exchange, HttpResponse, Judgement, Recorded } from '../../schemas/judge/judgement.ts';
import { isErrorResponse } from '../../schemas/judge/success-or-error.ts';
import { observeExchange } from '../exchanges/observe-exchange.ts';
import { requestOf } from '../exchanges/request.ts';
import type { Observation, Request } from '../redaction/observation.ts';
import { isRequested } from '../relations/looked-up.ts';
import { type Prints, printsOf } from '../relations/recorded-prints.ts';
import { unjudged } from '../relations/related-observations.ts';
import type { Relations } from '../relations/relation-rules.ts';
import { entryCommand } from './entry-command.ts';
import type { IdentifierLabels } from './identifier-labels.ts';
import type { ExchangeEntry, SkipReason } from './recorded-entry.ts';
import { isOpen, mustBeRejected, type RecordedRequest } from './recorded-request.ts';

/**
 * A recorded exchange as the judge reads it, or why nothing is said of it.
 * @param isKnown whether another response showed the record that is looked up
 */
export function exchangeOf(
  request: RecordedRequest,
  entry: ExchangeEntry,
  isKnown: () => boolean = () => false,
): Exchange | SkipReason {
  const { operation, parameters } = request;
  const answer = answerOf(entry);
  if (!request.isDocumented || !acceptsAnswer(request, entry, answer)) return 'undocumented request';
  if (request.isPerhapsOther && !isKnown() && !showsRequested(request, answer)) return 'other path';
  const recorded = recordedOf(entry);
  return leftOpen(request, answer) ?? { operation, parameters, answer, recorded };
}

/** What is kept of an exchange, and what it shows that rules between responses compare. */
export interface ObservedEntry {
  observation: Observation;
  /** The request alone, as rules between responses name it. */
  source: { observation: Observation };
  prints: Prints;
}

/** A request as it may be shown, with its identifiers numbered. */
export function describeRequest(
  { operation, parameters }: RecordedRequest,
  labels: IdentifierLabels,
): Request {
  const own = operation.parameters.filter(({ name }) => Object.hasOwn(parameters, name));
  const shown = own.map((one) => [one.name, labels.argumentOf(one, parameters[one.name] ?? '')]);
  return requestOf(operation, Object.fromEntries(shown));
}

/** What is kept of an exchange. */
export function observeRecorded(
  exchange: Exchange,
  entry: ExchangeEntry,
  described: Request,
  { entries, relations, base }: { entries: Entry[]; relations: Relations; base: string },
): ObservedEntry {
  const request = Object.assign({}, described, { repeat: entryCommand(entry) });
  const judgement = judge(exchange);
  const observation = observeExchange(exchange, request, judgement, entries);
  const source = { observation: unjudged(observation) };
  return { observation, source, prints: printsIn(exchange, judgement, relations, base) };
}

/** Of a body that is ambiguous, not there, or an error, nothing is compared. */
function printsIn(
  { operation, parameters }: Exchange,
  judgement: Judgement,
  relations: Relations,
  base: string,
): Prints {
  const { body, visits, isErrorEnvelope } = judgement;
  const isSuccess = !isErrorEnvelope && Object.hasOwn(visits, addressOf(operation.id, ''));
  const seen = { operation, parameters, outcome: 'success' as const, body, source: undefined };
  return isSuccess ? printsOf(relations, seen, base) : { pages: [], lookups: [] };
}

const nothing = new Uint8Array();

const answerOf = ({ status, headers, body = nothing }: ExchangeEntry): HttpResponse => ({
  status,
  contentType: headers['content-type'],
  body,
  headers,
});

const heldOf = {
  raw: 'text',
  text: 'text',
  decoded: 'value',
  missing: 'nothing',
  cut: 'nothing',
} as const;

const recordedOf = ({ headers, bodyIs }: ExchangeEntry): Recorded => ({
  headers: Object.keys(headers).length > 0,
  body: heldOf[bodyIs],
});

/** Whoever does not ask for JSON may get another representation. */
function acceptsAnswer(
  { operation }: RecordedRequest,
  { accept = '*/*' }: ExchangeEntry,
  { contentType }: HttpResponse,
): boolean {
  const isForJson = accept.includes(operation.mediaType) || accept.trim() === '*/*';
  return isForJson || mediaTypeOf(contentType) === operation.mediaType;
}

/** Whether a response shows the record that was requested. */
function showsRequested({ operation, parameters }: RecordedRequest, { body }: HttpResponse): boolean {
  const document = readJson(body, operation.schema);
  return 'value' in document && isRequested({ operation, parameters, body: document.value });
}

/** Why a response breaks nothing, though it is no success: the contract does not say when errors are right. */
function leftOpen(request: RecordedRequest, answer: HttpResponse): SkipReason | undefined {
  const { operation } = request;
  const document = readJson(answer.body, operation.schema);
  const value = 'value' in document ? document.value : undefined;
  const found = classify(operation, { status: answer.status, value });
  const isError = saysError(request, answer, found);
  if (found.hasRecord && !isError) return undefined;
  const otherCause = otherCauseOf(found.kind);
  if (otherCause) return otherCause;
  // Successful responses use one status (contract, section 7): another one of them is wrong for any request.
  const isSuccess = answer.status === operation.status || (answer.status < 300 && value !== undefined);
  const isLeftOpen = (isError || !isSuccess) && isOpen(request) && !mustBeRejected(request);
  return isLeftOpen ? 'error response that the contract leaves open' : undefined;
}

/**
 * Whether a body that came as a success says that it is none. Of a lookup only an error code says so; of a list, as in a live run,
 * an object that has nothing of a success says so too.
 */
function saysError(
  { operation, lookup }: RecordedRequest,
  answer: HttpResponse,
  found: ResponseClass,
): boolean {
  const hasErrorCode = typeof found.bodyCode === 'number' && !found.hasSuccessCode;
  if (hasErrorCode && !found.hasContent) return true;
  return !lookup && answer.status === operation.status && isErrorResponse(operation, answer);
}

/** Why an error response says nothing of the request, if that is so. */
function otherCauseOf(kind: ResponseKind): SkipReason | undefined {
  if (kind === 'rate limit') return 'too many requests (429)';
  if (isServerFault(kind)) return 'server error (5xx)';
  return isAccessDenied(kind) ? 'unauthorized (401, 403, 407)' : undefined;
}
