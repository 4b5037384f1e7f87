import type { Place, TalliedValues } from '../digest/tallied-values.ts';
import { merged, type Tally } from '../digest/tallies.ts';
import type { Evidence } from '../evidence.ts';
import { type Inference, likely, sampleEvidence, unknown } from '../evidence.ts';

/** How an answer begins that no longer lists its values. */
export const tooManyValues = 'more than ';
/** Beyond this a field holds no vocabulary but free text. */
const maxWords = 12;

/** What was seen in all answers of the values that a question tallies. */
export const tallyOf = (id: string, { recorded, disclosure }: Evidence): Tally =>
  merged(
    recorded.flatMap(({ digest }) => digest?.tallies.get(id) ?? []),
    disclosure.render,
  );

/** An inference that lists what was seen at some places. */
const listing =
  (id: string, places: Place[]): Inference =>
  (evidence) => {
    const { total, counts, cut } = tallyOf(id, evidence);
    if (total === 0) return unknown('no response to infer this from');
    const tooMany = cut || counts.size > maxWords;
    const answer = tooMany
      ? `${tooManyValues}${maxWords} different values`
      : [...counts.keys()].sort().join(', ');
    return {
      ...likely(answer),
      evidence: [sampleEvidence(total, `values at ${places.map(nameOf).join(', ')}`)],
    };
  };

const nameOf = ([operation, pointer]: Place) => operation + pointer;

/** Inferences that list what was seen, by question. */
export const listings = (tallied: Record<string, TalliedValues>): Record<string, Inference> =>
  Object.fromEntries(Object.entries(tallied).map(([id, { places }]) => [id, listing(id, places)]));
