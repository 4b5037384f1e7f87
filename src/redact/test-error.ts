import { stripVTControlCharacters } from 'node:util';
import type { TestError } from '@playwright/test/reporter';

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

/** Removes received values, which may be personal, from an error of a custom test or of its step. Keeps errors of this suite. */
export function redactTestError(error: TestError): void {
  const { message = '', stack = '' } = error;
  if (isErrorOfSuite(message)) return;
  // A stack begins with the message.
  const stackFrames = stack.startsWith(message) ? stack.slice(message.length) : '';
  error.message = `${redactErrorMessage(message)} failed; its values are withheld, since they may be personal`;
  error.stack = error.message + stackFrames;
  delete error.value;
  delete error.cause;
}
