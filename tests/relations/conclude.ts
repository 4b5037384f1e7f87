/** What a response showed when it was compared: a print, or why there is nothing to compare. */
export type Shown = number | { nothing: string };

/** What is known once both sides were asked again. */
export type Conclusion = 'broken' | 'kept' | { undecided: string };

/**
 * Judges a contradiction between two sides by what they showed when asked again, the first side last: it is one only if
 * what stands around the other side agrees with itself. @param before the first side, when the contradiction was found
 */
export function concludeContradiction(before: number, between: Shown, after: Shown): Conclusion {
  for (const shown of [after, between]) if (typeof shown !== 'number') return { undecided: shown.nothing };
  if (after !== before) return { undecided: 'the target changed it between two requests' };
  return between === before ? 'kept' : 'broken';
}

/**
 * Judges a value that was to stay as it is, by all that was shown, in order. One change may be one of the target's own;
 * a value that changes again, or back, is not constant.
 */
export function concludeConstant(shown: Shown[]): Conclusion {
  let changes = 0;
  for (const [index, value] of shown.entries()) {
    if (typeof value !== 'number') return { undecided: value.nothing };
    if (index > 0 && value !== shown[index - 1]) changes += 1;
  }
  if (changes === 0) return 'kept';
  return changes > 1 ? 'broken' : { undecided: 'the target changed it once, between two requests' };
}
