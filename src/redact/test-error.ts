import { stripVTControlCharacters } from 'node:util';

/**
 * Reduces an error message of a custom test to its matcher, such as `expect(received).toBe(expected)`, time-out or error class,
 * because other parts may hold values of a response. Returns `an error` if the message has none of these.
 */
export function redactErrorMessage(message: string): string {
  const text = stripVTControlCharacters(message);
  const [shownPart = 'an error'] = matcherTimeoutOrErrorClass.exec(text) ?? [];
  return shownPart;
}

const matcherTimeoutOrErrorClass = /expect\(\w+\)(\.\w+)+\(\w*\)|^Test timeout of \d+ms|^[A-Z]\w*Error\b/;

/** Matches the error classes of `tests/failure.ts`, with which Playwright begins a message. */
export const suiteErrorClass = /^(UnmetRequirement|BlockedRequirement|FailedGate): /;

/** Returns whether a message is of an error class of this suite, and so holds no value of the target. */
export const isErrorOfSuite = (message: string): boolean => suiteErrorClass.test(message);
