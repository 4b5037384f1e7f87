import { printable } from '../redaction/printable.ts';

/** Writes to standard output; nothing in the text acts on the terminal. */
export const print = (text: string): void => void process.stdout.write(printable(text));

/** Why a command ends, as its last words. */
export const complain = (command: string, error: unknown): void =>
  void process.stderr.write(`${command}: ${printable(reasonOf(error))}\n`);

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : 'failed';
