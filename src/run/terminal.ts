import { inspect, styleText } from 'node:util';
import type { Target } from '../client/target.ts';
import { printable } from '../redact/printable.ts';
import { createMask } from '../redact/secrets.ts';
import { rewriteForReader } from './caller-folder.ts';

/** Function that prints a text to the user. */
export type Print = (text: string) => void;

/**
 * Writes to standard output, without control characters, and with documents and commands rewritten by `rewriteForReader`; with colours on
 * a terminal unless CI is set.
 */
export const print: Print = (text) => void process.stdout.write(addColours(formatPrinted(text)));

/**
 * Writes to standard error instead of standard output, for runs whose standard output must hold nothing but JSON. Without colours.
 */
export const printBesideJson: Print = (text) => void process.stderr.write(formatPrinted(text));

const formatPrinted = (text: string) => printable(rewriteForReader(text));

const colours = { PASS: 'green', FAIL: 'red', ERROR: 'yellow', '✗': 'red' } as const;

/**
 * Colours `PASS`, `FAIL`, `ERROR` or `✗` at the beginning of each line, if standard output is a terminal. Returns the text
 * unchanged if `CI` is set.
 */
function addColours(text: string): string {
  if (process.env.CI) return text;
  return text.replace(
    /^( *)(PASS|FAIL|ERROR|✗)(?=[ :])/gm,
    (_, indent: string, word: keyof typeof colours) =>
      indent + styleText(colours[word], word, { stream: process.stdout }),
  );
}

/**
 * Writes `<command>: <message>` to standard error.
 * @param error an `Error`, whose message is written, or a sentence
 */
export const printError = (command: string, error: unknown): void =>
  void process.stderr.write(`${command}: ${formatPrinted(readMessage(error))}\n`);

/**
 * Returns the message of an `Error`, or a text that was thrown or passed in its place. For any other value, returns a fixed
 * sentence, because the value may hold a secret.
 */
function readMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : 'a value was thrown that is not an error';
}

/** Returns the message of an error for the terminal: with secrets of the target masked, and without control characters. */
export const formatError = (error: unknown, target: Target): string =>
  printable(createMask(target)(readMessage(error)));

/**
 * Creates an error of which Playwright prints only the message, with secrets of the target masked: no stack, no class, no
 * properties.
 * @param error an `Error`, or a sentence
 */
export function createPlainError(error: unknown, target: Target): Error {
  const message = formatError(error, target);
  const plainError = new Error(message);
  plainError.stack = message;
  // Playwright prints an error of global setup as `console.error` does, which calls `inspect.custom`.
  return Object.assign(plainError, { [inspect.custom]: () => message });
}

/** Annotation of an error or warning for the page of a GitHub workflow run. */
interface Annotation {
  /** Level of an annotation on GitHub; default: `error`. */
  level?: 'error' | 'warning';
  /** Heading of an annotation on GitHub. */
  title: string;
  /** Text of an annotation on GitHub. */
  text: string;
  /** Place of an annotation on GitHub: a file in the repository of the workflow, and its line. */
  place?: { file: string; line: string } | undefined;
}

/** Prints an annotation (`::error title=…::…`) for the page of a GitHub workflow run. Prints nothing outside of GitHub Actions. */
export function printAnnotation(print: Print, { level = 'error', title, text, place }: Annotation): void {
  // GitHub decodes percent-encoded characters of its own syntax. A property must also escape `:` and `,`.
  const properties = Object.entries({ ...place, title }).map(
    ([name, value]) => `${name}=${value.replace(/[%\r\n:,]/g, encodeURIComponent)}`,
  );
  const message = text.replace(/[%\r\n]/g, encodeURIComponent);
  if (process.env.GITHUB_ACTIONS) print(`::${level} ${properties.join()}::${message}\n`);
}

/** Returns whether a pipeline runs this process: `CI` is set, to anything but `0` and `false`. */
export const isCi = ({ CI }: Record<string, string | undefined> = process.env) =>
  Boolean(CI) && CI !== '0' && CI !== 'false';
