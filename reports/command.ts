import { mkdirSync } from 'node:fs';
import { isDiskError, writeFailure } from '../src/client/files.ts';
import { formatCallerPath } from '../src/run/caller-folder.ts';
import { print, printError } from '../src/run/terminal.ts';

/**
 * Runs a command of `npm run`. Prints the help for `--help`, or an error in one sentence, with exit status 2.
 * @param help usage and purpose of the command
 */
export async function runCommand(name: string, help: string, run: () => void | Promise<void>): Promise<void> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    print(`${help}\n`);
    return;
  }
  try {
    await run();
  } catch (error) {
    printError(name, isParseError(error) ? `${error.message.split('. ')[0]}\n${help}` : error);
    process.exitCode = 2;
  }
}

/** Returns whether `parseArgs` of Node rejected an argument. */
const isParseError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

/**
 * Creates a folder and calls the function that writes to it.
 * @param option option that names the folder, such as "--output"
 * @throws an error for people if the folder cannot be written
 */
export function fillOutput<T>(option: string, folder: string, write: () => T): T {
  try {
    mkdirSync(folder, { recursive: true });
    return write();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const reason = `${writeFailure(error)}; name another folder`;
    throw new Error(`${option} (${formatCallerPath(folder)}) cannot be written: ${reason}`);
  }
}
