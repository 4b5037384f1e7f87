import { type Place, type Reading, readings, withCard } from '../digest/places.ts';
import { merged, type Tally } from '../digest/tallies.ts';
import type { Evidence } from '../evidence.ts';
import { type Inference, likely, unknown } from '../evidence.ts';

/** Beyond this a field holds no vocabulary but free text. */
const mostWords = 12;

/** What was seen in all answers of the values that a question reads. */
const tallyOf = (id: string, { recorded, disclosure }: Evidence): Tally =>
  merged(
    recorded.flatMap(({ digest }) => digest?.tallies.get(id) ?? []),
    disclosure.render,
  );

/** An inference that lists what was seen at some places. */
const listing =
  (id: string, { places }: Reading): Inference =>
  (evidence) => {
    const { total, counts, cut } = tallyOf(id, evidence);
    if (total === 0) return unknown('nothing was seen to tell it by');
    const tooMany = cut || counts.size > mostWords;
    const answer = tooMany ? `more than ${mostWords} different values` : [...counts.keys()].sort().join(', ');
    return {
      ...likely(answer),
      evidence: [`${total} values at ${places(evidence.contract).map(nameOf).join(', ')}`],
    };
  };

const nameOf = ([operation, pointer]: Place) => operation + pointer;

/** For each type of token: whether all, some or none of them carry a card. */
const presence: Inference = (evidence) => {
  const { total, counts } = tallyOf('credit-card-presence', evidence);
  if (total === 0) return unknown('no payment token was seen');
  const types = new Set([...counts.keys()].map((form) => form.replace(withCard, '')));
  const answer = [...types].sort().map((type) => `${type} ${howMany(counts, type)}`);
  return { ...likely(answer.join(', ')), evidence: [`${total} payment tokens`] };
};

function howMany(counts: Map<string, number>, type: string): string {
  if (!counts.has(type + withCard)) return 'never';
  return counts.has(type) ? 'sometimes' : 'always';
}

export const values: Record<string, Inference> = {
  ...Object.fromEntries(Object.entries(readings).map(([id, reading]) => [id, listing(id, reading)])),
  'credit-card-presence': presence,
};
