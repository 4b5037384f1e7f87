import type { Entry } from '../../schemas/contract/ledger.ts';
import type { ResponseKind } from '../../schemas/judge/classify-response.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import type { Received } from './received.ts';

/** One thing that was found, free of anything personal or secret. */
export interface Finding {
  kind:
    | 'violation'
    | 'deviation'
    | 'blocked'
    | 'undeclared'
    | 'stale'
    | 'coverage'
    | 'server error'
    | 'drift'
    | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer into the body, `http` or `request`: the first place, cut where it is very long. */
  pointer: string;
  /** How many places of the answer differ in nothing but array indices; 1 where it is left out. */
  places?: number;
  /** In how many requests it was found; 1 where it is left out. */
  requests?: number;
  expected: string;
  actual: string;
  /** Of a violation, what an entry of the ledger would have to accept; left out where it has no form for that. */
  received?: Received;
  /** The request, with identifiers replaced by where they come from. */
  exchange: string;
  because?: string;
  /** The entry of `spec/ledger.yaml` that tolerates a deviation. */
  ledger?: LedgerPlace;
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
  pointer: string;
  actual: string;
  repeat: string;
}

/** Where an entry of the ledger stands, its last day, and where the deviation is tracked. */
export type LedgerPlace = Pick<Entry, 'line' | 'until' | 'link'>;

/** A request without its identifiers. */
export interface Request {
  operation: string;
  /** Parameter names and what may be shown of their values. */
  parameters: Record<string, string>;
  /** Whether an identifier in it was configured, rather than found in an answer. */
  configured: boolean;
  exchange: string;
  repeat: string;
}

/** A redacted, judged exchange: all that is kept of it. */
export interface Observation extends Request {
  status?: number;
  /** What the response is by its status. */
  response?: ResponseKind;
  blocked?: string;
  notSent?: true;
  /** The media type as it may be shown. */
  contentType?: string;
  /** Set where the status is that of a success, and the body says that the request was rejected. */
  rejectedInBody?: true;
  /** Set where the response holds nothing of the envelope that the contract promises. */
  lacksEnvelope?: true;
  bytes?: number;
  /** What the last attempt took, and how often the request was repeated. */
  firstByteMs?: number;
  durationMs?: number;
  repeated?: number;
  /** Whether the contract promises a success. */
  expectsSuccess: boolean;
  visits: Visits;
  states: Visits;
  findings: Finding[];
  /** Lines of ledger entries that tolerated something. */
  tolerated: number[];
  /** Why a contradiction between this response and another says nothing, by address of the requirement. */
  undecided?: Record<string, string>;
  /** Set where the request had been sent before, and is judged there. */
  again?: true;
  /** Set where it was observed in a sweep: its journal has it page by page. */
  swept?: true;
  /** Set where it stands for several requests (`verdict/folded-observations.ts`). */
  folded?: Folded;
}

/** What several requests have shown, beyond what they have in common and the sums of what was counted in each. */
export interface Folded {
  /** How many requests it stands for. */
  requests: number;
  /** In how many of them each requirement was exercised, by address. */
  exercised: Visits;
  /** In how many of them a requirement had findings of these kinds, by its address and by the kinds, with commas. */
  found: FoundCounts;
  /** How many of them were sent with a value of a parameter: `name=value`, of each parameter some values. */
  sent: Visits;
  /** In how many of them a rule stayed undecided, by its address and by the reason. Absent in earlier results. */
  undecided?: Record<string, Visits>;
}

/** Numbers of requests by requirement, and by the kinds of findings that they had of it. */
export type FoundCounts = Record<string, Record<string, number>>;

/** What an observation has of which nothing is judged. */
export const nothingJudged = (): Pick<Observation, 'visits' | 'states' | 'findings' | 'tolerated'> => ({
  visits: {},
  states: {},
  findings: [],
  tolerated: [],
});

/** An observation of which nothing is judged: the contract leaves open what was answered. */
export function withoutJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, ...nothingJudged() };
}
