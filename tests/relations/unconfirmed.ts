import { counted } from '../../schemas/counted.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import type { Observation } from '../redaction/observation.ts';

/** Why a contradiction was not confirmed where requests to confirm it ran out. */
export const noRequestsLeft = 'there were more contradictions than the suite requests again';

/** The same where a request to confirm it had no response that shows anything. */
export const noLookup = 'a lookup had no response to judge';
export const noList = 'a list had no response to judge';

/** The same where the record has gone, or nothing of it can be compared any more, or each response shows something else. */
export const notListed = 'the list no longer shows the record where it did';
export const nothingLookedUp = 'a lookup had nothing to compare';
export const nothingListed = 'a list had nothing to compare';
export const keepsChanging = 'each response shows something else';

/** The same in a recording. */
export const notRecordedAgain = 'the recording does not show both sides again';

const reasons = [
  noRequestsLeft,
  noLookup,
  noList,
  notListed,
  nothingLookedUp,
  nothingListed,
  keepsChanging,
  notRecordedAgain,
];

/**
 * Says in how many responses a rule was contradicted, neither confirmed nor settled, for each reason; nothing where a
 * contradiction was settled: the target has changed what it shows.
 */
export const unconfirmedSentences = (observations: Observation[], address: string): string[] =>
  reasons.flatMap((reason) => {
    const count = observations.reduce((sum, one) => sum + (undecidedIn(one)[address]?.[reason] ?? 0), 0);
    return count > 0 ? [`contradictions of ${counted(count, 'response')} were not confirmed: ${reason}`] : [];
  });

/** In how many of its requests an observation left a rule undecided, by the address of the rule and by the reason. */
export const undecidedIn = ({ undecided = {}, folded }: Observation): Record<string, Visits> =>
  folded?.undecided ??
  Object.fromEntries(Object.entries(undecided).map(([address, reason]) => [address, { [reason]: 1 }]));

/** What is left open where a run could not ask again for what contradicts each other. */
export function unconfirmedNotes(observations: Observation[]): string[] {
  const addresses = new Set(observations.flatMap(({ undecided = {} }) => Object.keys(undecided)));
  return [...addresses].flatMap((address) =>
    unconfirmedSentences(observations, address).map((sentence) => `${sentence} (${address})`),
  );
}
