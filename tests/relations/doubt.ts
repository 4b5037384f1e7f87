import type { Conclusion } from './conclude.ts';
import type { RelationRule } from './relation-rules.ts';
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

/** A contradiction that is not believed yet. */
export interface Doubt<Source> {
  rule: RelationRule;
  second: Source;
  /** How many requests it takes to ask again. */
  cost: number;
  confirm(ask: AskAgain<Source>): Promise<RelationResult<Source>>;
}
