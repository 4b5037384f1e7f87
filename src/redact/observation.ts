import type { LedgerEntry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import type { RequestStats } from '../client/http-client.ts';
import type { ProposedAccepts } from './received.ts';

/** Broken requirement, or another event that reports show, such as a server error. Redacted. */
export interface Finding {
  /**
   * `deviation`: a violation that the ledger tolerates. `undeclared`: a field that the contract does not declare. `stale`: a ledger
   * entry that no violation needs. `drift`: a changed answer to an open question.
   */
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer of at most 32 steps; `http` for status, media type or JSON; `request` for the whole response. */
  pointer: string;
  places?: number;
  requests?: number;
  expected: string;
  actual: string;
  /** Value of `accepts` for a ledger entry that would tolerate the violation; undefined if no entry can do so. */
  received?: ProposedAccepts;
  /** Request line such as `GET /cards/{CARD_IDS[0]}`; empty if the finding is about no request. */
  exchange: string;
  question?: string;
  id?: string;
  because?: string;
  ledger?: Pick<LedgerEntry, (typeof ledgerPlace)[number]>;
  repeat?: string;
  /** Other response of a contradiction between two responses. */
  against?: { exchange: string; id?: string; pointer: string; actual: string; repeat: string };
  /** For a contradiction between responses: the request lines of all compared responses, in the order of sending. */
  sent?: string[];
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

export interface JudgementCounts {
  places: number;
  requests: number;
}

/** Redacted content of a response, from which open questions (`spec/questions.yaml`) are answered. */
export interface ResponseContent {
  /** `Observation.kind`, but `rejection` for HTTP 200 with a body of another API, such as an HTML page. */
  kind: ResponseKind;
  /** Error response in words: `label` such as "refused as 404", `body` such as "JSON of `code` integer". */
  error?: { label: string; body: string } | undefined;
  /** Headers and fields that may hold the total number of records: `header x-total-count`, `field total`. */
  announcements: string[];
  /** Hashed identifiers of the listed records in their order, keyed by the name of the list. */
  lists: Record<string, string[]>;
  hasRecord: boolean;
  /** Number of occurrences, keyed by the id of a question and then by the value. */
  tallies: Record<string, Counts>;
  /** Words of header values that reports may show, keyed by the id of a question and then by header name. */
  headers: Record<string, Record<string, string[]>>;
  /** Names of the parameters of `Content-Type`; `another one` stands for an uncommon name. */
  mediaTypeParameters: string[];
}

/**
 * Redacted judgement of a response, or the sum of similar ones (`Totals`). Stored, so that the verdict can be computed from the
 * observations of all workers and shards.
 */
export interface Observation extends DescribedRequest, RequestStats {
  /** 1, or the number of requests that `Totals` added up. 0 for a contradiction between responses, which are counted already. */
  requests: number;
  status?: number;
  kind?: ResponseKind;
  /** Reason why no response was judged; undefined if one was judged. */
  blocked?: string;
  notSent?: true;
  unreachable?: true;
  isApiCheck?: true;
  contentType?: string;
  /** True if the body is not that of this API (contract section 2.1), but for example a login page. */
  lacksEnvelope?: true;
  bytes?: number;
  /** True if the contract promises a success; false for `type=user` without `user_id`, for example. */
  expectsSuccess: boolean;
  /** JudgementCounts to which each requirement was judged: `{ 'getCard/http/status': { places: 1, requests: 1 } }`. */
  exercised: Record<string, JudgementCounts>;
  /** Number of occurrences of documented values and absent fields: `{ '…/status = Active': 2, '…/status absent': 1 }`. */
  covered: Counts;
  findings: Finding[];
  /** Number of requests with findings: `{ 'getCard/http/status': { violation: 2 } }`. */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** Number of requests with each value of a parameter, such as `type=user`. `Totals` keeps 50 values of each parameter. */
  sent: Counts;
  /** Places of ledger entries that tolerated a violation: `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /** Number of undecided contradictions, keyed by address of the requirement and then by reason. */
  undecided?: Record<string, Counts>;
  again?: true;
  swept?: true;
  /** Redacted content for open questions; undefined if the run answers none. `Totals` drops the content. */
  content?: ResponseContent;
  mockExchange?: MockExchange;
}

/** Whole request to the embedded mock, and its response. Not redacted, because all data of the mock is invented. */
export interface MockExchange {
  request: { method: 'GET'; url: string; headers: Record<string, string> };
  response: Pick<HttpResponse, 'status' | 'headers'> & { body: unknown };
}

/** Converts the counts of one response: `{ 'getCard/http/status': 3 }` to `{ … { places: 3, requests: 1 } }`. */
export const countPlacesAndRequest = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

export const createEmptyJudgement = (): Pick<
  Observation,
  'exercised' | 'covered' | 'findings' | 'affected' | 'tolerated'
> => ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] });

/** Adds `requests: 1`, and `sent: { 'type=user': 1 }` for the parameter `type` with the value `user`. */
export const addRequestCounts = (request: DescribedRequest & RequestStats) => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** Removes all that affects the verdict: findings, counts of judged requirements, and `blocked`. */
export function dropJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...createEmptyJudgement() };
}
