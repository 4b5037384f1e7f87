import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { knownIdentifiers } from '../../mock/operations.ts';
import { fromCaller } from './caller-folder.ts';
import { identifierVariables, isOtherPath } from './identifier-variables.ts';
import { readRegularFile, UnreadableFile, unreadableReason } from './regular-file.ts';
import { readSweep, type SweepSettings } from './sweep-settings.ts';
import { readTrafficSources } from './traffic-variable.ts';
import { readTransport, type Transport } from './transport.ts';
import { formerNotices, nameNotices, nameProblems } from './variable-names.ts';
import { type Environment, readHeaders, readUrl, split, VariableReader } from './variables.ts';

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
  const problems: string[] = [];
  const text = readDotenv(dotenv, problems);
  const values = { ...parseEnv(text), ...env };
  problems.push(...nameProblems(text, values));
  const isMock = !values.TRAFFIC && (values.BASE_URL ? isMockName(values.BASE_URL) : !isCi(values));
  const reader = new VariableReader(values, isMock);
  const target = readTarget(values, isMock, reader);
  return {
    target: { ...target, notices: [...nameNotices(env, values), ...formerNotices(values)] },
    problems: [...problems, ...reader.problems],
  };
}

function readDotenv(file: string, problems: string[]): string {
  if (!existsSync(file)) return '';
  try {
    return readRegularFile(file).toString('utf8');
  } catch (error) {
    const reason = error instanceof UnreadableFile ? error.message : 'a file that cannot be read';
    problems.push(`.env is ${reason}; correct or remove it`);
    return '';
  }
}

const isMockName = (text: string) => /^\s*mock\s*$/i.test(text);

const isCi = ({ CI }: Environment) => Boolean(CI) && CI !== '0' && CI !== 'false';

function readTarget(env: Environment, isMock: boolean, reader: VariableReader): Omit<Target, 'notices'> {
  const { problems } = reader;
  const traffic = readTrafficSources(reader);
  const baseUrl = isMock ? undefined : readBaseUrl(reader, traffic);
  rejectLoggers(env, problems);
  const nameless = isMock ? 'mock' : traffic ? 'recorded traffic' : 'unknown';
  const name = readName(reader) ?? (baseUrl ? new URL(baseUrl).host : nameless);
  return {
    name,
    isMock,
    baseUrl,
    traffic,
    identifiers: readIdentifiers(env, isMock, problems),
    profile: reader.choice('PROFILE'),
    headers: readHeaders(reader.text('API_HEADERS'), problems),
    authModule: reader.file('AUTH_MODULE'),
    transport: readTransport(env, baseUrl, reader),
    timeoutMs: reader.number('REQUEST_TIMEOUT_MS'),
    maxRps: isMock && !reader.text('MAX_RPS') ? Number.POSITIVE_INFINITY : reader.number('MAX_RPS'),
    maxPages: reader.number('MAX_PAGES'),
    ...readSweep(env, reader),
    undeclaredFields: reader.choice('UNDECLARED_FIELDS'),
    minCoverage: reader.number('MIN_COVERAGE'),
    reportsDir: reader.path('REPORTS_DIR', defaultReportsDir),
    previous: reader.path('PREVIOUS', undefined),
    ...readProbing(reader, name, isMock),
  };
}

/** A name stands in headings, in file names and on terminals. */
function readName(reader: VariableReader): string | undefined {
  const name = reader.text('TARGET_NAME');
  if (name === undefined || (name.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(name))) return name;
  reader.problems.push('TARGET_NAME must be one line of at most 200 printable characters');
  return undefined;
}

/** Where reports go unless `REPORTS_DIR` says otherwise: the only folder in `reports/` that Git ignores. */
export const defaultReportsDir = 'reports/out';

/** Where `CI` is set, a run without a target would pass by judging the mock. */
function readBaseUrl(reader: VariableReader, traffic: string[] | undefined): string | undefined {
  const text = reader.text('BASE_URL');
  if (traffic && (!text || isMockName(text))) return undefined;
  if (text) return readUrl(text, reader.problems);
  reader.problems.push(
    'BASE_URL is not set, but CI is: set BASE_URL to the address of the target, or to mock to judge the embedded mock',
  );
  return undefined;
}

/** The mock's own identifiers stand in for those that are not named. */
const readIdentifiers = (env: Environment, isMock: boolean, problems: string[]): Target['identifiers'] =>
  Object.fromEntries(
    identifierVariables().map((name) => {
      const text = env[name];
      const identifiers = text ? split(text) : isMock ? (knownIdentifiers[name] ?? []) : [];
      if (identifiers.some(isOtherPath))
        problems.push(`${name} holds \`.\` or \`..\`, which name another path in an address: remove it`);
      return [name, identifiers];
    }),
  );

/** What is asked, recorded and compared of that which the contract leaves open. */
function readProbing(reader: VariableReader, name: string, isMock: boolean) {
  const file = `${name.replace(/[^\w.-]+/g, '-')}.json`;
  const recordFile = reader.path('RECORD_FILE', path.join('observed', file));
  const reason = existsSync(recordFile) ? unreadableReason(recordFile) : undefined;
  if (reason) reader.problems.push(`RECORD_FILE names ${reason}`);
  return {
    probes: reader.choice('PROBES', isMock ? 'on' : 'off') === 'on',
    failOnServerError: reader.isSet('FAIL_ON_SERVER_ERROR'),
    fuzzRequests: Math.floor(reader.number('FUZZ_REQUESTS')),
    fuzzSeed: reader.text('FUZZ_SEED') ? Math.floor(reader.number('FUZZ_SEED')) : undefined,
    record: reader.isSet('RECORD'),
    recordFile,
    failOnDrift: reader.isSet('FAIL_ON_DRIFT'),
  };
}

/** These print addresses, headers or the whole environment before anything can be redacted. */
function rejectLoggers(env: Environment, problems: string[]): void {
  const printing = { DEBUG: /pw:|proxy|\*/, NODE_DEBUG: /./, PWDEBUG: /./ };
  for (const [name, pattern] of Object.entries(printing))
    if (pattern.test(env[name] ?? ''))
      problems.push(`${name} would print addresses and headers unredacted: unset it`);
}
