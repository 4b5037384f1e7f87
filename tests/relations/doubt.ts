import type { Conclusion } from './conclude.ts';
import type { ComparePlan, RelationRule } from './relation-rules.ts';
import type { Sighting } from './sightings.ts';
import type { Seen } from './sightings-of-run.ts';

/** What is known of a rule between two responses; the second is the one that it is a rule about. */
export interface RelationResult<Source> {
  rule: RelationRule;
  second: Source;
  conclusion: Conclusion;
  /** How many records were compared. */
  count: number;
  /** Where a rule is broken: the other response, places in both, and all requests in the order in which they were sent. */
  contradiction?: { first: Source; pointers: { first: string; second: string }; sent: Source[] };
}

/** Whether two responses contradict each other, as far as it is known. */
export const isDoubt = ({ conclusion, contradiction }: RelationResult<unknown>): boolean =>
  contradiction !== undefined || typeof conclusion === 'object';

/** Sends the request of a response again. */
export type AskAgain<Source> = (source: Source) => Promise<Seen<Source>>;

/** What was requested again, for any doubt. */
export interface SeenAgain<Source> {
  source: Source;
  seen: Seen<Source>;
  /** What a page shows of the record of the doubt; undefined where it could not be read. */
  records?: Sighting[] | undefined;
}

/** A contradiction that is not believed yet. It takes what any page shows that is requested again. */
export interface Doubt<Source> {
  rule: RelationRule;
  second: Source;
  /** The list that shows its record, and the record, by its print; undefined where no list is requested again. */
  listed?: { plan: ComparePlan; key: number };
  /** The greatest number of requests that are sent for it alone. */
  cost: number;
  /** Whether only the second side is left to say whether it is a contradiction. */
  isReady: boolean;
  isBroken: boolean;
  /** What would settle it, to be sent; undefined once it is settled, and where nothing would. */
  next(): Source | undefined;
  take(again: SeenAgain<Source>): void;
  /** What is known of it by now; undefined where nothing was requested again for it. */
  result(): RelationResult<Source> | undefined;
}
