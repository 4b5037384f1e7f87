import { inspect } from 'node:util';
import type { Target } from '../client/target.ts';
import { printable } from '../redact/printable.ts';
import { maskOf } from '../redact/secrets.ts';

/** What an error says, without secrets. */
export const sentenceOf = (error: unknown, target: Target): string =>
  printable(
    maskOf(target)(error instanceof Error ? error.message : 'the suite threw something that is no error'),
  );

/** An error that prints as its message alone. */
export function plainError(error: unknown, target: Target): Error {
  const message = sentenceOf(error, target);
  const bare = new Error(message);
  bare.stack = message;
  // Playwright shows an error of its configuration as `console.error` does.
  return Object.assign(bare, { [inspect.custom]: () => message });
}
