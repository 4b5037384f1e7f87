import { fromCaller } from './caller-folder.ts';
import { type DotenvEntry, readDotenv } from './dotenv.ts';
import { isMockName, readTarget } from './read-target.ts';
import type { SweepSettings } from './sweep-settings.ts';
import type { Transport } from './transport.ts';
import { formerNotices, nameNotices, nameProblems } from './variable-names.ts';
import { type Environment, VariableReader } from './variables.ts';

/** Identifiers by configuration variable. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Configuration of a run: which provider is under test, and how (docs/configuration.md). */
export interface Target extends SweepSettings {
  name: string;
  /** Whether the embedded mock is started. */
  isMock: boolean;
  /** Undefined for the embedded mock, and for recorded traffic of any address. */
  baseUrl: string | undefined;
  /** Files of recorded traffic to judge, `-` for standard input; undefined where the target is asked. */
  traffic: string[] | undefined;
  /** What to look up, by the variable that the contract names for it (`x-identifiers`). */
  identifiers: Identifiers;
  profile: 'observed' | 'documented';
  headers: Record<string, string>;
  /** Path of the module that signs requests. */
  authModule: string | undefined;
  transport: Transport;
  timeoutMs: number;
  /** Requests a second. */
  maxRps: number;
  maxPages: number;
  undeclaredFields: 'report' | 'fail';
  /** Percentage of schema nodes. */
  minCoverage: number;
  /** Absolute path. */
  reportsDir: string;
  /** Absolute path of the `conformance.json` of an earlier run, to compare with. */
  previous: string | undefined;
  /** Whether what the contract leaves open is asked. */
  probes: boolean;
  failOnServerError: boolean;
  fuzzRequests: number;
  /** Without it a new one is drawn. */
  fuzzSeed: number | undefined;
  /** Whether the observed behaviour is recorded, rather than compared. */
  record: boolean;
  /** Absolute path. */
  recordFile: string;
  failOnDrift: boolean;
  /** Sentences on the configuration that every run repeats: it works, but may not be what was meant. */
  notices: string[];
}

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
    target: { ...target, notices: [...nameNotices(env, values), ...formerNotices(values)] },
    problems: [...problems, ...wrongNames, ...reader.problems],
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

const isCi = ({ CI }: Environment) => Boolean(CI) && CI !== '0' && CI !== 'false';
