import { counted } from '../../schemas/counted.ts';
import type { Observation } from '../redaction/observation.ts';

/** Why a contradiction was not confirmed where requests to confirm it ran out. */
export const noRequestsLeft = 'there were more contradictions than are requested again';

/** In how many responses a rule was contradicted, and nobody asked again. */
export const unconfirmedOf = (observations: Observation[], address: string): number =>
  observations.filter((one) => one.undecided?.[address] === noRequestsLeft).length;

/** What is left open where a run had more contradictions than it asks for again. */
export function unconfirmedNotes(observations: Observation[]): string[] {
  const addresses = new Set(observations.flatMap(({ undecided = {} }) => Object.keys(undecided)));
  return [...addresses].flatMap((address) => {
    const count = unconfirmedOf(observations, address);
    return count > 0 ? [`${unconfirmedSentence(count)} (${address})`] : [];
  });
}

/** Says how many responses are contradicted, neither confirmed nor settled. */
export const unconfirmedSentence = (count: number): string =>
  `contradictions of ${counted(count, 'response')} were not confirmed: ${noRequestsLeft}`;
