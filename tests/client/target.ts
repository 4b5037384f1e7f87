import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { knownIdentifiers } from '../../mock/operations.ts';
import { identifierVariables } from './identifier-variables.ts';
import { readTransport, type Transport } from './transport.ts';
import {
  type Environment,
  readChoice,
  readFilePath,
  readHeaders,
  readNumber,
  readUrl,
  split,
} from './variables.ts';

/** Identifiers by configuration variable. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Configuration of a run: which provider is under test, and how (README, "Configuration"). */
export interface Target {
  name: string;
  /** Without it the embedded mock is started. */
  baseUrl: string | undefined;
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
}

/** A target, and what is wrong with the configuration: one sentence for each mistake. */
export interface Configuration {
  target: Target;
  problems: string[];
}

/** Reads the configuration from the environment and from `.env`, which never overrides it. */
export function readConfiguration(env: Environment = process.env, dotenv = '.env'): Configuration {
  const problems: string[] = [];
  const values = { ...readDotenv(dotenv, problems), ...env };
  return { target: readTarget(values, problems), problems };
}

function readDotenv(file: string, problems: string[]): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Environment;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT')
      problems.push(`.env cannot be read (${code ?? 'not a text file'}): mend or remove it`);
    return {};
  }
}

function readTarget(env: Environment, problems: string[]): Target {
  const baseUrl = env.BASE_URL ? readUrl(env.BASE_URL, problems) : undefined;
  const mock = !env.BASE_URL;
  refuseLoggers(env, problems);
  const number = (name: string, fallback: number, least: number, most?: number) =>
    readNumber(env, problems, name, fallback, least, most);
  const name = env.TARGET_NAME || (baseUrl ? new URL(baseUrl).host : mock ? 'mock' : 'unknown');
  return {
    name,
    baseUrl,
    identifiers: readIdentifiers(env, mock ? knownIdentifiers : {}),
    profile: readChoice(env, problems, 'PROFILE', ['observed', 'documented']),
    headers: readHeaders(env.API_HEADERS, problems),
    authModule: readFilePath(env, problems, 'AUTH_MODULE'),
    transport: readTransport(env, baseUrl, problems),
    timeoutMs: number('REQUEST_TIMEOUT_MS', 10_000, 1),
    maxRps: env.MAX_RPS || !mock ? number('MAX_RPS', 10, 0.01) : Number.POSITIVE_INFINITY,
    maxPages: number('MAX_PAGES', 3, 1),
    undeclaredFields: readChoice(env, problems, 'UNDECLARED_FIELDS', ['report', 'fail']),
    minCoverage: number('MIN_COVERAGE', mock ? 100 : 0, 0, 100),
    reportsDir: path.resolve(env.REPORTS_DIR || 'reports'),
    previous: env.PREVIOUS ? path.resolve(env.PREVIOUS) : undefined,
    ...readProbing(env, name, problems),
  };
}

const readIdentifiers = (env: Environment, known: Identifiers): Identifiers =>
  Object.fromEntries(
    identifierVariables().map((name) => [name, env[name] ? split(env[name]) : (known[name] ?? [])]),
  );

/** What is asked, recorded and compared of that which the contract leaves open. */
function readProbing(env: Environment, name: string, problems: string[]) {
  const isSet = (variable: string) => readChoice(env, problems, variable, ['0', '1']) === '1';
  const number = (variable: string) => readNumber(env, problems, variable, 0, 0);
  const file = `${name.replace(/[^\w.-]+/g, '-')}.json`;
  return {
    probes: readChoice(env, problems, 'PROBES', env.BASE_URL ? ['off', 'on'] : ['on', 'off']) === 'on',
    failOnServerError: isSet('FAIL_ON_SERVER_ERROR'),
    fuzzRequests: Math.floor(number('FUZZ_REQUESTS')),
    fuzzSeed: env.FUZZ_SEED ? Math.floor(number('FUZZ_SEED')) : undefined,
    record: isSet('RECORD'),
    recordFile: path.resolve(env.RECORD_FILE || path.join('observed', file)),
    failOnDrift: isSet('FAIL_ON_DRIFT'),
  };
}

/** These print addresses, headers or the whole environment before anything can be redacted. */
function refuseLoggers(env: Environment, problems: string[]): void {
  const loud = { DEBUG: /pw:|proxy|\*/, NODE_DEBUG: /./, PWDEBUG: /./ };
  for (const [name, pattern] of Object.entries(loud))
    if (pattern.test(env[name] ?? ''))
      problems.push(`${name} would print addresses and headers unredacted: unset it`);
}
