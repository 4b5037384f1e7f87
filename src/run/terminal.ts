import { printable } from '../redact/printable.ts';

/** Writes to standard output; nothing in the text acts on the terminal. */
export const print = (text: string): void => void process.stdout.write(printable(text));

/** Writes to standard error what is wrong, behind the name of the command that says it: a sentence, or the message of an error. */
export const printError = (command: string, error: unknown): void =>
  void process.stderr.write(`${command}: ${printable(reasonOf(error))}\n`);

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : 'failed';
