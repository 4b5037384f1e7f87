import type { Entry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Received } from './received.ts';

/** One thing that was found, free of anything personal or secret. */
export interface Finding {
  kind: 'violation' | 'deviation' | 'blocked' | 'undeclared' | 'stale' | 'server error' | 'drift' | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer into the body, `http` or `request`: the first place, cut where it is very long. */
  pointer: string;
  /** How many places differ in nothing but array indices; 1 where it is left out. */
  places?: number;
  /** In how many requests it was found; 1 where it is left out. */
  requests?: number;
  expected: string;
  actual: string;
  /** Of a violation, what an entry of the ledger would have to accept; left out where it has no form for that. */
  received?: Received;
  /** The request, with identifiers replaced by where they come from. */
  exchange: string;
  /** By which a provider finds the request in its log, where it was sent by this suite: trace id and span id. */
  id?: string;
  because?: string;
  /** The entry of `spec/ledger.yaml` that tolerates a deviation. */
  ledger?: Pick<Entry, (typeof ledgerPlace)[number]>;
  /** A shell command that repeats the request. */
  repeat?: string;
  /** Of a rule between two responses: the other one, and what stands there. */
  against?: Against;
  /** Of a rule between responses: all requests that it was judged by, in the order in which they were sent. */
  sent?: string[];
}

/** The other side of a contradiction. */
export interface Against {
  exchange: string;
  id?: string;
  pointer: string;
  actual: string;
  repeat: string;
}

/** Where an entry of the ledger stands, its last day, and where the deviation is tracked. */
export const ledgerPlace = ['file', 'line', 'until', 'link'] as const;

/** A request without its identifiers. */
export interface Request {
  operation: string;
  /** Parameter names and what may be shown of their values. */
  parameters: Record<string, string>;
  /** Whether an identifier in it was configured, rather than found in an answer. */
  configured: boolean;
  exchange: string;
  id?: string;
  repeat: string;
}

/** At how many places something was judged, in how many requests. */
export interface Extent {
  places: number;
  requests: number;
}

/** What open questions read of a response beside its status and size, redacted. */
export interface ResponseContent {
  /** What the response is to a question: `rejection` also for HTTP 200 with a page that is of another API. */
  kind: ResponseKind;
  /** Code and form of a response that is no success, such as `refused as 404`, and `HTTP 4xx with JSON of code`. */
  error?: { label: string; form: string } | undefined;
  /** Headers and fields that may announce how many records there are. */
  announcements: string[];
  /** Keyed hashes of the identities of the records of each list, by name of the list. */
  lists: Record<string, string[]>;
  /** Whether the response holds the record or the list that a success carries. */
  hasRecord: boolean;
  /** Counts of the values that a question lists, by id of the question. */
  tallies: Record<string, Counts>;
  /** Headers that a question looks at, each with the known words of its value, by id of the question. */
  headers: Record<string, Record<string, string[]>>;
  /** Parameters of the media type, `another one` for an uncommon one. */
  mediaTypeParameters: string[];
}

/**
 * A judged and redacted exchange: all that is kept of it. Those of requests of one kind add up to one that stands for all of
 * them (`Totals`), so this is what is written to disk, what a shard hands over, and what verdicts rest on.
 */
export interface Observation extends Request {
  /** How many requests it stands for; none where it says what relations have found between others. */
  requests: number;
  status?: number;
  /** What the response is, by its status and its body. */
  kind?: ResponseKind;
  /** Why nothing can be said of the response, or why there is none. */
  blocked?: string;
  notSent?: true;
  /** Set if no connection to the target could be made. */
  unreachable?: true;
  /** Set on the requests that show at the start whether the target is reached and is this API. */
  isApiCheck?: true;
  /** The media type as it may be shown. */
  contentType?: string;
  /** Set where the response holds nothing of the envelope that the contract promises. */
  lacksEnvelope?: true;
  /** Sizes, summed. */
  bytes?: number;
  /** What the last attempt took, and how often the request was repeated. */
  firstByteMs?: number;
  durationMs?: number;
  repeated?: number;
  /** Whether the contract promises a success. */
  expectsSuccess: boolean;
  /** Where each requirement was judged, by address. */
  exercised: Record<string, Extent>;
  /** How often listed values were seen, and optional fields present or absent. */
  covered: Counts;
  findings: Finding[];
  /** In how many requests a requirement had findings of a kind. */
  affected: Record<string, Partial<Record<Finding['kind'], number>>>;
  /** How many requests were sent with a value of a parameter, `name=value`: of each parameter some values. */
  sent: Counts;
  /** Places of ledger entries that tolerated something: `spec/ledger.yaml, line 30`. */
  tolerated: string[];
  /** Why a contradiction between responses says nothing, by address of the requirement, with how often. */
  undecided?: Record<string, Counts>;
  /** Set where the request had been sent before. */
  again?: true;
  /** Set where it was observed in a sweep. */
  swept?: true;
  /** What open questions read; totals leave it out. */
  content?: ResponseContent;
}

/** At how many places of one request requirements were judged. */
export const inOneRequest = (counts: Counts): Observation['exercised'] =>
  Object.fromEntries(Object.entries(counts).map(([address, places]) => [address, { places, requests: 1 }]));

/** What an observation has of which nothing is judged. */
export const nothingJudged = (): Pick<
  Observation,
  'exercised' | 'covered' | 'findings' | 'affected' | 'tolerated'
> => ({ exercised: {}, covered: {}, findings: [], affected: {}, tolerated: [] });

/** What an observation of one request has, whatever its response is. */
export const requestSent = <Sent extends Request>(
  request: Sent,
): Pick<Observation, 'requests' | 'sent'> & Sent => ({
  ...request,
  requests: 1,
  sent: Object.fromEntries(
    Object.entries(request.parameters).map(([name, value]) => [`${name}=${value}`, 1]),
  ),
});

/** An observation of which nothing is judged: the contract leaves open what was answered. */
export function withoutJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...nothingJudged() };
}
