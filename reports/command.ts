import { mkdirSync } from 'node:fs';
import { describeWriteFailure, isSystemError } from '../src/client/files.ts';
import { formatCallerPath } from '../src/run/caller-folder.ts';
import { print, printError } from '../src/run/terminal.ts';

/**
 * Runs a command by calling `run`. If the command line has `--help` or `-h`, prints `help` instead.
 * If `run` throws, prints the error with the prefix `name`, and sets exit status 2.
 */
export async function runCommand(name: string, help: string, run: () => void | Promise<void>): Promise<void> {
  const needsHelp = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
  if (needsHelp) {
    print(`${help}\n`);
    return;
  }
  try {
    await run();
  } catch (error) {
    // Only the first sentence of the error of `parseArgs`: the others are about positional arguments that begin with a dash.
    const shownError = isParseError(error) ? `${error.message.split('. ')[0]}\n${help}` : error;
    printError(name, shownError);
    process.exitCode = 2;
  }
}

const isParseError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

/**
 * Creates a folder, then calls `write` to fill the folder.
 * @param option name of the option or variable that sets `folder`, such as `--output`. The error message begins with this name.
 * @throws an `Error` if the file system fails
 */
export function fillOutput<T>(option: string, folder: string, write: () => T): T {
  try {
    mkdirSync(folder, { recursive: true });
    return write();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const reason = `${describeWriteFailure(error)}; name another folder`;
    throw new Error(`${option} (${formatCallerPath(folder)}) cannot be written: ${reason}`);
  }
}
