import { inspect, styleText } from 'node:util';
import type { Target } from '../client/target.ts';
import { printable } from '../redact/printable.ts';
import { createMask } from '../redact/secrets.ts';
import { adaptToCallerFolder } from './caller-folder.ts';

export type Print = (text: string) => void;

/** Writes to standard output, with control characters replaced. Colours verdicts such as `PASS` only on a terminal outside CI. */
export const print: Print = (text) => void process.stdout.write(addColours(formatPrinted(text)));

/** Writes to standard error, because standard output must hold only JSON. */
export const printBesideJson: Print = (text) => void process.stderr.write(formatPrinted(text));

const formatPrinted = (text: string) => printable(adaptToCallerFolder(text));

const colours = { PASS: 'green', FAIL: 'red', ERROR: 'yellow', '✗': 'red' } as const;
const verdictAtLineStart = /^( *)(PASS|FAIL|ERROR|✗)(?=[ :])/gm;

function addColours(text: string): string {
  if (isCi()) return text;
  return text.replace(verdictAtLineStart, (_, indent: string, verdict: keyof typeof colours) => {
    const colouredVerdict = styleText(colours[verdict], verdict, { stream: process.stdout });
    return indent + colouredVerdict;
  });
}

export const printError = (command: string, error: unknown): void =>
  void process.stderr.write(`${command}: ${formatPrinted(readMessage(error))}\n`);

function readMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  // Any other value may hold a secret.
  return typeof error === 'string' ? error : 'a value was thrown that is not an error';
}

/** Returns the message of an error, with secrets masked and control characters replaced. */
export const formatError = (error: unknown, target: Target): string =>
  printable(createMask(target)(readMessage(error)));

/** Creates an error that Playwright prints without a stack. Secrets in its message are masked. */
export function createPlainError(error: unknown, target: Target): Error {
  const message = formatError(error, target);
  const plainError = new Error(message);
  plainError.stack = message;
  // Playwright prints an error of global setup as `console.error` does, which calls `inspect.custom`.
  return Object.assign(plainError, { [inspect.custom]: () => message });
}

interface Annotation {
  level?: 'error' | 'warning';
  title: string;
  text: string;
  location?: { file: string; line: string } | undefined;
}

/** Prints a workflow command such as `::error title=getCard/code::…`. Prints nothing outside of GitHub Actions. */
export function printAnnotation(print: Print, { level = 'error', title, text, location }: Annotation): void {
  if (!process.env.GITHUB_ACTIONS) return;
  // GitHub decodes `%25`, `%0A` and `%0D`. In a property, `:` and `,` are separators, and must be encoded, too.
  const encodeText = (value: string) => value.replace(/[%\r\n]/g, encodeURIComponent);
  const encodeProperty = (value: string) => value.replace(/[%\r\n:,]/g, encodeURIComponent);
  const properties = Object.entries({ ...location, title }).map(
    ([name, value]) => `${name}=${encodeProperty(value)}`,
  );
  print(`::${level} ${properties.join()}::${encodeText(text)}\n`);
}

/**
 * Finds file and line of a ledger entry in a text such as `… (ledger.yaml, line 30)`.
 * @param ledgerPath path of the ledger in the text, here `ledger.yaml`
 * @returns undefined if the text names no line of this ledger
 */
export function findLedgerEntryLocation(text: string, ledgerPath: string): Annotation['location'] {
  const [textBefore = '', textFromLine = ''] = text.split(`${ledgerPath}, line `);
  // In "spec/ledger.yaml", `ledger.yaml` is only the end of another path.
  const isWholePath = /(^|[\s(])$/.test(textBefore);
  const [line] = /^\d+/.exec(textFromLine) ?? [];
  return isWholePath && line ? { file: ledgerPath, line } : undefined;
}

export const isCi = ({ CI }: Record<string, string | undefined> = process.env) =>
  Boolean(CI) && CI !== '0' && CI !== 'false';
