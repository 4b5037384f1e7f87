/** What a change of the contract demands of a provider; `changed` where the schemas alone cannot tell. */
export type Direction = 'stricter' | 'looser' | 'changed';

/** One way in which a requirement has changed. */
export interface Step {
  direction: Direction;
  /** What was, and what is: "the pattern `a` is `b` now". */
  says: string;
}

/** The direction of several steps together. */
export function overall(steps: Step[]): Direction {
  const [first, ...others] = new Set(steps.map(({ direction }) => direction));
  return first === undefined || others.length > 0 ? 'changed' : first;
}

/** The same steps for whoever has to accept what they describe, rather than to send it. */
export const inverted = (steps: Step[]): Step[] =>
  steps.map((step) => ({ ...step, direction: opposite[step.direction] }));

const opposite = { stricter: 'looser', looser: 'stricter', changed: 'changed' } as const;
