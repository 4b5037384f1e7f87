import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { RequestStats } from '../client/http-client.ts';
import type { ProposedAccepts } from './received.ts';

/** Result that a report lists, such as a field of the wrong type. Contains no value that a report must hide. */
export interface Finding {
  /**
   * - `violation`: the response breaks a requirement of the contract
   * - `deviation`: a violation that `spec/ledger.yaml` or `LEDGER_FILE` lists as known, so that the run does not fail
   * - `stale`: `spec/ledger.yaml` or `LEDGER_FILE` lists a deviation that no longer occurs
   * - `undeclared`: the response has a field that the contract does not declare
   * - `drift`: in a case that the contract leaves open, the target behaves differently than an earlier run recorded
   * - `blocked`: the request got no response that could be judged, for example because of a timeout
   * - `server error`: a request with bad input, such as `limit=-1`, caused HTTP 5xx
   */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift';
  requirement: string;
  operation: string;
  /**
   * What the finding is about:
   * - JSON Pointer, with `…` after 32 steps: a value in the body
   * - `http`: status, media type or invalid JSON
   * - `request`: the target accepted a request that it must reject, or the other way round
   * - empty: the whole body, or no single response (`stale`, `drift`)
   */
  pointer: string;
  /** Number of values with this finding, such as elements of an array; default: 1. */
  places?: number;
  /** Number of requests with this finding; default: 1. */
  requests?: number;
  expected: string;
  actual: string;
  /** Proposed `accepts` of a new entry of `spec/ledger.yaml` that tolerates the violation. Undefined if no entry can tolerate it. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`; empty if the finding is about no request. */
  exchange: string;
  question?: string;
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, 'file' | 'line' | 'until' | 'link'>;
  repeat?: string;
  /** If two responses contradict each other: the other response, its differing field, and a command that prints this field (`repeat`). */
  against?: { exchange: string; id?: string; pointer: string; actual: string; repeat: string };
  /**
   * For a contradiction between two responses: the request lines of both, then of their repetitions, in the order of sending. Only one
   * line if a single response contradicts itself. Empty if the suite has repeated enough other contradictions of the requirement.
   */
  sent?: string[];
}

/** Returns the parts of a ledger entry that a tolerated finding shows: reason (`because`), file and line, expiry date, and link. */
export const describeLedgerEntry = (entry: LedgerEntry): Pick<Finding, 'because' | 'ledger'> => ({
  because: entry.because,
  ledger: pickDefined(entry, ['file', 'line', 'until', 'link']),
});

/** Request as reports show it, with labels such as `{CARD_IDS[0]}` in place of identifiers. */
export interface DescribedRequest {
  operation: string;
  parameters: Record<string, string>;
  /** True if the request has an identifier of the configuration, such as one of `CARD_IDS`. */
  configured: boolean;
  requestText: string;
  id?: string;
  curlCommand: string;
  /** True for a request that the run has sent before. */
  again?: true;
}

export interface JudgementCounts {
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
  /**
   * Hash of each listed record in the order of the list, keyed by the name of the list, such as `customers`. Equal records have equal
   * hashes, and so have customers with the same `uuid`.
   */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** How often each value was received, keyed by open question and value: `{ 'card-statuses': { 'Active': 1 } }`. */
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
  /** Number of requests: 1 for a single one, or the sum in `Totals`. 0 for a contradiction, because its requests are counted already. */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why no response was judged; undefined if one was judged. */
  blocked?: string;
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body, such as a login page, does not resemble the envelope that the contract promises (section 2.1). */
  lacksEnvelope?: true;
  bytes?: number;
  /** True if the contract promises a success; false for `type=user` without `user_id`, for example. */
  expectsSuccess: boolean;
  /**
   * How often each requirement was judged: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. `places` is the number of
   * judged values, `requests` the number of requests with such a value.
   */
  exercised: Record<string, JudgementCounts>;
  /**
   * How often each documented value of a field occurred, and how often an optional field was present or absent:
   * `{ '…/status = Active': 2, '…/name present': 1, '…/name absent': 1 }`.
   */
  documentedValueCounts: Counts;
  findings: Finding[];
  /** Number of requests with a finding, by requirement and kind of finding: `{ 'getCard/http/status': { violation: 2 } }`. */
  affectedRequests: Record<string, Partial<Record<Finding['kind'], number>>>;
  /**
   * Number of requests with each value of a parameter: `{ 'type=user': 1 }` for one request. The sum in `Totals` has only the first 50
   * values of each parameter.
   */
  parameterValueCounts: Counts;
  /** Locations of the ledger entries (known deviations) that tolerated a violation, such as `spec/ledger.yaml, line 30`. */
  usedLedgerEntries: string[];
  /**
   * Number of contradictions that may or may not be violations, keyed by requirement and then by the reason for the doubt.
   * Example: `{ 'listCustomers/rules/uuid-is-unique': { 'the record was not shown again': 1 } }`.
   */
  undecided?: Record<string, Counts>;
  swept?: true;
  /** Parts of the response that help to answer open questions. Undefined if the run answers none, and for a sum in `Totals`. */
  content?: ResponseContent;
  mockExchange?: MockExchange;
}

/** Request to the embedded mock and its response. Not redacted, because the mock has only invented data. */
export interface MockExchange {
  /** Request, in which `headers` holds only `Accept`. */
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts the number of judged values in one response: `{ 'getCard/code': 3 }` to `{ 'getCard/code': { places: 3, requests: 1 } }`. */
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

/** Removes the judgement from an observation: empties `findings` and `exercised`, for example. Keeps `kind` and `status`. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
