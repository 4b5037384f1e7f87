import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { knownIdentifiers } from '../../mock/operations.ts';
import { explainUnreadable } from '../client/files.ts';
import { listIdNames } from '../client/signing.ts';
import { isOtherPath, type Target, type TokenSettings } from '../client/target.ts';
import { hasSweep } from '../sweep/shards.ts';
import { standardInput } from '../traffic/shown-source.ts';
import { formatCallerPath, resolveCallerPath, resolveCallerSource } from './caller-folder.ts';
import { readDotenv } from './dotenv.ts';
import { listIdentifierNames, listOperationPaths } from './identifier-variables.ts';
import { isCi } from './terminal.ts';
import { findAddressProblems, nameNotices, nameProblems } from './variable-names.ts';
import { type Environment, type VariableName, variableTable } from './variable-table.ts';
import { isUrl, readHeaders, readUrl, split, VariableReader } from './variables.ts';

/** Target of a run, with one sentence for each mistake in the configuration. */
export interface Configuration {
  target: Target;
  problems: string[];
}

/** Reads the configuration from the environment and from `.env`, which never overrides it. */
export function readConfiguration(
  env: Environment = process.env,
  dotenv = resolveCallerPath('.env', env),
): Configuration {
  const { values: dotenvValues, problems } = readDotenv(dotenv);
  const values = { ...dotenvValues, ...env };
  const wrongNames = nameProblems(Object.keys(dotenvValues), values);
  const isMock = !values.TRAFFIC && (values.BASE_URL ? isMockName(values.BASE_URL) : !isCi(values));
  const reader = new VariableReader(values, isMock);
  const notices = nameNotices(env);
  const target = { ...readTarget(reader), notices };
  if (target.resume && !hasSweep(target))
    reader.problems.push(
      'RESUME=1 goes on with a sweep, and none is set: set SWEEP, or a file such as CARD_IDS=@cards.txt',
    );
  const unaddressed = isMock && !values.BASE_URL ? findAddressProblems(values, notices) : [];
  return {
    target,
    problems: [...problems, ...wrongNames, ...unaddressed, ...reader.problems],
  };
}

/** Reads the settings of a run with `TRAFFIC`, for a command that gets its sources as arguments. */
export const readTrafficSettings = (): Target => readConfiguration({ ...process.env, TRAFFIC: '-' }).target;

/** Adds the variables of `.env` to the environment of this process, for an AUTH_MODULE that reads them. Overrides none. */
export function exportDotenv(): void {
  Object.assign(process.env, { ...readDotenv(resolveCallerPath('.env')).values, ...process.env });
}

/** Reads a target from its variables. Adds mistakes to the problems of the reader. */
function readTarget(reader: VariableReader): Omit<Target, 'notices'> {
  const { isMock } = reader;
  const traffic = readTrafficSources(reader);
  const baseUrl = isMock ? undefined : readBaseUrl(reader, traffic);
  rejectLoggers(reader);
  const nameless = isMock ? 'mock' : traffic ? 'recorded traffic' : 'unknown';
  const name = readName(reader) ?? (baseUrl ? new URL(baseUrl).host : nameless);
  return {
    ...{ name, isMock, baseUrl, traffic },
    ...readIdentifiers(reader),
    profile: reader.choice('PROFILE'),
    ...readCredentials(reader, baseUrl),
    transport: {
      proxy: readProxy(reader, baseUrl),
      clientCertificate: reader.file('CLIENT_CERT'),
      passphrase: reader.text('CLIENT_CERT_PASSPHRASE'),
      allowInvalidCertificates: reader.isSet('ALLOW_INVALID_CERTIFICATES'),
    },
    timeoutMs: reader.number('REQUEST_TIMEOUT_MS'),
    maxBodyBytes: Math.floor(reader.number('MAX_BODY_MB') * 2 ** 20),
    // The mock has no limit.
    maxRps: isMock && !reader.text('MAX_RPS') ? Number.POSITIVE_INFINITY : reader.number('MAX_RPS'),
    ...readSweep(reader),
    minCoverage: reader.number('MIN_COVERAGE'),
    reportsDir: reader.path('REPORTS_DIR', defaultReportsDir),
    ...readProbing(reader, name),
    failOn: readFailOn(reader),
    callersLedger: readCallersLedger(reader),
    customTests: readCustomTests(reader),
  };
}

/** Reads headers, request id, token and signing module. Two variables that set the same header are a mistake. */
function readCredentials(reader: VariableReader, baseUrl: string | undefined) {
  const { problems } = reader;
  const headers = readHeaders(reader.text('API_HEADERS'), problems);
  const requestId = reader.choice('REQUEST_ID');
  const token = baseUrl ? readToken(reader) : undefined;
  const setBy = [
    ...listIdNames(requestId).map((name) => [name, 'REQUEST_ID'] as const),
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

function readToken(reader: VariableReader): TokenSettings | undefined {
  const text = reader.text('TOKEN_URL');
  if (!text || reader.text('TRAFFIC')) return undefined;
  const url = readUrl(text, reader.problems, 'TOKEN_URL');
  const [id, secret] = [reader.text('CLIENT_ID'), reader.text('CLIENT_SECRET')];
  if (!id || !secret) reader.problems.push('TOKEN_URL needs CLIENT_ID and CLIENT_SECRET');
  if (!url || !id || !secret) return undefined;
  const scope = reader.text('TOKEN_SCOPE');
  return { url, id, secret, scope, proxy: readProxy(reader, url) };
}

/** Reads the proxy for an address; undefined if requests go to the address directly. */
function readProxy({ env, problems }: VariableReader, baseUrl: string | undefined): string | undefined {
  const proxy = baseUrl ? proxyFor(new URL(baseUrl), env) : undefined;
  if (!proxy) return undefined;
  if (isUrl(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  problems.push('HTTP_PROXY and HTTPS_PROXY must be http:// or https:// URLs, for example http://proxy:3128');
  return undefined;
}

/** Selects the proxy of a URL, from variables in lower or upper case. `NO_PROXY` lists hosts, domains, or `*`. */
function proxyFor(url: URL, env: Environment): string | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = url.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  return split(read('NO_PROXY') ?? '').some((entry) => covers(entry, url)) ? undefined : proxy;
}

function covers(entry: string, { hostname, host }: URL): boolean {
  const domain = entry.replace(/^\*?\./, '');
  return entry === '*' || host === entry || hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Reads the variables of a sweep. */
function readSweep(reader: VariableReader) {
  const { count, seed } = reader.seeded('SWEEP', ['all', 'off']);
  return {
    sweep: count || ('off' as const),
    sweepSeed: typeof count === 'number' ? seed : undefined,
    sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
    resume: reader.isSet('RESUME'),
  };
}

/** Reads identifiers, and the names of files of identifiers (`@cards.txt`), which the sweep reads later. */
function readIdentifiers(reader: VariableReader) {
  const identifiers: Record<string, readonly string[]> = {};
  const identifierFiles: Record<string, string> = {};
  const plainLists: string[] = [];
  for (const name of listIdentifierNames()) {
    const text = reader.env[name] ?? '';
    identifiers[name] = text.startsWith('@') ? [] : readIdentifierList(reader, name, text);
    if (isPlainList(text || identifiers[name].join())) plainLists.push(name);
    if (!text.startsWith('@')) continue;
    const file = resolveCallerPath(text.slice(1), reader.env);
    const reason = explainUnreadable(file) ?? describeEmptyFile(file);
    // Text without a dot or slash may be an identifier by mistake, which no message may repeat.
    const fileName = /[./]/.test(text) ? `${text.slice(1)}, ` : '';
    if (reason) reader.problems.push(`${name} names ${fileName}${reason}`);
    else identifierFiles[name] = path.resolve(file);
  }
  return { identifiers, identifierFiles, plainLists };
}

/** Checks that `cut -d,` finds each identifier of a list, and that a URL holds each identifier without encoding. */
const isPlainList = (text: string): boolean => /^[\w.~-]+(,[\w.~-]+)*$/.test(text);

/** Describes a file without an identifier; undefined for any other file. Reads no file of more than 4 KiB, which is never blank. */
function describeEmptyFile(file: string): string | undefined {
  const isLong = statSync(file).size > 4096;
  return isLong || readFileSync(file, 'utf8').trim()
    ? undefined
    : 'a file without an identifier: write one a line';
}

/** Reads the identifiers of a variable. An unset variable has the identifiers of the mock if the mock is the target. */
function readIdentifierList(
  { isMock, problems }: VariableReader,
  name: string,
  text: string,
): readonly string[] {
  if (text === '') return isMock ? (knownIdentifiers[name] ?? []) : [];
  const identifiers = split(text);
  if (identifiers.length === 0)
    problems.push(`${name} holds no identifier: write some, separated by commas, or unset it`);
  if (identifiers.some(isOtherPath))
    problems.push(`${name} holds \`.\` or \`..\`, which name another path in an address: remove it`);
  return identifiers;
}

/** Reads `LEDGER_FILE`. Reports show its name without the folders above that of the caller. */
function readCallersLedger(reader: VariableReader): Target['callersLedger'] {
  const file = reader.path('LEDGER_FILE', undefined);
  if (file === undefined) return undefined;
  const callerPath = formatCallerPath(file);
  const name = path.isAbsolute(callerPath) ? path.basename(file) : callerPath;
  const [reason, next] = [explainUnreadable(file), '`npm run accept` writes it, and it may be empty'];
  if (reason) reader.problems.push(`LEDGER_FILE names ${name}, ${reason}: ${next}`);
  return { file, name };
}

/** Reads the absolute path of the folder of the team's own tests. */
function readCustomTests(reader: VariableReader): string {
  const folder = path.resolve(reader.path('CUSTOM_TESTS', defaultCustomTests));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    reader.problems.push(
      `CUSTOM_TESTS names ${formatCallerPath(folder)}, which is no folder: name the one that holds your tests`,
    );
  return folder;
}

const defaultCustomTests = fileURLToPath(new URL('../../tests/custom', import.meta.url));

/** Reads `TARGET_NAME`, which must fit into headings, file names and terminals. */
function readName(reader: VariableReader): string | undefined {
  const name = reader.text('TARGET_NAME');
  if (name === undefined || (name.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(name))) return name;
  reader.problems.push('TARGET_NAME must be one line of at most 200 printable characters');
  return undefined;
}

/** Default of `REPORTS_DIR`: the only folder in `reports/` that Git ignores. */
export const defaultReportsDir = 'reports/out';

/** Checks that `BASE_URL` names the embedded mock. */
const isMockName = (text: string): boolean => /^\s*mock\s*$/i.test(text);

/** Reads `BASE_URL`. Required if `CI` is set, because a pipeline without a target would judge the mock, and pass. */
function readBaseUrl(reader: VariableReader, traffic: string[] | undefined): string | undefined {
  const text = reader.text('BASE_URL');
  if (traffic && (!text || isMockName(text))) return undefined;
  if (!text) {
    // The caller has handled the mock, which is the default outside of CI.
    reader.problems.push(
      'BASE_URL is not set, but CI is: set BASE_URL to the address of the target, or to mock to judge the embedded mock',
    );
    return undefined;
  }
  const url = readUrl(text, reader.problems);
  const operationPath = url ? findOperationPath(url) : undefined;
  if (operationPath)
    reader.problems.push(`BASE_URL holds ${operationPath}, which each request appends: end it before that`);
  return url;
}

/** Finds the path of an operation, or the path above, in an address; undefined if the address holds none. */
const findOperationPath = (url: string): string | undefined =>
  listOperationPaths()
    .flatMap((operationPath) => [operationPath, path.posix.dirname(operationPath)])
    .find((operationPath) => `${new URL(url).pathname}/`.includes(`${operationPath}/`));

/** Reads `PROBES`: probes and fuzz requests to send, and whether and where to record the answers. */
function readProbing(reader: VariableReader, name: string) {
  const file = path.join('observed', `${name.replace(/[^\w.-]+/g, '-')}.json`);
  const { count = reader.isMock ? 'on' : 'off', seed } = reader.seeded('PROBES', ['off', 'on', 'record']);
  return {
    probes: count !== 'off' && count !== 0,
    fuzzRequests: typeof count === 'number' ? count : 0,
    fuzzSeed: seed,
    record: count === 'record',
    recordFile: path.resolve(resolveCallerPath(file, reader.env)),
  };
}

/** Reads `FAIL_ON`. Adds the default `unjudged`, except for recordings, since a client records only the operations that it uses. */
function readFailOn(reader: VariableReader): Target['failOn'] {
  const allowedWords = variableTable.FAIL_ON.listOf;
  const listedWords = split(reader.text('FAIL_ON') ?? '');
  if (listedWords.some((listedWord) => !allowedWords.some((word) => word === listedWord)))
    reader.problems.push(`FAIL_ON must be a list of: ${allowedWords.join(', ')}`);
  const words = allowedWords.filter((word) => listedWords.includes(word));
  const hasDefault = !reader.text('TRAFFIC') && !words.some((word) => word.endsWith('unjudged'));
  return hasDefault ? [...words, 'unjudged'] : words;
}

/** Rejects variables that make Node or Playwright print addresses and headers, which nothing can redact. */
function rejectLoggers({ env, problems }: VariableReader): void {
  const printing = { DEBUG: /pw:|proxy-agent|\*/, NODE_DEBUG: /./ };
  for (const [name, pattern] of Object.entries(printing))
    if (pattern.test(env[name] ?? ''))
      problems.push(`${name} would print addresses and headers unredacted: unset it`);
}

/** Variables that can make a run send requests. Each check returns whether a value of the variable does so. */
const needsRequests: Partial<Record<VariableName, (text: string) => boolean>> = {
  PROBES: (text) => !/^(off|0|$)/.test(text),
  FAIL_ON: (text) => /drift|server-errors/.test(text),
  SWEEP: (text) => text !== '' && text !== 'off',
};

/** Reads the sources of `TRAFFIC`. Variables that need requests are a mistake beside `TRAFFIC`. */
function readTrafficSources(reader: VariableReader): string[] | undefined {
  const text = reader.text('TRAFFIC');
  if (text === undefined) return undefined;
  for (const [name, isSending] of Object.entries(needsRequests))
    if (isSending(reader.text(name as VariableName) ?? ''))
      reader.problems.push(
        `TRAFFIC judges what was recorded and sends nothing, which ${name} needs: unset one of them`,
      );
  const sources = split(text);
  if (sources.length === 0)
    reader.problems.push('TRAFFIC names no file: give files separated by commas, or -');
  reader.problems.push(...sources.flatMap((source) => missingSource('TRAFFIC', source)));
  return sources.map(resolveCallerSource);
}

/** Describes a source without a file, as the caller typed it, for the caller alone; empty if there is one. @param where variable or option that names the source */
export function missingSource(where: string, source: string): string[] {
  const file = resolveCallerSource(source);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (source === standardInput || (stats && !stats.isDirectory())) return [];
  if (stats) return [`${where} names ${source}, which is a folder: name its files, as ${source}/*.har`];
  if (!isDynamicPattern(file)) return [`${where} names ${source}, and there is no such file`];
  const isEmpty = globSync(file, { expandDirectories: false }).length === 0;
  return isEmpty ? [`${where} names ${source}, and no file has such a name`] : [];
}
