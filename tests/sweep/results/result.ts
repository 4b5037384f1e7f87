import type { Visits } from '../../../schemas/judge/visits.ts';
import type { Observation } from '../../redaction/observation.ts';
import type { Part } from '../paging/paging.ts';

/** Records that break a requirement. */
export interface BrokenRecords {
  records: number;
  /** Places of the first ones in the list, from 1. */
  first: number[];
  /** How many of them have each known state: presence of optional fields, known values. */
  states: Visits;
  /** Pages that hold any of them. */
  pages: number;
}

/** Records that could not be looked at. */
export interface BlockedRange {
  /** Places in the list, from 1; `to` is undefined where the end is not known. */
  from: number;
  to: number | undefined;
  reason: string;
}

/** What a list, or a file of identifiers, was seen to hold. Nothing in it identifies a record. */
export interface SweepResult {
  operation: string;
  /** What the records are called, in the plural. */
  noun: string;
  /** JSON Pointer of the list that holds them; empty where each is a response of its own. */
  pointer: string;
  /** Name of its journal. */
  journal: string;
  mode: 'all' | 'sample';
  seed?: number;
  /** Records that were judged, each counted once. */
  judged: number;
  /** Records of a list that were looked up singly, too. */
  lookedUp?: number;
  /** How many there are, where that is known. */
  population?: number;
  /** The last place of a list at which a record was shown: it held at least so many. Of a sample only where that may not be all. */
  places?: number;
  /** Pages that were judged. */
  pages: number;
  /** Whether its pages share no record, so that a removal between two of them would not be seen. */
  withoutOverlap?: true;
  /** Whether its last page is full, so that only pages behind it that show nothing say that it ends there. */
  endsAtFullPage?: true;
  /** Of a part: the number of its last page, where that is short, and nothing was shown behind it. */
  endsAtPage?: number;
  /** Where whole pages were drawn: of how many, and how long they are. */
  drawnPages?: { of: number; size: number };
  /** Requirements that compare records with each other: no share of drawn records says how frequent it is to break them. */
  betweenRecords?: string[];
  blocked: BlockedRange[];
  /** Why it ended before the end. */
  stopped?: string;
  moved: Moved;
  /** Records that were listed with the identity of another one, and are not counted as broken: requested again, they were not shown so. */
  unconfirmed?: number;
  /** By requirement. */
  broken: Record<string, BrokenRecords>;
  /** How many records have each known state. */
  states: Visits;
  /** How often each requirement of the operation was exercised. */
  exercised: Visits;
  /** Records that ordinary requests of the same run have listed, each counted once. */
  listed?: number;
  /** Which part of it was looked at. */
  part?: Part;
  /** What it says of each requirement that was judged record by record, by address. */
  shares: Record<string, SweptShare>;
}

/** How many records break a requirement. */
export interface SweptShare {
  /** Records that were judged, each counted once. */
  judged: number;
  broken: number;
  /** The share of all records that break it at most, with 95 % confidence. Of a sample only, and not of rules between records. */
  upperBound?: number;
  /** What the records are called. */
  records: string;
  /** Places of the first broken ones in the list, from 1. */
  first?: number[];
  /** What all broken ones have, and not nearly all records. */
  common?: string[];
}

/** Signs that a list changed while it was read. */
export interface Moved {
  /** Records that were listed again. */
  repeated: number;
  /** Pages that began with another record than the one before them has ended with, and not with one listed before. */
  gaps: number;
}

/** Whether a list was not seen to change. */
export const isStill = ({ repeated, gaps }: Moved): boolean => repeated + gaps === 0;

/** The result of a sweep, and what was observed on the way. */
export interface Swept {
  result: SweepResult;
  observations: Observation[];
  /** Requests that earlier runs have sent for it, with which this one has gone on. */
  earlierRequests: number;
}

/** The observations of a sweep, apart from those of ordinary requests. */
export const sweptObservations = ({ observations }: Pick<Swept, 'observations'>): Observation[] =>
  observations.map((one) => ({ ...one, swept: true }));
