import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { RequestStats } from '../client/http-client.ts';
import type { ProposedAccepts } from './received.ts';

/** Violated requirement or other event, such as a server error. Holds only what reports may show. */
export interface Finding {
  /**
   * `deviation`: a violation that an entry of `spec/ledger.yaml` tolerates. `stale`: an entry whose deviation no longer occurs.
   * `undeclared`: a field that the contract does not declare. `drift`: a behaviour on which the contract is silent has changed.
   * `blocked`: no response could be judged. `server error`: a probe, for which the contract defines no response, caused it.
   */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer of at most 32 steps; `http` for status, media type or invalid JSON; `request` for the whole response. */
  pointer: string;
  places?: number;
  requests?: number;
  expected: string;
  actual: string;
  /** Proposed key `accepts` of an entry in `spec/ledger.yaml` that tolerates the violation; undefined if no entry can. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`; empty if the finding is about no request. */
  exchange: string;
  question?: string;
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, 'file' | 'line' | 'until' | 'link'>;
  repeat?: string;
  /** Counterpart in a contradiction between two responses: its request, the differing field, and a command that prints the field. */
  against?: { exchange: string; id?: string; pointer: string; actual: string; repeat: string };
  /** For a contradiction between responses: the request lines of all compared responses, in the order of sending. */
  sent?: string[];
}

/** Returns the parts of a finding that name the ledger entry which tolerates it. */
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
  exchange: string;
  id?: string;
  repeat: string;
}

export interface JudgementCounts {
  places: number;
  requests: number;
}

/** Redacted parts of a response that help to answer the open questions of `spec/questions.yaml`. */
export interface ResponseContent {
  /** Kind of the response. An HTML page, or a body of another API, with HTTP 200 counts as `rejection`. */
  kind: ResponseKind;
  /** Error response in words: `label` for status or code, "refused as 404"; `body` for the fields, "JSON of `code` integer". */
  error?: { label: string; body: string } | undefined;
  /** Headers and fields that may hold the total number of records: `header x-total-count`, `field total`. */
  announcements: string[];
  /** Hashed identifiers of the listed records in their order, keyed by the name of the list. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** Number of received values, keyed by the id of the open question and then by description of the value, such as `Active`. */
  tallies: Record<string, Counts>;
  /** Words from header values, keyed by the id of the open question and then by header name. Reports may show these words. */
  headers: Record<string, Record<string, string[]>>;
  /** Names of the parameters of `Content-Type`; `another one` stands for an uncommon name. */
  mediaTypeParameters: string[];
}

/** Redacted judgement of one response, or a sum of several in `Totals`. Workers and shards store them to compute the verdict. */
export interface Observation extends DescribedRequest, RequestStats {
  /** 1 for a single response; a sum in `Totals`; 0 for a contradiction, because other observations count its requests. */
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
  /** Number of judged values (`places`) and of requests, keyed by requirement: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. */
  exercised: Record<string, JudgementCounts>;
  /** How often a documented value occurred, or an optional field was absent: `{ '…/status = Active': 2, '…/status absent': 1 }`. */
  covered: Counts;
  findings: Finding[];
  /** Number of requests with findings: `{ 'getCard/http/status': { violation: 2 } }`. */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests with each value of a parameter, such as `type=user`. `Totals` keeps the first 50 values of a parameter. */
  sent: Counts;
  /** Locations of ledger entries that tolerated a violation: `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /** Number of contradictions that repeated requests neither confirmed nor settled, keyed by requirement and then by reason. */
  undecided?: Record<string, Counts>;
  again?: true;
  swept?: true;
  /** Redacted parts of the response for open questions. Undefined in `Totals`, and if the run answers no open questions. */
  content?: ResponseContent;
  mockExchange?: MockExchange;
}

/** Whole request to the embedded mock, and its response. Not redacted, because all data of the mock is invented. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts counts of judged values in one response: `{ 'getCard/code': 3 }` to `{ 'getCard/code': { places: 3, requests: 1 } }`. */
export const countPlacesAndRequest = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

export const createEmptyJudgement = () =>
  ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] }) satisfies Partial<Observation>;

/** Adds `requests: 1`, and `sent: { 'type=user': 1 }` for the parameter `type` with the value `user`. */
export const addRequestCounts = (request: DescribedRequest & RequestStats) => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** Removes findings, counts of judged requirements and `blocked`, so that the observation does not affect the verdict. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
