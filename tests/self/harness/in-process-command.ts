import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { captureOutput, withEnvironment } from './process-state.ts';
import { cleanEnvironment, type Environment } from './whole-run.ts';

export interface Command {
  status: number;
  stdout: string;
  stderr: string;
}

let loadCount = 0;

/** Runs a command such as `commands/accept.ts` in this process. Its environment is `cleanEnvironment()` with `env` added. */
export function runCommand(file: string, args: string[], env: Environment = {}): Promise<Command> {
  // Makes each URL unique, because Node runs a module only once for each URL.
  loadCount += 1;
  const url = new URL(`../../../${file}?${loadCount}`, import.meta.url);
  return withEnvironment({ ...cleanEnvironment(), ...env }, () =>
    withArguments([fileURLToPath(url), ...args], async () => {
      const { stdout, stderr } = await captureOutput(() => import(url.href));
      return { status: Number(process.exitCode ?? 0), stdout, stderr };
    }),
  );
}

/** Runs a script of `package.json` in this process. @throws an `Error` unless the script is `[exec] node --import tsx <file>` */
export function runScript(name: string, args: string[], env: Environment = {}): Promise<Command> {
  const packageJson = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const script = JSON.parse(packageJson).scripts[name];
  const [, file] = /^(?:exec )?node --import tsx (\S+\.ts)$/.exec(script) ?? [];
  if (!file) throw new Error(`${name} is not a single command: ${script}`);
  return runCommand(file, args, env);
}

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
