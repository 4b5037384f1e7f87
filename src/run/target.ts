import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync, hasMagic } from 'glob';
import { knownIdentifiers } from '../../mock/operations.ts';
import { explainUnreadable } from '../client/files.ts';
import { listIdNames } from '../client/signing.ts';
import { isOtherPath, type Target, type TokenSettings } from '../client/target.ts';
import { hasSweep } from '../sweep/shards.ts';
import { standardInput } from '../traffic/shown-source.ts';
import {
  describeCallerFolder,
  formatCallerPath,
  isCalledFromOutside,
  resolveCallerPath,
  resolveCallerSource,
} from './caller-folder.ts';
import { readDotenv } from './dotenv.ts';
import { listIdentifierNames, listOperationPaths } from './identifier-variables.ts';
import { isCi } from './terminal.ts';
import { findAddressProblems, findNameNotices, findNameProblems } from './variable-names.ts';
import { type Environment, type VariableName, variableTable } from './variable-table.ts';
import { isUrl, readHeaders, readUrl, split, VariableReader } from './variables.ts';

/** Settings of a run, and the mistakes in them. */
export interface Configuration {
  /** Complete even if there are problems: a mistaken variable counts as unset. */
  target: Target;
  /** Sentences, one for each mistake. A run with a mistake does not begin. */
  problems: string[];
}

/** Reads the configuration from the environment and from `.env`. A variable of the environment wins. Never throws. */
export function readConfiguration(
  env: Environment = process.env,
  dotenv = resolveCallerPath('.env', env),
): Configuration {
  const { values: dotenvValues, problems } = readDotenv(dotenv);
  const values = { ...dotenvValues, ...env };
  const wrongNames = findNameProblems(Object.keys(dotenvValues), values);
  // A run judges the mock if BASE_URL names it, or if neither BASE_URL nor CI is set.
  const isMock = !values.TRAFFIC && (values.BASE_URL ? isMockName(values.BASE_URL) : !isCi(values));
  const reader = new VariableReader(values, isMock);
  const notices = findNameNotices(env);
  const target = { ...readTarget(reader), notices };
  if (target.resume && !hasSweep(target))
    reader.problems.push(
      'RESUME=1 goes on with a sweep, and none is set: set SWEEP, or a file such as CARD_IDS=@cards.txt',
    );
  const isMockByDefault = isMock && !values.BASE_URL;
  const addressProblems = isMockByDefault ? findAddressProblems(values, notices) : [];
  return {
    target,
    problems: [...problems, ...wrongNames, ...addressProblems, ...reader.problems],
  };
}

/**
 * Reads the settings of a run that judges recordings, for a command that gets the files as arguments. `-` only stands for some
 * source: the caller replaces `traffic`.
 */
export const readTrafficSettings = (): Target => readConfiguration({ ...process.env, TRAFFIC: '-' }).target;

/** Adds the variables of `.env` to `process.env`, where an `AUTH_MODULE` can read them. Overrides no variable. */
export function exportDotenv(): void {
  Object.assign(process.env, { ...readDotenv(resolveCallerPath('.env')).values, ...process.env });
}

/** Reads all settings of a run. Adds a sentence for each mistake to `reader.problems`. */
function readTarget(reader: VariableReader): Omit<Target, 'notices'> {
  const { isMock } = reader;
  const traffic = readTrafficSources(reader);
  const baseUrl = isMock ? undefined : readBaseUrl(reader, traffic);
  rejectLoggers(reader);
  const nameWithoutAddress = isMock ? 'mock' : traffic ? 'recorded traffic' : 'unknown';
  const name = readName(reader) ?? (baseUrl ? new URL(baseUrl).host : nameWithoutAddress);
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
    // The mock has no limit by default.
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

/** Reads `API_HEADERS`, `REQUEST_ID`, `TOKEN_URL` and `AUTH_MODULE`. Two variables that set the same header are a mistake. */
function readCredentials(reader: VariableReader, baseUrl: string | undefined) {
  const { problems } = reader;
  const headers = readHeaders(reader.text('API_HEADERS'), problems);
  const requestId = reader.choice('REQUEST_ID');
  const token = baseUrl ? readToken(reader) : undefined;
  const headersOfOtherVariables = [
    ...listIdNames(requestId).map((name) => [name, 'REQUEST_ID'] as const),
    ...(token ? [['authorization', 'TOKEN_URL'] as const] : []),
  ];
  const configuredNames = Object.keys(headers).map((name) => name.toLowerCase());
  for (const [name, variable] of headersOfOtherVariables)
    if (configuredNames.includes(name))
      problems.push(`API_HEADERS sets ${name}, and so does ${variable}: only one of them can`);
  if (token && new URL(baseUrl ?? '').username)
    problems.push('BASE_URL has a user, and TOKEN_URL sets authorization: only one of them can be');
  return { headers, requestId, token, authModule: reader.file('AUTH_MODULE') };
}

/** Reads the settings of the token server; undefined if `TOKEN_URL` is unset, if settings are missing, or with `TRAFFIC`. */
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

/**
 * Reads the proxy for an address; undefined if there is none, if `NO_PROXY` names the host, or if the proxy is no URL (a mistake).
 */
function readProxy({ env, problems }: VariableReader, baseUrl: string | undefined): string | undefined {
  const proxy = baseUrl ? selectProxy(new URL(baseUrl), env) : undefined;
  if (!proxy) return undefined;
  if (isUrl(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  problems.push('HTTP_PROXY and HTTPS_PROXY must be http:// or https:// URLs, for example http://proxy:3128');
  return undefined;
}

/** Selects the proxy of a URL, unless `NO_PROXY` covers the URL. Reads each variable in lower case first, then in upper case. */
function selectProxy(url: URL, env: Environment): string | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = url.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  return split(read('NO_PROXY') ?? '').some((entry) => covers(entry, url)) ? undefined : proxy;
}

/** Checks that an entry of `NO_PROXY` covers a URL: `*`, a host with or without port, or a domain such as `.example.com`. */
function covers(entry: string, { hostname, host }: URL): boolean {
  const domain = entry.replace(/^\*?\./, '');
  return entry === '*' || host === entry || hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Reads `SWEEP`, `SWEEP_OFFSET` and `RESUME`. `SWEEP=5000:42` samples 5000 records with the seed 42. */
function readSweep(reader: VariableReader) {
  const { count, seed } = reader.seeded('SWEEP', ['all', 'off']);
  return {
    // An unset or mistaken variable, and a sample of 0 records.
    sweep: count || ('off' as const),
    sweepSeed: typeof count === 'number' ? seed : undefined,
    sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
    resume: reader.isSet('RESUME'),
  };
}

/**
 * Reads variables such as `CARD_IDS`: a list of identifiers, or `@cards.txt`, the name of a file that a sweep reads later. Also
 * lists the variables whose text is a plain list (`plainLists`).
 */
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
    // Text after `@` without a dot or slash may be an identifier instead of a file, and no message may show an identifier.
    const fileName = /[./]/.test(text) ? `${text.slice(1)}, ` : '';
    if (reason) reader.problems.push(`${name} names ${fileName}${reason}`);
    else identifierFiles[name] = path.resolve(file);
  }
  return { identifiers, identifierFiles, plainLists };
}

/** Checks that a text is a comma-separated list that `cut -d,` can split, of identifiers that a URL needs not encode. */
const isPlainList = (text: string): boolean => /^[\w.~-]+(,[\w.~-]+)*$/.test(text);

/** Describes the mistake of a blank file of identifiers; undefined for any other file. Takes a file above 4 KiB as not blank. */
function describeEmptyFile(file: string): string | undefined {
  const isLong = statSync(file).size > 4096;
  return isLong || readFileSync(file, 'utf8').trim()
    ? undefined
    : 'a file without an identifier: write one a line';
}

/** Reads the identifiers of a variable. If the variable is unset, returns those of the mock for the mock, else none. */
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

/**
 * Reads `LEDGER_FILE`. `name` is for reports: the path relative to the caller's folder, or only the file name if it lies outside.
 */
function readCallersLedger(reader: VariableReader): Target['callersLedger'] {
  const file = reader.path('LEDGER_FILE', undefined);
  if (file === undefined) return undefined;
  const callerPath = formatCallerPath(file);
  const isOutside = path.isAbsolute(callerPath);
  const name = isOutside ? path.basename(file) : callerPath;
  const [reason, next] = [explainUnreadable(file), '`npm run accept` writes it, and it may be empty'];
  const variable = reader.env.SUITE_REPOSITORY ? 'LEDGER_FILE (input `ledger`)' : 'LEDGER_FILE';
  const place = isOutside ? name : `${name} in ${describeCallerFolder(reader.env)}`;
  if (reason) reader.problems.push(`${variable} names ${place}, ${reason}: ${next}`);
  return { file, name };
}

/**
 * Reads `CUSTOM_TESTS`, the folder of the team's own tests, as an absolute path. A missing folder is a mistake. Undefined for a
 * caller in another folder who sets no folder, because `tests/custom` of the suite holds no test of that caller.
 */
function readCustomTests(reader: VariableReader): string | undefined {
  const fallback = isCalledFromOutside(reader.env) ? undefined : defaultCustomTests;
  const folder = reader.path('CUSTOM_TESTS', fallback);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    reader.problems.push(
      `CUSTOM_TESTS names ${formatCallerPath(folder)}, which is no folder: name the one that holds your tests`,
    );
  return folder;
}

const defaultCustomTests = fileURLToPath(new URL('../../tests/custom', import.meta.url));

/** Reads `TARGET_NAME`: one line, because headings, file names and terminals show it. Undefined if unset or mistaken. */
function readName(reader: VariableReader): string | undefined {
  const name = reader.text('TARGET_NAME');
  if (name === undefined || (name.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(name))) return name;
  reader.problems.push('TARGET_NAME must be one line of at most 200 printable characters');
  return undefined;
}

/** Default of `REPORTS_DIR`: the only folder in `reports/` that Git ignores. */
export const defaultReportsDir = 'reports/out';

/** Checks that a value of `BASE_URL` is the word `mock`. */
const isMockName = (text: string): boolean => /^\s*mock\s*$/i.test(text);

/**
 * Reads `BASE_URL`; undefined if unset or mistaken. Optional with `TRAFFIC`. Otherwise required, because a pipeline without a
 * target would judge the mock, and pass.
 */
function readBaseUrl(reader: VariableReader, traffic: string[] | undefined): string | undefined {
  const text = reader.text('BASE_URL');
  if (traffic && (!text || isMockName(text))) return undefined;
  if (!text) {
    // Only in CI: elsewhere an unset BASE_URL means the mock, and the caller does not call this function.
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

/**
 * Finds the path of an operation, such as `/svc/ts/api/v1/openapi/cards`, or of the folder above it, in an address; undefined if
 * the address contains none.
 */
const findOperationPath = (url: string): string | undefined =>
  listOperationPaths()
    .flatMap((operationPath) => [operationPath, path.posix.dirname(operationPath)])
    .find((operationPath) => `${new URL(url).pathname}/`.includes(`${operationPath}/`));

/** Reads `PROBES`: whether to send probes, how many random (fuzz) requests, and whether to record the answers in which file. */
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

/**
 * Reads `FAIL_ON`. Adds `unjudged` unless `-unjudged` forbids it or the run judges recordings, because a recording holds only the
 * operations that the recorded client uses.
 */
function readFailOn(reader: VariableReader): Target['failOn'] {
  const allowedWords = variableTable.FAIL_ON.listOf;
  const listedWords = split(reader.text('FAIL_ON') ?? '');
  const wrongWords = listedWords.filter((listedWord) => !allowedWords.some((word) => word === listedWord));
  if (wrongWords.length > 0)
    reader.problems.push(
      `FAIL_ON ${describeWrongWords(wrongWords)}must be a list of: ${allowedWords.join(', ')}`,
    );
  const words = allowedWords.filter((word) => listedWords.includes(word));
  const setsUnjudged = words.some((word) => word === 'unjudged' || word === '-unjudged');
  const needsDefault = !reader.text('TRAFFIC') && !setsUnjudged;
  return needsDefault ? [...words, 'unjudged'] : words;
}

/** Describes wrong words of a list: "has server-error, and "; empty unless each is a plain word, because a value may be a secret. */
const describeWrongWords = (words: string[]): string =>
  words.every((word) => /^-?[a-z]{1,12}(-[a-z]{1,12}){0,2}$/.test(word))
    ? `has ${words.join(', ')}, and `
    : '';

/** Adds a mistake for `DEBUG` and `NODE_DEBUG` if they would make Node or Playwright print addresses and headers unredacted. */
function rejectLoggers({ env, problems }: VariableReader): void {
  const printingValues = { DEBUG: /pw:|proxy-agent|\*/, NODE_DEBUG: /./ };
  for (const [name, pattern] of Object.entries(printingValues))
    if (pattern.test(env[name] ?? ''))
      problems.push(`${name} would print addresses and headers unredacted: unset it`);
}

/** Variables that make no sense with `TRAFFIC`, because they need requests. Each check returns true for a value that needs them. */
const needsRequests: Partial<Record<VariableName, (text: string) => boolean>> = {
  PROBES: (text) => !/^(off|0|$)/.test(text),
  FAIL_ON: (text) => /drift|server-errors/.test(text),
  SWEEP: (text) => text !== '' && text !== 'off',
};

/** Reads the sources of `TRAFFIC`; undefined if unset. A variable that needs requests is a mistake beside it. */
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
  reader.problems.push(...sources.flatMap((source) => findSourceProblems('TRAFFIC', source)));
  return sources.map(resolveCallerSource);
}

/**
 * Explains why a source of recorded traffic cannot be read: a folder, no such file, or a pattern without a match. Empty if there is
 * something to read. Shows the source as typed, so the text is for the user's terminal only.
 * @param where variable or option that names the source, such as `TRAFFIC` or `--judge`
 */
export function findSourceProblems(where: string, source: string): string[] {
  const file = resolveCallerSource(source);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (source === standardInput || (stats && !stats.isDirectory())) return [];
  if (stats) return [`${where} names ${source}, which is a folder: name its files, as ${source}/*.har`];
  if (!hasMagic(file, { magicalBraces: true }))
    return [`${where} names ${source}, and there is no such file`];
  const hasNoMatch = globSync(file, { nodir: true }).length === 0;
  return hasNoMatch ? [`${where} names ${source}, and no file has such a name`] : [];
}
