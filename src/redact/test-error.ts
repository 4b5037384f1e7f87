import { stripVTControlCharacters } from 'node:util';
import type { TestError } from '@playwright/test/reporter';

/** Reduces an error message to a part without values, such as `expect(received).toBe(expected)`. */
export function redactErrorMessage(message: string): string {
  const text = stripVTControlCharacters(message);
  const [shownPart = 'an error'] = matcherTimeoutOrErrorClass.exec(text) ?? [];
  return shownPart;
}

const matcherTimeoutOrErrorClass = /expect\(\w+\)(\.\w+)+\(\w*\)|^Test timeout of \d+ms|^[A-Z]\w*Error\b/;

/** Matches an error class of this suite at the start of a message, such as `UnmetRequirement: `. */
export const suiteErrorClass = /^(UnmetRequirement|BlockedRequirement|FailedGate|InvalidRequest): /;

export const isErrorOfSuite = (message: string): boolean => suiteErrorClass.test(message);

export const isInvalidRequest = (message = ''): boolean => message.startsWith('InvalidRequest: ');

/** Removes received values from an error of a custom test. Such values may be personal. Errors of this suite stay unchanged. */
export function redactTestError(error: TestError): void {
  const { message = '', stack = '' } = error;
  if (isErrorOfSuite(message)) return;
  // A stack begins with the message.
  const stackFrames = stack.startsWith(message) ? stack.slice(message.length) : '';
  error.message = `${redactErrorMessage(message)}; its message is withheld, because it may hold personal values: BASE_URL=mock shows it`;
  error.stack = error.message + stackFrames;
  delete error.value;
  delete error.cause;
}
