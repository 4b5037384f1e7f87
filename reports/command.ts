import { mkdirSync } from 'node:fs';
import { describeWriteFailure, isDiskError } from '../src/client/files.ts';
import { formatCallerPath } from '../src/run/caller-folder.ts';
import { print, printError } from '../src/run/terminal.ts';

/**
 * Runs a command of `npm run`, or prints its help if the arguments have `--help` or `-h`. If the command throws, prints the error in
 * one sentence, after a mistake in the arguments also the help, and sets exit status 2.
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
    // Later sentences of Node explain how to pass a positional argument that begins with a dash.
    printError(name, isParseError(error) ? `${error.message.split('. ')[0]}\n${help}` : error);
    process.exitCode = 2;
  }
}

/** Returns whether an error comes from `parseArgs` of Node, which rejected an argument. */
const isParseError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

/**
 * Creates a folder if needed, and returns the result of `write`, which writes to it.
 * @param option option that names the folder, such as "--output"
 * @throws a sentence that names the option, if the disk refuses; any other error of `write` unchanged
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
