import { inspect, styleText } from 'node:util';
import type { Target } from '../client/target.ts';
import { printable } from '../redact/printable.ts';
import { maskOf } from '../redact/secrets.ts';

/** Writes text for people. */
export type Print = (text: string) => void;

/** Writes to standard output, without control characters; with colours on a terminal unless CI is set. */
export const print: Print = (text) => void process.stdout.write(inColours(printable(text)));

/** Writes to standard error, if standard output is to hold nothing but JSON. */
export const printBesideJson: Print = (text) => void process.stderr.write(printable(text));

const colours = { PASS: 'green', FAIL: 'red', ERROR: 'yellow', '✗': 'red' } as const;

/** Colours the verdict, and the sign of what is broken, where a line begins with it. */
const inColours = (text: string): string =>
  process.env.CI
    ? text
    : text.replace(/^( *)(PASS|FAIL|ERROR|✗)(?=[ :])/gm, (_, space: string, word: keyof typeof colours) => {
        return space + styleText(colours[word], word, { stream: process.stdout });
      });

/** Writes to standard error what is wrong, behind the name of the command that says it: a sentence, or the message of an error. */
export const printError = (command: string, error: unknown): void =>
  void process.stderr.write(`${command}: ${printable(reasonOf(error))}\n`);

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : 'what was thrown is no error';

/** What an error says, without secrets. */
export const sentenceOf = (error: unknown, target: Target): string =>
  printable(maskOf(target)(reasonOf(error)));

/** An error that prints as its message alone. */
export function plainError(error: unknown, target: Target): Error {
  const message = sentenceOf(error, target);
  const bare = new Error(message);
  bare.stack = message;
  // Playwright shows an error of its configuration as `console.error` does.
  return Object.assign(bare, { [inspect.custom]: () => message });
}

/** Writes an annotation on the page of a workflow run of GitHub, if this is one. */
export function annotate(print: Print, title: string, text: string): void {
  const property = title.replace(/[%\r\n:,]/g, encodeURIComponent);
  const message = text.replace(/[%\r\n]/g, encodeURIComponent);
  if (process.env.GITHUB_ACTIONS) print(`::error title=${property}::${message}\n`);
}

/** Whether a pipeline runs this. */
export const isCi = ({ CI }: Record<string, string | undefined> = process.env) =>
  Boolean(CI) && CI !== '0' && CI !== 'false';
