import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { ProposedAccepts } from './received.ts';

/** Report of a broken requirement, or of another event such as a server error. Redacted: holds no personal or secret data. */
export interface Finding {
  /**
   * `deviation`: a ledger entry tolerates the violation. `stale`: a ledger entry is no longer needed. `drift`: the answer to an
   * open question has changed.
   */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer into the body, truncated to 32 steps, or `http` or `request`; of several places, the first one. */
  pointer: string;
  places?: number;
  requests?: number;
  expected: string;
  actual: string;
  /** `accepts` of a ledger entry that would tolerate the violation; undefined if no entry can, and for other kinds. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`, with labels for identifiers. Empty if the finding is about no request. */
  exchange: string;
  question?: string;
  /** Trace id and span id as sent in `traceparent`, so that a provider can search its log for the request. */
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, (typeof ledgerPlace)[number]>;
  repeat?: string;
  against?: CounterpartFinding;
  /** Request lines of a contradiction between two responses, repetitions included, in the order of sending. */
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
  /** True if an identifier in the request is of the configuration, such as one of `CARD_IDS`, and not of a response. */
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
  /** Differs from `Observation.kind` for a page of another API with HTTP 200, which is a `rejection` here. */
  kind: ResponseKind;
  /**
   * Error response in words: `label` such as "refused as 404", `body` such as "JSON of `code` integer". Undefined for a success.
   */
  error?: { label: string; body: string } | undefined;
  /** Names in the response that may announce how many records there are, such as `header x-total-count` or `field total`. */
  announcements: string[];
  /** Keyed hashes of listed identifiers, in the order of the list, keyed by the name of the list. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** Number of times that a value occurs, keyed by the id of a question and then by the value. */
  tallies: Record<string, Counts>;
  /** Parts of header values that may be shown, keyed by the id of a question and then by the name of the header. */
  headers: Record<string, Record<string, string[]>>;
  /** Names such as `charset`; `another one` stands for an uncommon parameter. */
  mediaTypeParameters: string[];
}

/**
 * Judgement of a request and its response, redacted, without the response itself. Written to disk, passed on by shards, and
 * evaluated. `Totals` adds up the observations of similar requests.
 */
export interface Observation extends DescribedRequest {
  /** 1, or the sum of requests in totals. 0 for a contradiction, because its two responses have observations of their own. */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why there is no response, or none that can be judged, such as HTTP 503; undefined if the response was judged. */
  blocked?: string;
  /** True if the suite did not send the request, for example because earlier ones got no response. */
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body has no part of the promised envelope (contract 2.1), such as a login page. */
  lacksEnvelope?: true;
  /** Size of the response body in bytes; the sum of all bodies in totals. */
  bytes?: number;
  /** Measured, like `durationMs`, from the start of the last retry. */
  firstByteMs?: number;
  /** From sending the request, or its last retry, to the end of the response. */
  durationMs?: number;
  repeated?: number;
  /** True if the contract promises a success for the request; false for `type=user` without `user_id`, for example. */
  expectsSuccess: boolean;
  /** Places and requests at which each requirement was judged, keyed by address such as `getCard/http/status`. */
  exercised: Record<string, Extent>;
  /** Keyed by coverage state, such as `…/status = Active` or `…/status absent`. */
  covered: Counts;
  findings: Finding[];
  /** Number of requests with findings, keyed by requirement and kind: `{ 'getCard/http/status': { violation: 2 } }`. */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests with a parameter value, keyed by `type=user`. Totals keep only some values of each parameter. */
  sent: Counts;
  /** Places of the ledger entries that tolerated a violation, such as `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /** Number of contradictions neither confirmed nor settled, keyed by requirement address and then by reason. */
  undecided?: Record<string, Counts>;
  /** True if the request repeats an earlier one, so that both responses can be compared. */
  again?: true;
  swept?: true;
  /** Undefined if the run answers no open questions. Totals leave it out. */
  content?: ResponseContent;
  /** Only for the embedded mock with its own identifiers, whose data is invented. Totals leave it out. */
  mockExchange?: MockExchange;
}

/** Request to the embedded mock with its whole response. Nothing is redacted, because all data of the mock is invented. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts numbers of places in one response to extents of one request: `3` to `{ places: 3, requests: 1 }`. */
export const convertToExtents = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

export const createEmptyJudgement = (): Pick<
  Observation,
  'exercised' | 'covered' | 'findings' | 'affected' | 'tolerated'
> => ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] });

/**
 * Creates the part of an `Observation` that depends on the request alone: `requests` is 1, and `sent` has a 1 for each parameter, keyed by
 * `name=value`.
 */
export const createRequestFields = <Described extends DescribedRequest>(
  request: Described,
): Pick<Observation, 'requests' | 'sent'> & Described => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** Returns a copy without judgement, findings and `blocked`, for a response that the contract leaves open. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
