import { stripVTControlCharacters } from 'node:util';

/**
 * Returns the part of a custom test's error message that reports may show: the matcher, such as `expect(received).toBe(expected)`,
 * the time-out, or the class of the error. Omits values, because they may come from a response and be personal.
 */
export function redactErrorMessage(message: string): string {
  const text = stripVTControlCharacters(message);
  const [shownPart = 'an error'] = matcherTimeoutOrErrorClass.exec(text) ?? [];
  return shownPart;
}

const matcherTimeoutOrErrorClass = /expect\(\w+\)(\.\w+)+\(\w*\)|^Test timeout of \d+ms|^[A-Z]\w*Error\b/;
