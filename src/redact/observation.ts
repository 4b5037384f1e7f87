import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { ProposedAccepts } from './received.ts';

/** A broken requirement, or another event that reports show, such as a server error. Redacted: holds no personal or secret data. */
export interface Finding {
  /**
   * `deviation`: a violation that a ledger entry tolerates. `undeclared`: a field that the contract does not declare. `stale`: a
   * ledger entry that no violation needs any more. `drift`: a changed answer to an open question.
   */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  requirement: string;
  operation: string;
  /**
   * JSON Pointer to a field, of at most 32 steps; or `http` for status, media type or JSON; or `request` for the whole response.
   */
  pointer: string;
  places?: number;
  requests?: number;
  expected: string;
  actual: string;
  /** Value of `accepts` for a ledger entry that would tolerate the violation; undefined if no entry can tolerate the finding. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`, with labels for identifiers. Empty if the finding is about no request. */
  exchange: string;
  question?: string;
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, (typeof ledgerPlace)[number]>;
  repeat?: string;
  against?: CounterpartFinding;
  /** Only for a contradiction between responses: request lines of all compared responses, in the order of sending. */
  sent?: string[];
}

export interface CounterpartFinding {
  exchange: string;
  id?: string;
  pointer: string;
  actual: string;
  repeat: string;
}

export const ledgerPlace = ['file', 'line', 'until', 'link'] as const;

/** Request as reports show it, with labels such as `{CARD_IDS[0]}` in place of identifiers. */
export interface DescribedRequest {
  operation: string;
  parameters: Record<string, string>;
  /** True if the request has an identifier of the configuration, such as one of `CARD_IDS`. */
  configured: boolean;
  exchange: string;
  id?: string;
  repeat: string;
}

export interface Extent {
  places: number;
  requests: number;
}

/** Redacted content of a response, from which the open questions of `spec/questions.yaml` are answered. */
export interface ResponseContent {
  /** Same as `Observation.kind`, but `rejection` for HTTP 200 with a body of another API, such as an HTML page. */
  kind: ResponseKind;
  /** Error response in words: `label` is such as "refused as 404", `body` such as "JSON of `code` integer". */
  error?: { label: string; body: string } | undefined;
  /** Headers and fields of the response that may hold the total number of records: `header x-total-count`, `field total`. */
  announcements: string[];
  /** Hashed identifiers of the records in each list, in their order, keyed by the name of the list. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** Number of times that a value occurs in the response, keyed by the id of the question about it and then by the value. */
  tallies: Record<string, Counts>;
  /** Words of header values that reports may show, keyed by the id of the question about them and then by header name. */
  headers: Record<string, Record<string, string[]>>;
  /** Names of the parameters of `Content-Type`, such as `charset`; `another one` stands for an uncommon name. */
  mediaTypeParameters: string[];
}

/**
 * Redacted judgement of a request and its response, without the response itself. Workers and shards write observations to disk, and
 * the verdict is computed from them. `Totals` adds up the observations of similar requests.
 */
export interface Observation extends DescribedRequest {
  /**
   * 1, or the number of requests that `Totals` has added up. 0 for a contradiction between responses, which are counted already.
   */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why no response was judged: there was none, or it cannot be judged, such as HTTP 503. Undefined if one was judged. */
  blocked?: string;
  /** True if the suite did not send the request, for example because earlier requests got no response. */
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body does not look like that of this API (contract section 2.1), but for example like a login page. */
  lacksEnvelope?: true;
  /** Size of the response body in bytes. `Totals` adds the sizes up. */
  bytes?: number;
  /** Milliseconds from sending the request, or its last retry, to the first byte of the response. */
  firstByteMs?: number;
  /** Milliseconds from sending the request, or its last retry, to the end of the response. */
  durationMs?: number;
  repeated?: number;
  /** True if the contract promises a success for the request; false for `type=user` without `user_id`, for example. */
  expectsSuccess: boolean;
  /** How often each requirement was judged, keyed by its address: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. */
  exercised: Record<string, Extent>;
  /** Number of times that a field had a documented value, or was absent, keyed by text: `…/status = Active`, `…/status absent`. */
  covered: Counts;
  findings: Finding[];
  /** Number of requests with findings, keyed by requirement and kind: `{ 'getCard/http/status': { violation: 2 } }`. */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /**
   * Number of requests that had a parameter with this value, keyed by text such as `type=user`. `Totals` keeps the first 50 values of
   * each parameter.
   */
  sent: Counts;
  /** Ledger entries that tolerated a violation, as file and line: `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /** Number of contradictions that could not be confirmed or settled, keyed by address of the requirement and then by reason. */
  undecided?: Record<string, Counts>;
  /** True if the request repeats an earlier one, so that both responses can be compared. */
  again?: true;
  swept?: true;
  /** Content from which open questions are answered; undefined if the run answers none. `Totals` drops it. */
  content?: ResponseContent;
  /** Whole request and response, only of the embedded mock, whose data is invented. `Totals` drops it. */
  mockExchange?: MockExchange;
}

/** Request to the embedded mock with its whole response. Not redacted, because all data of the mock is invented. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/**
 * Converts the counts of one response: `{ 'getCard/http/status': 3 }` to `{ 'getCard/http/status': { places: 3, requests: 1 } }`.
 */
export const convertToExtents = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

export const createEmptyJudgement = (): Pick<
  Observation,
  'exercised' | 'covered' | 'findings' | 'affected' | 'tolerated'
> => ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] });

/** Adds the counts of one request: `requests: 1`, and `sent: { 'type=user': 1 }` for the parameter `type` with the value `user`. */
export const addRequestCounts = <ExtendedRequest extends DescribedRequest>(
  request: ExtendedRequest,
): Pick<Observation, 'requests' | 'sent'> & ExtendedRequest => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** Returns a copy that cannot affect the verdict: without findings, counts of judged requirements, and `blocked`. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
