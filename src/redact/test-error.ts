import { stripVTControlCharacters } from 'node:util';

/** Reduces the error message of a custom test to `expect(received).toBe(expected)`, a timeout, an error class, or "an error". */
export function redactErrorMessage(message: string): string {
  const text = stripVTControlCharacters(message);
  const [shownPart = 'an error'] = matcherTimeoutOrErrorClass.exec(text) ?? [];
  return shownPart;
}

const matcherTimeoutOrErrorClass = /expect\(\w+\)(\.\w+)+\(\w*\)|^Test timeout of \d+ms|^[A-Z]\w*Error\b/;

/** Matches the beginning of a message with an error class of this suite: `UnmetRequirement: …`, as Playwright writes it. */
export const suiteErrorClass = /^(UnmetRequirement|BlockedRequirement|FailedGate|WrongParameters): /;

/** Returns whether a message begins with an error class of this suite, and so holds no value of the target. */
export const isErrorOfSuite = (message: string): boolean => suiteErrorClass.test(message);
