import { styleText } from 'node:util';
import { printable } from '../redact/printable.ts';

/** Writes to standard output; nothing in the text acts on the terminal. Only there it has colours, and not where CI is set. */
export const print = (text: string): void => void process.stdout.write(inColours(printable(text)));

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
  error instanceof Error ? error.message : typeof error === 'string' ? error : 'failed';
