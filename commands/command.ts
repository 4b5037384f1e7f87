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
