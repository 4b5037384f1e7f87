import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { Received } from './received.ts';

/** Redacted report of a broken requirement, or of another event such as a server error. Holds no personal or secret data. */
export interface Finding {
  /**
   * Kind of the finding. `deviation` is a violation that a ledger entry tolerates. `stale` means that a ledger entry is no longer
   * needed, `drift` that the answer to an open question has changed.
   */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  /** Address of the requirement, such as `getCard/data/card/expiration_date`. */
  requirement: string;
  /** Id of the operation, such as `getCard`. */
  operation: string;
  /** First place with the finding: a JSON Pointer into the body, truncated to 32 steps, or `http` or `request`. */
  pointer: string;
  /** Number of places in the response with this finding, such as list elements, that differ only in array indices; default: 1. */
  places?: number;
  /** Number of requests whose responses have this finding; default: 1. */
  requests?: number;
  /** Description of what the contract promises, such as "one of Active, Inactive". */
  expected: string;
  /** Description of what was received, such as `the string "Closed"` or "nothing: it is missing". */
  actual: string;
  /** `accepts` of a ledger entry that would tolerate the violation; undefined if there is none, and for other kinds of findings. */
  received?: Received;
  /**
   * Request line such as `GET /cards/{CARD_IDS[0]}`, where labels stand for identifiers. Empty if the finding is about no request.
   */
  exchange: string;
  /** Id of the open question whose answer has drifted. */
  question?: string;
  /** Trace id and span id as sent in `traceparent`, so that a provider can search its log for the request. */
  id?: string;
  /** Reason of the ledger entry that tolerates the deviation. */
  because?: string;
  /** File, line, last day and issue of the ledger entry that tolerates the deviation. */
  ledger?: Pick<LedgerEntry, (typeof ledgerPlace)[number]>;
  /** Shell command that repeats the request and shows the place of the finding. */
  repeat?: string;
  /** Other response, if two responses contradict each other, such as a list and the lookup of a listed record. */
  against?: CounterpartFinding;
  /**
   * Request lines of all requests that were compared for this finding, in the order of sending; undefined unless two responses
   * contradict each other.
   */
  sent?: string[];
}

/** Other one of two responses that contradict each other: its request and the place with the other value. */
export interface CounterpartFinding {
  exchange: string;
  id?: string;
  pointer: string;
  actual: string;
  repeat: string;
}

/** Keys of a ledger entry that a finding shows: file, line, last day (`until`), and the link to its issue. */
export const ledgerPlace = ['file', 'line', 'until', 'link'] as const;

/** Request as reports show it, with labels such as `{CARD_IDS[0]}` in place of identifiers. */
export interface Request {
  operation: string;
  /** Values of the parameters as reports may show them, such as `{CARD_IDS[0]}`, keyed by parameter name. */
  parameters: Record<string, string>;
  /**
   * True if the request sends an identifier of the configuration, such as one of `CARD_IDS`; false if it sends none, or one from a
   * response.
   */
  configured: boolean;
  exchange: string;
  id?: string;
  repeat: string;
}

/** Numbers of places and of requests at which a requirement was judged. */
export interface Extent {
  /** Number of places in response bodies at which the requirement was judged, such as elements of a list. */
  places: number;
  /** Number of requests whose responses have such a place. */
  requests: number;
}

/** Redacted content of a response, from which the open questions of `spec/questions.yaml` are answered. */
export interface ResponseContent {
  /**
   * Class of the response, such as `success`. A page of another API with HTTP 200 is a `rejection` here, unlike in
   * `Observation.kind`.
   */
  kind: ResponseKind;
  /**
   * Error response in words: `label` such as "refused as 404", and the form of its `body` such as "JSON of `code` integer".
   * Undefined for a success.
   */
  error?: { label: string; body: string } | undefined;
  /** Names in the response that may announce how many records there are, such as `header x-total-count` or `field total`. */
  announcements: string[];
  /** Keyed hashes of the identifiers of listed records, in the order of the list, keyed by the name of the list. */
  lists: Record<string, string[]>;
  /** True if the body has a record, or a list that is not empty, however broken its fields are. */
  hasRecord: boolean;
  /** Number of times that each value occurs that an answer lists, keyed by the id of the question and then by the value. */
  tallies: Record<string, Counts>;
  /**
   * Headers that an answer lists, keyed by the id of the question and then by the name of the header, with the parts of its value
   * that may be shown.
   */
  headers: Record<string, Record<string, string[]>>;
  /** Names of the parameters of the media type, such as `charset`; `another one` stands for an uncommon parameter. */
  mediaTypeParameters: string[];
}

/**
 * Judgement of a request and its response, redacted, without the response itself. Written to disk, handed over by shards, and
 * evaluated. `Totals` adds the observations of equal requests up to one.
 */
export interface Observation extends Request {
  /**
   * Number of requests that this observation counts: 1, their sum in totals, or 0 for a contradiction between responses that have
   * observations of their own.
   */
  requests: number;
  status?: number;
  /** Class of the response, such as `success`; undefined without a response. */
  kind?: ResponseKind;
  /**
   * Reason why there is no response, or why the response says nothing about the contract, such as HTTP 503; undefined if the
   * response was judged.
   */
  blocked?: string;
  /** True if the suite did not send the request, for example because earlier ones got no response. */
  notSent?: true;
  /** True if no connection to the target could be made. */
  unreachable?: true;
  /**
   * True for a request at the start of a run that checks whether the target can be reached and is the documented API (`checkApi`).
   */
  isApiCheck?: true;
  /** Media type of the response as reports may show it, such as `application/json` or `another Content-Type`. */
  contentType?: string;
  /** True if the body has no part of the promised envelope (contract 2.1), such as a login page. */
  lacksEnvelope?: true;
  /** Size of the response body in bytes; the sum of all bodies in totals. */
  bytes?: number;
  /** Milliseconds from sending the request, or its last retry, to the first byte of the response. */
  firstByteMs?: number;
  /** Milliseconds from sending the request, or its last retry, to the end of the response. */
  durationMs?: number;
  /** Number of retries of the request. */
  repeated?: number;
  /** True if the contract promises a success for the request; false for `type=user` without `user_id`, for example. */
  expectsSuccess: boolean;
  /** Numbers of places and requests at which each requirement was judged, keyed by address such as `getCard/http/status`. */
  exercised: Record<string, Extent>;
  /**
   * Number of documented values, and of optional fields present or absent, in the response, keyed by coverage state such as
   * `…/status = Active` or `…/status absent`.
   */
  covered: Counts;
  findings: Finding[];
  /**
   * Number of requests with findings, keyed by requirement and then by kind of finding, as in `{ 'getCard/http/status': {
   * violation: 2 } }`.
   */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /**
   * Number of requests that sent a value of a parameter, keyed by `name=value` such as `type=user`; limited to some values of each
   * parameter.
   */
  sent: Counts;
  /** Places of the ledger entries that tolerated a violation, such as `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /**
   * Number of contradictions between responses that are neither confirmed nor settled, keyed by requirement address and then by the
   * reason.
   */
  undecided?: Record<string, Counts>;
  /** True if the request repeats an earlier one, so that both responses can be compared. */
  again?: true;
  /** True if a sweep (`SWEEP`) sent the request. */
  swept?: true;
  /**
   * Redacted content of the response, for the answers to open questions; undefined if the run answers none. Totals leave it out.
   */
  content?: ResponseContent;
  /**
   * Whole request and response, unredacted. Only for the embedded mock with its own identifiers, whose data is invented. Totals
   * leave it out.
   */
  mockExchange?: MockExchange;
}

/** Request to the embedded mock with its whole response. Nothing is redacted, because all data of the mock is invented. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/**
 * Converts the numbers of judged places in one response, keyed by requirement address, to extents of one request: `3` to `{ places:
 * 3, requests: 1 }`.
 */
export const convertToExtents = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

/** Creates the judgement of an `Observation` of which nothing was judged: all its fields are empty. */
export const nothingJudged = (): Pick<
  Observation,
  'exercised' | 'covered' | 'findings' | 'affected' | 'tolerated'
> => ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] });

/**
 * Creates the fields of an `Observation` that depend on the request alone: the request itself, counted once, and each parameter
 * counted once under `name=value`.
 */
export const createRequestFields = <Described extends Request>(
  request: Described,
): Pick<Observation, 'requests' | 'sent'> & Described => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** Returns a copy of an observation without judgement, findings and `blocked`, for a response that the contract leaves open. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...nothingJudged() };
}
