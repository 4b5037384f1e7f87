import { mkdirSync } from 'node:fs';
import { isDiskError, writeFailure } from '../src/client/files.ts';
import { shownToCaller } from '../src/run/caller-folder.ts';
import { print, printError } from '../src/run/terminal.ts';

/**
 * Runs a command of `npm run`: prints what it does where `--help` is asked for, or what is wrong in one sentence, with exit
 * status 2.
 * @param help how it is called, and what it does
 */
export async function runCommand(name: string, help: string, run: () => void | Promise<void>): Promise<void> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    print(`${help}\n`);
    return;
  }
  try {
    await run();
  } catch (error) {
    printError(name, isOfParser(error) ? `${error.message.split('. ')[0]}\n${help}` : error);
    process.exitCode = 2;
  }
}

/** Whether `parseArgs` of Node rejects an argument. */
const isOfParser = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

/**
 * Makes a folder and does what writes to it.
 * @param option that names it: "--output"
 * @throws an error for people saying why that cannot be.
 */
export function fillOutput<T>(option: string, folder: string, write: () => T): T {
  try {
    mkdirSync(folder, { recursive: true });
    return write();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const reason = `${writeFailure(error)}; name another folder`;
    throw new Error(`${option} (${shownToCaller(folder)}) cannot be written: ${reason}`);
  }
}
