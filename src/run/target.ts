import type { Target } from '../client/target.ts';
import { fromCaller } from './caller-folder.ts';
import { type DotenvEntry, readDotenv } from './dotenv.ts';
import { isMockName, readTarget } from './read-target.ts';
import { isCi } from './terminal.ts';
import { formerProblems, nameNotices, nameProblems } from './variable-names.ts';
import { type Environment, VariableReader } from './variables.ts';

/** A target, and what is wrong with the configuration: one sentence for each mistake. */
export interface Configuration {
  target: Target;
  problems: string[];
}

/** Reads the configuration from the environment and from `.env`, which never overrides it. */
export function readConfiguration(
  env: Environment = process.env,
  dotenv = fromCaller('.env', env),
): Configuration {
  const { entries, problems } = readDotenv(dotenv);
  const values = { ...valuesOf(entries), ...env };
  const wrongNames = nameProblems(entries, values);
  const isMock = !values.TRAFFIC && (values.BASE_URL ? isMockName(values.BASE_URL) : !isCi(values));
  const reader = new VariableReader(values, isMock);
  const target = readTarget(values, isMock, reader);
  return {
    target: { ...target, notices: nameNotices(env) },
    problems: [...problems, ...wrongNames, ...formerProblems(values), ...reader.problems],
  };
}

/** The settings of a run with `TRAFFIC`, whose sources are named otherwise. */
export const readTrafficSettings = (): Target => readConfiguration({ ...process.env, TRAFFIC: '-' }).target;

/** Sets in this process what `.env` sets and the environment does not, for an AUTH_MODULE that reads it there. */
export function exportDotenv(): void {
  const { entries } = readDotenv(fromCaller('.env'));
  Object.assign(process.env, { ...valuesOf(entries), ...process.env });
}

/** What the entries of `.env` set. */
const valuesOf = (entries: DotenvEntry[]): Environment =>
  Object.fromEntries(entries.map(({ name, value }) => [name, value]));
