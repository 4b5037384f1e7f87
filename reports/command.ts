import { mkdirSync } from 'node:fs';
import { describeWriteFailure, isDiskError } from '../src/client/files.ts';
import { formatCallerPath } from '../src/run/caller-folder.ts';
import { print, printError } from '../src/run/terminal.ts';

/**
 * Calls `run`, the body of an `npm run` command. With `--help` or `-h`, prints `help` instead. If `run` throws, prints the error in one
 * sentence and sets exit status 2. If the error is a mistake in the arguments, prints `help` below it.
 * @param name name of the command, which stands before the printed error
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
    // Only the first sentence of Node: the others explain how to pass a positional argument that begins with a dash.
    printError(name, isParseError(error) ? `${error.message.split('. ')[0]}\n${help}` : error);
    process.exitCode = 2;
  }
}

/** Returns whether Node's `parseArgs` threw the error, for example for an unknown option. */
const isParseError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

/**
 * Creates `folder` if needed, then calls `write`, which writes files into the folder. Returns the result of `write`.
 * @param option option that names the folder, such as "--output"
 * @throws a sentence that names the option, for an error of the file system such as EACCES; any other error of `write` unchanged
 */
export function fillOutput<T>(option: string, folder: string, write: () => T): T {
  try {
    mkdirSync(folder, { recursive: true });
    return write();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const reason = `${describeWriteFailure(error)}; name another folder`;
    throw new Error(`${option} (${formatCallerPath(folder)}) cannot be written: ${reason}`);
  }
}
