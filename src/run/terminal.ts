import { inspect, styleText } from 'node:util';
import type { Target } from '../client/target.ts';
import { printable } from '../redact/printable.ts';
import { createMask } from '../redact/secrets.ts';

/** Writes text for people. */
export type Print = (text: string) => void;

/** Writes to standard output, without control characters; with colours on a terminal unless CI is set. */
export const print: Print = (text) => void process.stdout.write(addColours(printable(text)));

/** Writes to standard error, if standard output must hold nothing but JSON. */
export const printBesideJson: Print = (text) => void process.stderr.write(printable(text));

const colours = { PASS: 'green', FAIL: 'red', ERROR: 'yellow', '✗': 'red' } as const;

/** Colours a verdict or `✗` at the beginning of a line; nothing if `CI` is set. */
const addColours = (text: string): string =>
  process.env.CI
    ? text
    : text.replace(/^( *)(PASS|FAIL|ERROR|✗)(?=[ :])/gm, (_, space: string, word: keyof typeof colours) => {
        return space + styleText(colours[word], word, { stream: process.stdout });
      });

/** Writes the name of a command and an error message to standard error. @param error an `Error`, or a sentence */
export const printError = (command: string, error: unknown): void =>
  void process.stderr.write(`${command}: ${printable(readMessage(error))}\n`);

const readMessage = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : 'what was thrown is no error';

/** Returns the message of an error, without secrets. */
export const formatError = (error: unknown, target: Target): string =>
  printable(createMask(target)(readMessage(error)));

/** Creates an error that prints as its message alone. */
export function createPlainError(error: unknown, target: Target): Error {
  const message = formatError(error, target);
  const bare = new Error(message);
  bare.stack = message;
  // Playwright shows an error of its configuration as `console.error` does.
  return Object.assign(bare, { [inspect.custom]: () => message });
}

/** Writes an annotation for the page of a workflow run; nothing outside of GitHub Actions. */
export function annotate(print: Print, title: string, text: string): void {
  const property = title.replace(/[%\r\n:,]/g, encodeURIComponent);
  const message = text.replace(/[%\r\n]/g, encodeURIComponent);
  if (process.env.GITHUB_ACTIONS) print(`::error title=${property}::${message}\n`);
}

/** Checks that a pipeline runs this process: `CI` is set, except to `0` or `false`. */
export const isCi = ({ CI }: Record<string, string | undefined> = process.env) =>
  Boolean(CI) && CI !== '0' && CI !== 'false';
