import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { RequestStats } from '../client/http-client.ts';
import type { ProposedAccepts } from './received.ts';

/** Result that a report lists, such as a field of the wrong type. Contains no value that a report must hide. */
export interface Finding {
  kind:
    | 'violation'
    /** Violation that `spec/ledger.yaml` or `LEDGER_FILE` lists as known, so that the run does not fail. */
    | 'deviation'
    /** A request got no response that can be judged, for example because of a timeout. */
    | 'blocked'
    /** The response has a field that the contract does not declare. */
    | 'undeclared'
    /** Deviation that `spec/ledger.yaml` or `LEDGER_FILE` lists, but that the run did not find. */
    | 'stale'
    /** An unusual request, such as `limit=-1`, caused HTTP 500, for example, or got no complete response. */
    | 'server error'
    /** The target behaves differently than recorded, in a case that the contract leaves open. */
    | 'drift';
  requirement: string;
  operation: string;
  /**
   * JSON Pointer, `http` (status, media type, invalid JSON), `request` (wrongly accepted or rejected), or empty (whole body, or no single
   * response).
   */
  pointer: string;
  /** Number of values with this finding, such as elements of an array; default: 1. */
  places?: number;
  /** Number of requests with this finding; default: 1. */
  requests?: number;
  expected: string;
  actual: string;
  /** Proposed `accepts` of a new entry of `spec/ledger.yaml` that tolerates the violation. Undefined if the suite proposes none. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`; empty if the finding is about no request. */
  exchange: string;
  question?: string;
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, 'file' | 'line' | 'until' | 'link'>;
  repeat?: string;
  /** If two responses contradict each other: request line of the other one, what it shows at `pointer` (no values), and a curl command. */
  against?: { exchange: string; id?: string; pointer: string; actual: string; repeat: string };
  /** Request lines that led to the finding about a contradiction, in order of sending. May be empty, for example after a merge. */
  sent?: string[];
}

/** Returns the parts of a ledger entry that a tolerated finding shows: reason (`because`), file and line, expiry date, and link. */
export const describeLedgerEntry = (entry: LedgerEntry): Pick<Finding, 'because' | 'ledger'> => ({
  because: entry.because,
  ledger: pickDefined(entry, ['file', 'line', 'until', 'link']),
});

/** Request as reports show it, with labels such as `{CARD_IDS[0]}` in place of private identifiers. */
export interface DescribedRequest {
  operation: string;
  parameters: Record<string, string>;
  /** True if the request has an identifier of the configuration, such as one of `CARD_IDS`, that a report may call wrong. */
  configured: boolean;
  requestText: string;
  id?: string;
  curlCommand: string;
  again?: true;
}

export interface JudgementCounts {
  /** Number of judged values. */
  places: number;
  requests: number;
}

/** Redacted parts of a response that help to answer the open questions of `spec/questions.yaml`. */
export interface ResponseContent {
  /** Kind of the response. A success whose body has neither `code` 200 nor `data`, such as an HTML page, counts as `rejection`. */
  kind: ResponseKind;
  /** Description of an error response, such as `{ label: 'refused as 404', body: 'no body' }`. */
  error?: { label: string; body: string } | undefined;
  /** Headers and fields that may tell the total number of records, or the next page: `header x-total-count`, `field next_page`. */
  announcements: string[];
  /** Hashes of records in list order, keyed by the name of the list, such as `customers`. Customers with one `uuid` have equal hashes. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** How often values were received, by open question and by value or description: `{ 'card-statuses': { 'Active': 2, 'null': 1 } }`. */
  tallies: Record<string, Counts>;
  /** Words from header values, keyed by open question and header: `{ 'caching-headers': { 'cache-control': ['no-store'] } }`. */
  headersByQuestion: Record<string, Record<string, string[]>>;
  /** Parameters of `Content-Type`, such as `charset=utf-8`. A parameter that may be private is replaced by `another one`. */
  mediaTypeParameters: string[];
}

/**
 * Result of one request, or of a contradiction between two responses. Redacted, except for `mockExchange`. `Totals` adds up similar
 * observations to one.
 */
export interface Observation extends DescribedRequest, RequestStats {
  /** Number of requests: 1, or the sum in `Totals`. 0 for a contradiction, because its requests are counted already. */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why no response can be judged. Undefined if one was judged. May be undefined if no judgement is needed. */
  blocked?: string;
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body, such as a login page, does not resemble the envelope that the contract promises (section 2.1). */
  lacksEnvelope?: true;
  bytes?: number;
  /** True if the contract promises a success; false for `type=user` without `user_id`, or for a probe, for example. */
  expectsSuccess: boolean;
  /** How often each requirement was judged: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. */
  exercised: Record<string, JudgementCounts>;
  /**
   * How often each documented value occurred, and optional fields were present or absent: `{ '…/status = Active': 2, '…/name absent': 1 }`.
   */
  documentedValueCounts: Counts;
  findings: Finding[];
  /** Number of requests by requirement and kind of finding: `{ 'getCard/http/status': { violation: 2 } }`. */
  affectedRequests: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests by value of a parameter: `{ 'type=user': 1 }`. */
  parameterValueCounts: Counts;
  /** Locations such as `spec/ledger.yaml, line 30`. */
  usedLedgerEntries: string[];
  /**
   * Number of possible violations by requirement and reason for doubt: `{ '…/uuid-is-unique': { 'the record was not shown again': 1 } }`.
   */
  undecided?: Record<string, Counts>;
  swept?: true;
  /** Parts of a response that help to answer open questions. Undefined, for example, in sums of observations and in a sweep. */
  content?: ResponseContent;
  mockExchange?: MockExchange;
}

/** Request to the embedded mock and its response. Not redacted, because the mock has only invented data. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts the counts of one response: `{ 'getCard/code': 3 }` to `{ 'getCard/code': { places: 3, requests: 1 } }`. */
export function countPlacesAndRequest(judgedValueCounts: Counts): Observation['exercised'] {
  const exercised: Observation['exercised'] = {};
  for (const [requirement, places] of Object.entries(judgedValueCounts))
    exercised[requirement] = { places, requests: 1 };
  return exercised;
}

export const createEmptyJudgement = () =>
  ({
    exercised: {},
    documentedValueCounts: {},
    findings: [],
    affectedRequests: {},
    usedLedgerEntries: [],
  }) satisfies Partial<Observation>;

/** Adds counts to a single request: `requests: 1`, and one for each parameter value, such as `{ 'type=user': 1 }`. */
export function addRequestCounts(
  request: DescribedRequest & RequestStats,
): DescribedRequest & RequestStats & Pick<Observation, 'requests' | 'parameterValueCounts'> {
  const parameterValueCounts: Counts = {};
  for (const [name, value] of Object.entries(request.parameters))
    parameterValueCounts[`${name}=${value}`] = 1;
  return { ...request, requests: 1, parameterValueCounts };
}

/** Removes the judgement from an observation: empties `findings` and `exercised`, for example. `expectsSuccess` becomes false. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
