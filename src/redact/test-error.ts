import { stripVTControlCharacters } from 'node:util';

/**
 * Returns the part of a custom test's error message that reports may show: the matcher such as `expect(received).toBe(expected)`, a
 * time-out, or the class of any other error. Leaves out values, because a response holds personal ones.
 * @param message message of Playwright, which begins with the class of the error
 */
export function redactErrorMessage(message: string): string {
  const text = stripVTControlCharacters(message);
  // A matcher, a time-out, or the class of an error: whichever comes first.
  const [shownPart = 'an error'] =
    /expect\(\w+\)(\.\w+)+\(\w*\)|^Test timeout of \d+ms|^[A-Z]\w*Error\b/.exec(text) ?? [];
  return shownPart;
}
