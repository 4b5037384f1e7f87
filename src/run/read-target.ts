import { existsSync } from 'node:fs';
import path from 'node:path';
import { knownIdentifiers } from '../../mock/operations.ts';
import { unreadableReason } from '../client/files.ts';
import { idNames } from '../client/signing.ts';
import { isOtherPath, type SweepSettings, type Target, type TokenSettings } from '../client/target.ts';
import { fromCaller, shownToCaller } from './caller-folder.ts';
import { fileOf, identifierVariables } from './identifier-variables.ts';
import { isCi } from './terminal.ts';
import { readTrafficSources } from './traffic-variable.ts';
import { readProxy, readTransport } from './transport.ts';
import { type Environment, readHeaders, readUrl, split, type VariableReader } from './variables.ts';

/** Reads a target from its variables, all but the notices on them; what is wrong is noted by the reader. */
export function readTarget(
  env: Environment,
  isMock: boolean,
  reader: VariableReader,
): Omit<Target, 'notices'> {
  const { problems } = reader;
  const traffic = readTrafficSources(reader);
  const baseUrl = isMock ? undefined : readBaseUrl(reader, traffic);
  rejectLoggers(env, problems);
  const nameless = isMock ? 'mock' : traffic ? 'recorded traffic' : 'unknown';
  const name = readName(reader) ?? (baseUrl ? new URL(baseUrl).host : nameless);
  const target = {
    name,
    isMock,
    baseUrl,
    traffic,
    identifiers: readIdentifiers(env, isMock, problems),
    profile: reader.choice('PROFILE'),
    ...readCredentials(env, baseUrl, reader),
    transport: readTransport(env, baseUrl, reader),
    ...readLimits(reader, isMock),
    ...readSweep(env, reader),
    minCoverage: reader.number('MIN_COVERAGE'),
    reportsDir: reader.path('REPORTS_DIR', defaultReportsDir),
    ...readProbing(env, reader, name, isMock),
    ...readGates(reader, isCi(env) && !traffic),
    callersLedger: readCallersLedger(reader),
  };
  rejectEmptyGates(target, problems);
  return target;
}

/** What each request is sent with. No header is set twice. */
function readCredentials(env: Environment, baseUrl: string | undefined, reader: VariableReader) {
  const { problems } = reader;
  const headers = readHeaders(reader.text('API_HEADERS'), problems);
  const requestId = reader.choice('REQUEST_ID');
  const token = baseUrl ? readToken(env, reader) : undefined;
  const setBy = [
    ...idNames(requestId).map((name) => [name, 'REQUEST_ID'] as const),
    ...(token ? [['authorization', 'TOKEN_URL'] as const] : []),
  ];
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  for (const [name, variable] of setBy)
    if (names.includes(name))
      problems.push(`API_HEADERS sets ${name}, and so does ${variable}: only one of them can`);
  if (token && new URL(baseUrl ?? '').username)
    problems.push('BASE_URL has a user, and TOKEN_URL sets authorization: only one of them can be');
  return { headers, requestId, token, authModule: reader.file('AUTH_MODULE') };
}

function readToken(env: Environment, reader: VariableReader): TokenSettings | undefined {
  const text = reader.text('TOKEN_URL');
  if (!text || reader.text('TRAFFIC')) return undefined;
  const url = readUrl(text, reader.problems, 'TOKEN_URL');
  const [id, secret] = [reader.text('CLIENT_ID'), reader.text('CLIENT_SECRET')];
  if (!id || !secret) reader.problems.push('TOKEN_URL needs CLIENT_ID and CLIENT_SECRET');
  if (!url || !id || !secret) return undefined;
  const scope = reader.text('TOKEN_SCOPE');
  return { url, id, secret, scope, proxy: readProxy(env, url, reader.problems) };
}

/** Reads the variables of a sweep; what is wrong with them is added to the problems. */
function readSweep(env: Environment, reader: VariableReader): SweepSettings {
  const { count, seed } = reader.seeded('SWEEP', ['all', 'off']);
  return {
    sweep: count || 'off',
    sweepSeed: typeof count === 'number' ? seed : undefined,
    sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
    resume: reader.isSet('RESUME'),
    identifierFiles: readIdentifierFiles(env, reader.problems),
  };
}

/** Files of any size, which are not read here. */
function readIdentifierFiles(env: Environment, problems: string[]): SweepSettings['identifierFiles'] {
  const files: Record<string, string> = {};
  for (const name of identifierVariables()) {
    const given = fileOf(env[name]);
    if (given === undefined) continue;
    const file = fromCaller(given, env);
    const reason = unreadableReason(file, Number.POSITIVE_INFINITY);
    if (reason) problems.push(`${name} names ${reason}`);
    else files[name] = path.resolve(file);
  }
  return files;
}

/** As reports show it, it tells nothing of the folders above that of the caller. */
function readCallersLedger(reader: VariableReader): Target['callersLedger'] {
  const file = reader.path('LEDGER_FILE', undefined);
  if (file === undefined) return undefined;
  const reason = unreadableReason(file);
  if (reason)
    reader.problems.push(`LEDGER_FILE names ${reason}: \`npm run accept\` writes it, and it may be empty`);
  const shown = shownToCaller(file);
  return { file, name: path.isAbsolute(shown) ? path.basename(file) : shown };
}

/** The mock is asked as quickly as it answers. */
const readLimits = (reader: VariableReader, isMock: boolean) => ({
  timeoutMs: reader.number('REQUEST_TIMEOUT_MS'),
  maxBodyBytes: Math.floor(reader.number('MAX_BODY_MB') * 2 ** 20),
  maxRps: isMock && !reader.text('MAX_RPS') ? Number.POSITIVE_INFINITY : reader.number('MAX_RPS'),
  maxPages: 3,
});

/** A name stands in headings, in file names and on terminals. */
function readName(reader: VariableReader): string | undefined {
  const name = reader.text('TARGET_NAME');
  if (name === undefined || (name.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(name))) return name;
  reader.problems.push('TARGET_NAME must be one line of at most 200 printable characters');
  return undefined;
}

/** Where reports go unless `REPORTS_DIR` says otherwise: the only folder in `reports/` that Git ignores. */
export const defaultReportsDir = 'reports/out';

/** Whether `BASE_URL` names the embedded mock. */
export const isMockName = (text: string): boolean => /^\s*mock\s*$/i.test(text);

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
      const usual = isMock && !text ? (knownIdentifiers[name] ?? []) : [];
      const identifiers = text && fileOf(text) === undefined ? split(text) : usual;
      if (text && fileOf(text) === undefined && identifiers.length === 0)
        problems.push(`${name} holds no identifier: write some, separated by commas, or unset it`);
      if (identifiers.some(isOtherPath))
        problems.push(`${name} holds \`.\` or \`..\`, which name another path in an address: remove it`);
      return [name, identifiers];
    }),
  );

/** What is asked, recorded and compared of that which the contract leaves open. */
function readProbing(env: Environment, reader: VariableReader, name: string, isMock: boolean) {
  const file = path.join('observed', `${name.replace(/[^\w.-]+/g, '-')}.json`);
  const recordFile = path.resolve(fromCaller(file, env));
  const reason = existsSync(recordFile) ? unreadableReason(recordFile) : undefined;
  if (reason) reader.problems.push(`observed/<TARGET_NAME>.json is ${reason}`);
  const { count = isMock ? 'on' : 'off', seed } = reader.seeded('PROBES', ['off', 'on', 'record']);
  return {
    probes: count !== 'off' && count !== 0,
    fuzzRequests: typeof count === 'number' ? count : 0,
    fuzzSeed: seed,
    record: count === 'record',
    recordFile,
  };
}

/** What makes a run fail besides the contract. */
function readGates(reader: VariableReader, isUnjudgedFailure: boolean) {
  const failOn = reader.list('FAIL_ON');
  const isUnjudged = failOn.includes('unjudged') || (isUnjudgedFailure && !failOn.includes('-unjudged'));
  return {
    ...{ failOnServerError: failOn.includes('server-errors'), failOnDrift: failOn.includes('drift') },
    undeclaredFields: failOn.includes('undeclared') ? ('fail' as const) : ('report' as const),
    unjudged: isUnjudged ? ('fail' as const) : ('report' as const),
  };
}

type Gated = Pick<
  Target,
  'probes' | 'failOnServerError' | 'record' | 'recordFile' | 'failOnDrift' | 'traffic'
>;

/** Gates that would have nothing to look at; beside TRAFFIC they are mistakes of their own. */
function rejectEmptyGates(gated: Gated, problems: string[]): void {
  const { probes, failOnServerError, record, recordFile, failOnDrift, traffic } = gated;
  if (traffic) return;
  if (failOnServerError && !probes)
    problems.push('FAIL_ON=server-errors needs requests with bad input: set PROBES=on');
  if (failOnDrift && !record && !existsSync(recordFile))
    problems.push(
      'FAIL_ON=drift compares with observed/<TARGET_NAME>.json, and there is no such file: a run with PROBES=record writes it',
    );
}

/** These print addresses, headers or the whole environment before anything can be redacted. */
function rejectLoggers(env: Environment, problems: string[]): void {
  const printing = { DEBUG: /pw:|proxy|\*/, NODE_DEBUG: /./, PWDEBUG: /./ };
  for (const [name, pattern] of Object.entries(printing))
    if (pattern.test(env[name] ?? ''))
      problems.push(`${name} would print addresses and headers unredacted: unset it`);
}
