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
  // `http`: status, media type, invalid JSON. `request`: wrongly accepted or rejected. Empty: whole body, or no single response.
  /** Place of the finding, such as `/data/card/id`, or `http` for the status. */
  pointer: string;
  /** Number of values with this finding; default: 1. */
  places?: number;
  /** Number of requests with this finding; default: 1. */
  requests?: number;
  expected: string;
  actual: string;
  /** Value of `accepts` in a ledger entry that would tolerate what was received; undefined if none is proposed, as for a deviation. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`; empty for `stale` and `drift`, which are not about one request. */
  exchange: string;
  question?: string;
  /** Trace id and span id of the request; undefined if the suite sent no trace headers. */
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, 'file' | 'line' | 'until' | 'link'>;
  /** Command, usually curl, that prints the place of the finding; empty or undefined if there is none. */
  repeat?: string;
  /** For a contradiction between two responses: the other response, with members that mean the same as in `Finding`. */
  against?: { exchange: string; id?: string; pointer: string; actual: string; repeat: string };
  /** For a contradiction: request lines that led to it, in order of sending. */
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
  /** True if an identifier comes from the configuration, such as from `CARD_IDS`. */
  configured: boolean;
  requestText: string;
  /** Trace id and span id of the request; undefined if the suite sent no trace headers. */
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
  /** Description of an error response, such as `{ label: 'refused as 404', body: 'no body' }`. */
  error?: { label: string; body: string } | undefined;
  /** Headers and fields for paging, such as `header x-total-count` or `field next_page`. */
  announcements: string[];
  /** Hashes of records in list order, keyed by list: `{ customers: ['9f86d0', '60303a'] }`. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** Counts of received values, keyed by question: `{ 'card-statuses': { Active: 2 } }`. */
  tallies: Record<string, Counts>;
  /** Words in header values, keyed by question: `{ 'caching-headers': { 'cache-control': ['no-store'] } }`. */
  headersByQuestion: Record<string, Record<string, string[]>>;
  /** Parameters of `Content-Type`, such as `charset=utf-8`. */
  mediaTypeParameters: string[];
}

/** Redacted result of one request, or of a contradiction between two responses. */
export interface Observation extends DescribedRequest, RequestStats {
  /** Number of requests: 1, or 0 for a contradiction; the sum if `Totals` has added up similar observations. */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why no response could be judged, such as a timeout. */
  blocked?: string;
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body, such as a login page, lacks the envelope (contract section 2.1). */
  lacksEnvelope?: true;
  bytes?: number;
  /** True if the contract promises a success; false for a probe, for example. */
  expectsSuccess: boolean;
  /** How often each requirement was judged: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. */
  exercised: Record<string, JudgementCounts>;
  /** Counts of documented values, and of present or absent fields: `{ '…/status = Active': 2 }`. */
  documentedValueCounts: Counts;
  findings: Finding[];
  /** Number of requests by requirement and kind of finding: `{ 'getCard/http/status': { violation: 2 } }`. */
  affectedRequests: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests by value of a parameter: `{ 'type=user': 1 }`. */
  parameterValueCounts: Counts;
  /** Locations such as `spec/ledger.yaml, line 30`. */
  usedLedgerEntries: string[];
  /** Counts of possible violations, by requirement and reason: `{ '…/uuid-is-unique': { 'the record was not shown again': 1 } }`. */
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

/** Adds `requests: 1` and parameter counts such as `{ 'type=user': 1 }` to a request. */
export function addRequestCounts(
  request: DescribedRequest & RequestStats,
): DescribedRequest & RequestStats & Pick<Observation, 'requests' | 'parameterValueCounts'> {
  const parameterValueCounts: Counts = {};
  for (const [name, value] of Object.entries(request.parameters))
    parameterValueCounts[`${name}=${value}`] = 1;
  return { ...request, requests: 1, parameterValueCounts };
}

/** Removes the judgement from an observation, such as its `findings`. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
