import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { captureOutput, withEnvironment } from './process-state.ts';
import { cleanEnvironment, type Environment } from './whole-run.ts';

/** What a command of `package.json` has come to. */
export interface Command {
  status: number;
  stdout: string;
  stderr: string;
}

let commands = 0;

/**
 * Runs the file of a command, relative to the project, in this process: it finds its arguments and its environment as in
 * one of its own, and is loaded anew each time.
 */
export function runCommand(file: string, args: string[], env: Environment = {}): Promise<Command> {
  commands += 1;
  const url = new URL(`../../../${file}?${commands}`, import.meta.url);
  return withEnvironment({ ...cleanEnvironment(), ...env }, () =>
    withArguments([fileURLToPath(url), ...args], async () => {
      const { stdout, stderr } = await captureOutput(() => import(url.href));
      return { status: Number(process.exitCode ?? 0), stdout, stderr };
    }),
  );
}

/** Runs a script of `package.json` that is one command, as `npm run` does, in this process. */
export function runScript(name: string, args: string[], env: Environment = {}): Promise<Command> {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const [, file] = /^(?:exec )?node --import tsx (\S+\.ts)$/.exec(scripts[name]) ?? [];
  if (!file) throw new Error(`${name} is no script of one command: ${scripts[name]}`);
  return runCommand(file, args, env);
}

/** Calls a function while the process has these arguments and no status yet. */
async function withArguments<T>(args: string[], use: () => Promise<T>): Promise<T> {
  const { argv, exitCode } = process;
  process.argv = [process.execPath, ...args];
  process.exitCode = undefined;
  try {
    return await use();
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
  }
}
