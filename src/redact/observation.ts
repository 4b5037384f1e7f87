import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { RequestStats } from '../client/http-client.ts';
import type { ProposedAccepts } from './received.ts';

/** Redacted result that a report lists, such as a field of the wrong type. */
export interface Finding {
  kind:
    | 'violation'
    /**
     * Violation that an entry of `spec/ledger.yaml` or `LEDGER_FILE` tolerates. Only `PROFILE=documented` lets such a violation
     * fail the run.
     */
    | 'deviation'
    /** Request without a response that can be judged, for example after a timeout. */
    | 'blocked'
    /** Field of a response that the contract does not declare. */
    | 'undeclared'
    /** Entry of `spec/ledger.yaml` or `LEDGER_FILE` whose deviation the run did not find. */
    | 'stale'
    /** Server error after an unusual request such as `limit=-1`. An incomplete response counts as a server error, too. */
    | 'server error'
    /** Answer to an open question of the contract that differs from the recorded answer. */
    | 'drift';
  requirement: string;
  operation: string;
  // `http`: status, media type, invalid JSON. `request`: wrongly accepted or rejected. Empty: whole body, or no single response.
  /** Place of the finding, such as `/data/card/id`. For the HTTP status, the place is `http`. */
  pointer: string;
  /** Number of values with this finding (default: 1). */
  places?: number;
  /** Number of requests with this finding (default: 1). */
  requests?: number;
  expected: string;
  actual: string;
  /**
   * Proposed `accepts` of a ledger entry that would tolerate this finding: `{ missing: true }`. Undefined if no entry is proposed,
   * as for a known deviation.
   */
  received?: ProposedAccepts;
  /** Request line, such as `GET /cards/{CARD_IDS[0]}`. Empty for `stale` and `drift`, which are not about one request. */
  exchange: string;
  question?: string;
  /** Trace id and span id of the request, joined by `-`. Undefined if the request had no trace headers. */
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, 'file' | 'line' | 'until' | 'link'>;
  /**
   * Shell command that shows the finding, such as `curl … | jq '.data.card.id'`. For a recorded response, the command reads the
   * recording. The text is empty or undefined if no command can show the finding.
   */
  repeat?: string;
  /**
   * Record that contradicts the record of this finding. Both records may be in the same response. Undefined if the finding is not a
   * contradiction between records. Each property has the same meaning as in `Finding`.
   */
  against?: { exchange: string; id?: string; pointer: string; actual: string; repeat: string };
  /**
   * Request lines of the requests that led to a contradiction. Repeated requests come last. Undefined if the finding is not a
   * contradiction between records.
   */
  sent?: string[];
}

export const describeLedgerEntry = (entry: LedgerEntry): Pick<Finding, 'because' | 'ledger'> => ({
  because: entry.because,
  ledger: pickDefined(entry, ['file', 'line', 'until', 'link']),
});

/** Request as reports show it, with `{CARD_IDS[0]}` in place of an identifier. */
export interface DescribedRequest {
  operation: string;
  parameters: Record<string, string>;
  /** True if the request has an identifier from the configuration, such as from `CARD_IDS`, and not from a response. */
  configured: boolean;
  requestText: string;
  /** Trace id and span id of the request, joined by `-`. Undefined if the request had no trace headers. */
  id?: string;
  curlCommand: string;
  /** True for a request that repeats an earlier one of the run. */
  again?: true;
}

export interface JudgementCounts {
  /** Number of judged values. */
  places: number;
  requests: number;
}

/** Redacted parts of a response that help to answer the questions in `spec/questions.yaml`. */
export interface ResponseContent {
  kind: ResponseKind;
  /** Description of an error response: `{ label: 'refused as 404', body: 'no body' }`. Undefined for a success. */
  error?: { label: string; body: string } | undefined;
  /** Names of headers and fields for paging, such as `header x-total-count` or `field next_page`. */
  announcements: string[];
  /** Hashes of records in list order, keyed by list: `{ customers: ['9f86d0', '60303a'] }`. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** Counts of received values, keyed by question id: `{ 'card-statuses': { Active: 2 } }`. */
  tallies: Record<string, Counts>;
  /** Words in header values, keyed by question id and header: `{ 'caching-headers': { 'cache-control': ['no-store'] } }`. */
  headersByQuestion: Record<string, Record<string, string[]>>;
  /** Parameters of `Content-Type`, such as `charset=utf-8`. */
  mediaTypeParameters: string[];
}

/** Redacted result of one request. A contradiction between two responses has an observation of its own. */
export interface Observation extends DescribedRequest, RequestStats {
  /**
   * Number of requests that the observation covers. The number is 1 for a single request, and 0 for a contradiction. `Totals`
   * merges similar observations. For example, 1000 lookups of cards become one observation with the number 1000.
   */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why no response could be judged, such as a timeout. */
  blocked?: string;
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body lacks the envelope, for example because it is a login page (contract section 2.1). */
  lacksEnvelope?: true;
  bytes?: number;
  /** True if the contract promises a success for this request. False for a probe, for example. */
  expectsSuccess: boolean;
  /** Number of judgements, keyed by requirement: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. */
  exercised: Record<string, JudgementCounts>;
  /**
   * Number of occurrences of each documented value: `{ '…/status = Active': 2 }`. An optional field also has counts of its presence
   * and its absence: `{ '…/name present': 3, '…/name absent': 1 }`.
   */
  documentedValueCounts: Counts;
  findings: Finding[];
  /** Number of requests with a finding, keyed by requirement and kind: `{ 'getCard/http/status': { violation: 2 } }`. */
  affectedRequests: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests with a parameter value: `{ 'type=user': 1 }`. */
  parameterValueCounts: Counts;
  /** Locations of the ledger entries that tolerate findings, such as `spec/ledger.yaml, line 30`. */
  usedLedgerEntries: string[];
  /**
   * Number of unconfirmed contradictions, keyed by requirement and reason:
   * `{ '…/uuid-is-unique': { 'the record was not shown again': 1 } }`.
   */
  undecided?: Record<string, Counts>;
  swept?: true;
  content?: ResponseContent;
  mockExchange?: MockExchange;
}

/** Request to the embedded mock and its response, both unredacted. */
export interface MockExchange {
  // The mock has only invented data.
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts the counts of one response: `{ 'getCard/code': 3 }` becomes `{ 'getCard/code': { places: 3, requests: 1 } }`. */
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

/** Adds `requests: 1` to a request, and `parameterValueCounts` such as `{ 'type=user': 1 }`. */
export function addRequestCounts(
  request: DescribedRequest & RequestStats,
): DescribedRequest & RequestStats & Pick<Observation, 'requests' | 'parameterValueCounts'> {
  const parameterValueCounts: Counts = {};
  for (const [name, value] of Object.entries(request.parameters))
    parameterValueCounts[`${name}=${value}`] = 1;
  return { ...request, requests: 1, parameterValueCounts };
}

/**
 * Returns an observation without its judgement. Properties such as `findings` are empty, `blocked` is left out, and
 * `expectsSuccess` is false.
 */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
