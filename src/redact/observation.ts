import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { Received } from './received.ts';

/** Report of a broken requirement, or of another event. Holds no personal or secret data. */
export interface Finding {
  /** `deviation` is a violation that a ledger entry tolerates, `stale` an entry that is no longer needed. */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer into the body, or `http` or `request`: the first place, truncated to 32 steps. */
  pointer: string;
  /** Number of places that differ only in array indices; default: 1. */
  places?: number;
  /** Number of requests with the finding; default: 1. */
  requests?: number;
  expected: string;
  actual: string;
  /** Deviation that a ledger entry would have to accept, for a violation; undefined if no entry can express it. */
  received?: Received;
  /** Request line, such as `GET /cards/{CARD_IDS[0]}`: labels stand for identifiers. Empty if the finding is about no request. */
  exchange: string;
  /** Id of the open question whose answer has drifted. */
  question?: string;
  /** Trace id and span id as sent in `traceparent`, so that a provider can search its log for the request. */
  id?: string;
  because?: string;
  /** Place of the ledger entry that tolerates a deviation. */
  ledger?: Pick<LedgerEntry, (typeof ledgerPlace)[number]>;
  /** Shell command that repeats the request. */
  repeat?: string;
  /** Other response of a contradiction, for a rule between two responses. */
  against?: CounterpartFinding;
  /** Requests by which a rule between responses was judged, in the order of sending. */
  sent?: string[];
}

/** Other side of a contradiction. */
export interface CounterpartFinding {
  exchange: string;
  id?: string;
  pointer: string;
  actual: string;
  repeat: string;
}

/** Keys of a ledger entry that a finding shows: its place, its last day, and the link to its issue. */
export const ledgerPlace = ['file', 'line', 'until', 'link'] as const;

/** Request as reports show it, with labels such as `{CARD_IDS[0]}` in place of identifiers. */
export interface Request {
  operation: string;
  /** Values of parameters as they may be shown, keyed by parameter name. */
  parameters: Record<string, string>;
  /** True if the request has an identifier of the configuration; false if it has none, or one from a response. */
  configured: boolean;
  exchange: string;
  id?: string;
  repeat: string;
}

/** Extent to which a requirement was judged: number of places in bodies, and of requests. */
export interface Extent {
  places: number;
  requests: number;
}

/** Redacted content of a response, from which the open questions of `spec/questions.yaml` are answered. */
export interface ResponseContent {
  /** Class of the response. Differs from `Observation.kind` for HTTP 200 with a page of another API, a `rejection` here. */
  kind: ResponseKind;
  /** Error response in words: `label` such as "refused as 404", and the form of its `body` such as "JSON of `code` integer". */
  error?: { label: string; body: string } | undefined;
  /** Headers and fields that may announce how many records there are. */
  announcements: string[];
  /** Keyed hashes of the identities of the records of each list, by name of the list. */
  lists: Record<string, string[]>;
  /** True if the response holds the record or the list of a success. */
  hasRecord: boolean;
  /** Counts of the values that the answer to a question lists, keyed by id of the question. */
  tallies: Record<string, Counts>;
  /**
   * Headers that the answer to a question lists, each with the parts of its value that may be shown; keyed by id of the question.
   */
  headers: Record<string, Record<string, string[]>>;
  /** Parameters of the media type; `another one` stands for an uncommon parameter. */
  mediaTypeParameters: string[];
}

/**
 * Judged and redacted exchange, without its response. Observations of equal requests add up to one (`Totals`), so this is the
 * form that is written to disk, handed over by shards, and evaluated.
 */
export interface Observation extends Request {
  /** Number of requests that are added up here; 0 for a contradiction between responses that have observations of their own. */
  requests: number;
  status?: number;
  /** Class of the response, derived from status and body. */
  kind?: ResponseKind;
  /** Reason why the response is missing or inconclusive. */
  blocked?: string;
  /** True if the suite decided not to send the request. */
  notSent?: true;
  /** True if no connection to the target could be made. */
  unreachable?: true;
  /** True for a request at the start of a run that checks whether the target can be reached and is the documented API. */
  isApiCheck?: true;
  /** Media type as it may be shown. */
  contentType?: string;
  /** Set if the response has no part of the promised envelope (contract 2.1). */
  lacksEnvelope?: true;
  /** Size of the bodies in bytes, summed. */
  bytes?: number;
  /** Milliseconds to the first byte and to the end of the last attempt; `repeated` is the number of retries. */
  firstByteMs?: number;
  durationMs?: number;
  repeated?: number;
  /** True if the contract promises a success for the request. */
  expectsSuccess: boolean;
  /** Extent of each requirement, keyed by address. */
  exercised: Record<string, Extent>;
  /** Counts of listed values, and of present or absent optional fields, keyed by coverage state. */
  covered: Counts;
  findings: Finding[];
  /** Number of requests with findings, keyed by requirement and by kind of finding. */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests, keyed by parameter and value (`name=value`); limited to some values of each parameter. */
  sent: Counts;
  /** Places of ledger entries that tolerated something, such as `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /** Reasons why contradictions are undecided with their counts, keyed by requirement address. */
  undecided?: Record<string, Counts>;
  /** True if the request repeats an earlier one. */
  again?: true;
  /** True if a sweep sent the request. */
  swept?: true;
  /** Content for open questions; totals leave it out. */
  content?: ResponseContent;
  /** Set only for the embedded mock with its own identifiers; totals leave it out. */
  mockExchange?: MockExchange;
}

/** Request to the embedded mock with its whole response. All of its data is invented, so that nothing is redacted. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts the counts of places in one response, keyed by requirement address, to extents of one request. */
export const convertToExtents = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

/** Returns the judgement of an observation of which nothing was judged: all its fields are empty. */
export const nothingJudged = (): Pick<
  Observation,
  'exercised' | 'covered' | 'findings' | 'affected' | 'tolerated'
> => ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] });

/** Returns the request, counted once, with each of its parameters counted once under `name=value`. */
export const createRequestFields = <Described extends Request>(
  request: Described,
): Pick<Observation, 'requests' | 'sent'> & Described => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** Removes judgement, findings and `blocked` from an observation, because the contract leaves the response open. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...nothingJudged() };
}
