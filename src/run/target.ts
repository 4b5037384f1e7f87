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
  /** Settings of a run, complete even if there are mistakes: a mistaken variable counts as unset. */
  target: Target;
  /** Sentences about mistakes in the configuration, one for each. A run with a mistake does not begin. */
  problems: string[];
}

/**
 * Reads the settings of a run from the environment and from `.env`, and collects the mistakes in them. A variable of the
 * environment takes precedence over `.env`. Never throws.
 * @param dotenv path of `.env`; by default, in the caller's folder
 */
export function readConfiguration(
  env: Environment = process.env,
  dotenv = resolveCallerPath('.env', env),
): Configuration {
  const { values: dotenvValues, problems } = readDotenv(dotenv);
  const values = { ...dotenvValues, ...env };
  const wrongNames = findNameProblems(Object.keys(dotenvValues), values);
  // A run judges the mock if BASE_URL names it, or if neither BASE_URL nor CI is set. With TRAFFIC, it judges recordings.
  const isMockSelected = values.BASE_URL ? isMockName(values.BASE_URL) : !isCi(values);
  const isMock = !values.TRAFFIC && isMockSelected;
  const reader = new VariableReader(values, isMock);
  const notices = findNameNotices(env);
  const target = { ...readTarget(reader), notices };
  if (target.resume && !hasSweep(target))
    reader.problems.push(
      'RESUME=1 continues a sweep, but none is set: set SWEEP, or a file such as CARD_IDS=@cards.txt',
    );
  const isMockByDefault = isMock && !values.BASE_URL;
  const addressProblems = isMockByDefault ? findAddressProblems(values, notices) : [];
  return {
    target,
    problems: [...problems, ...wrongNames, ...addressProblems, ...reader.problems],
  };
}

/**
 * Reads the settings of a run that judges recordings, for a command whose arguments name the files. The caller must replace
 * `traffic`: its value `-` is only a placeholder that makes the other settings those of a run with `TRAFFIC`.
 */
export const readTrafficSettings = (): Target => readConfiguration({ ...process.env, TRAFFIC: '-' }).target;

/** Adds the variables of `.env` to `process.env`, where an `AUTH_MODULE` can read them. Keeps variables that are set already. */
export function exportDotenv(): void {
  Object.assign(process.env, { ...readDotenv(resolveCallerPath('.env')).values, ...process.env });
}

/** Reads all settings of a run but `notices`. Adds a sentence for each mistake to `reader.problems`. */
function readTarget(reader: VariableReader): Omit<Target, 'notices'> {
  const { isMock } = reader;
  const traffic = readTrafficSources(reader);
  const baseUrl = isMock ? undefined : readBaseUrl(reader, traffic);
  rejectLoggers(reader);
  const nameWithoutAddress = traffic ? 'recorded traffic' : 'unknown';
  const nameOfTarget = baseUrl ? new URL(baseUrl).host : nameWithoutAddress;
  const name = readName(reader) ?? (isMock ? 'mock' : nameOfTarget);
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

/**
 * Reads `API_HEADERS`, `REQUEST_ID`, `TOKEN_URL` and `AUTH_MODULE`. Adds a sentence to `reader.problems` if two of them, or a user
 * in `BASE_URL`, set the same header.
 */
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
      problems.push(`API_HEADERS and ${variable} both set ${name}: remove one of them`);
  if (token && new URL(baseUrl ?? '').username)
    problems.push('the user in BASE_URL and TOKEN_URL both set authorization: remove one of them');
  return { headers, requestId, token, authModule: reader.file('AUTH_MODULE') };
}

/**
 * Reads the settings of the token server (`TOKEN_URL`, `CLIENT_ID`, `CLIENT_SECRET`, `TOKEN_SCOPE`). Undefined if `TOKEN_URL` is
 * unset, if one of the first three is mistaken or missing, which is a problem, or with `TRAFFIC`.
 */
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
 * Reads the address of the proxy for requests to an address, from `HTTP_PROXY` or `HTTPS_PROXY`. Undefined if there is none, if
 * `NO_PROXY` covers the address, or if the proxy is no URL, which is a problem.
 */
function readProxy({ env, problems }: VariableReader, baseUrl: string | undefined): string | undefined {
  const proxy = baseUrl ? selectProxy(new URL(baseUrl), env) : undefined;
  if (!proxy) return undefined;
  if (isUrl(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  problems.push('HTTP_PROXY and HTTPS_PROXY must be http:// or https:// URLs, for example http://proxy:3128');
  return undefined;
}

/**
 * Selects the proxy for a URL: `HTTPS_PROXY` or `HTTP_PROXY`, by the scheme of the URL. Undefined if it is unset, or if `NO_PROXY`
 * covers the URL. A variable in lower case takes precedence, as in curl.
 */
function selectProxy(url: URL, env: Environment): string | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = url.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  const isExcluded = split(read('NO_PROXY') ?? '').some((entry) => covers(entry, url));
  return isExcluded ? undefined : proxy;
}

/**
 * Returns whether an entry of `NO_PROXY` covers a URL: `*`, the host with or without port, or a domain above it, such as
 * `example.com`, `.example.com` or `*.example.com`.
 */
function covers(entry: string, { hostname, host }: URL): boolean {
  const domain = entry.replace(/^\*?\./, '');
  return entry === '*' || host === entry || hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Reads `SWEEP`, `SWEEP_OFFSET` and `RESUME`. `SWEEP=5000:42` draws a random sample of 5000 records with the seed 42. */
function readSweep(reader: VariableReader) {
  const { count, seed } = reader.seeded('SWEEP', ['all', 'off']);
  return {
    // `off` for an unset or mistaken variable, and for a sample of 0 records.
    sweep: count || ('off' as const),
    sweepSeed: typeof count === 'number' ? seed : undefined,
    // Undefined if unset, so that the sweep finds out what `offset` counts. `choice` alone would return the default, `records`.
    sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
    resume: reader.isSet('RESUME'),
  };
}

/**
 * Reads the variables of identifiers, such as `CARD_IDS`. Returns lists of identifiers in `identifiers`, and files such as
 * `@cards.txt`, which a sweep reads later, in `identifierFiles`. `plainLists` names the variables whose lists a shell command can
 * split.
 */
function readIdentifiers(reader: VariableReader) {
  const identifiers: Record<string, readonly string[]> = {};
  const identifierFiles: Record<string, string> = {};
  const plainLists: string[] = [];
  for (const name of listIdentifierNames()) {
    const text = reader.env[name] ?? '';
    const namesFile = text.startsWith('@');
    identifiers[name] = namesFile ? [] : readIdentifierList(reader, name, text);
    // An empty text stands for the identifiers of the mock.
    if (isPlainList(text || identifiers[name].join())) plainLists.push(name);
    if (!namesFile) continue;
    const file = resolveCallerPath(text.slice(1), reader.env);
    const reason = explainUnreadable(file) ?? describeEmptyFile(file);
    // Text after `@` without a dot or slash may be an identifier instead of a file, and no message may show an identifier.
    const fileName = /[./]/.test(text) ? `${text.slice(1)}, ` : '';
    if (reason) reader.problems.push(`${name} names ${fileName}${reason}`);
    else identifierFiles[name] = path.resolve(file);
  }
  return { identifiers, identifierFiles, plainLists };
}

/**
 * Returns whether a text is a comma-separated list, without blanks, of identifiers that are not encoded in a URL (RFC 3986, section
 * 2.3).
 */
const isPlainList = (text: string): boolean => /^[\w.~-]+(,[\w.~-]+)*$/.test(text);

/**
 * Describes the mistake of a file of identifiers that is blank; undefined for any other file. A file above 4 KiB counts as not
 * blank.
 */
function describeEmptyFile(file: string): string | undefined {
  const isLong = statSync(file).size > 4096;
  return isLong || readFileSync(file, 'utf8').trim()
    ? undefined
    : 'a file without an identifier: write one a line';
}

/**
 * Reads the comma-separated identifiers of a variable such as `CARD_IDS`. For an empty text, returns the identifiers that the
 * embedded mock knows if the mock is the target, else none. Adds a sentence to `problems` for a text without an identifier, and for
 * `.` and `..`.
 */
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
 * Reads `LEDGER_FILE`: the absolute path of the team's own ledger, and its `name` for reports, which is the path relative to the
 * caller's folder, or only the file name if the file lies outside. Undefined if unset. A file that cannot be read is a problem.
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
 * Reads `CUSTOM_TESTS`, the folder of the team's own tests, as an absolute path. If it is unset, returns `tests/custom` of this
 * suite, or undefined for a caller in another folder. A missing folder is a problem.
 */
function readCustomTests(reader: VariableReader): string | undefined {
  const fallback = isCalledFromOutside(reader.env) ? undefined : defaultCustomTests;
  const folder = reader.path('CUSTOM_TESTS', fallback);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    reader.problems.push(
      `CUSTOM_TESTS names ${formatCallerPath(folder)}, which is not a folder: name the folder of your tests`,
    );
  return folder;
}

const defaultCustomTests = fileURLToPath(new URL('../../tests/custom', import.meta.url));

/**
 * Reads `TARGET_NAME`. Undefined if it is unset, or if it is not one line of at most 200 printable characters, which is a problem:
 * headings, file names and terminals show the name.
 */
function readName(reader: VariableReader): string | undefined {
  const name = reader.text('TARGET_NAME');
  if (name === undefined || (name.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(name))) return name;
  reader.problems.push('TARGET_NAME must be one line of at most 200 printable characters');
  return undefined;
}

/** Default of `REPORTS_DIR`: the only folder in `reports/` that Git ignores. */
export const defaultReportsDir = 'reports/out';

/** Returns whether a value of `BASE_URL` is the word `mock`, in any case and with blanks around it. */
const isMockName = (text: string): boolean => /^\s*mock\s*$/i.test(text);

/**
 * Reads `BASE_URL` for a run that does not judge the mock. Undefined if it is unset or mistaken. Both are a problem, because a
 * pipeline without a target would judge the mock, and pass. With `TRAFFIC`, it may be unset or `mock`.
 * @param traffic files of `TRAFFIC`; undefined if unset
 */
function readBaseUrl(reader: VariableReader, traffic: string[] | undefined): string | undefined {
  const text = reader.text('BASE_URL');
  if (traffic && (!text || isMockName(text))) return undefined;
  if (!text) {
    // Only in CI: elsewhere an unset BASE_URL means the mock, and the caller does not call this function.
    reader.problems.push(
      'CI is set, so BASE_URL must be set too: to the address of the target, or to mock for the embedded mock',
    );
    return undefined;
  }
  const url = readUrl(text, reader.problems);
  const operationPath = url ? findOperationPath(url) : undefined;
  if (operationPath)
    reader.problems.push(
      `BASE_URL contains ${operationPath}, which the suite appends itself: remove that part`,
    );
  return url;
}

/**
 * Finds in an address the path of an operation, such as `/svc/ts/api/v1/openapi/cards`, or the path above it, which each request
 * would append once more. Undefined if the address contains none.
 */
const findOperationPath = (url: string): string | undefined =>
  listOperationPaths()
    .flatMap((operationPath) => [operationPath, path.posix.dirname(operationPath)])
    .find((operationPath) => `${new URL(url).pathname}/`.includes(`${operationPath}/`));

/**
 * Reads `PROBES`: whether to send probes, how many random (fuzz) requests to send with which seed, and whether to record the
 * answers, in `recordFile`. Default: `on` for the mock, else `off`.
 * @param name name of the target, from which the name of the file is made
 */
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
 * Reads the words of `FAIL_ON`. Adds `unjudged`, which is the default, unless `-unjudged` forbids it or the run judges recordings:
 * a recording holds only the operations that the recorded client uses. An unknown word is a problem.
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

/**
 * Formats wrong words of a list for a message: "has server-error, and ". Empty if any of them is no plain word of small letters,
 * because it may be a secret.
 */
const describeWrongWords = (words: string[]): string =>
  words.every((word) => /^-?[a-z]{1,12}(-[a-z]{1,12}){0,2}$/.test(word))
    ? `has ${words.join(', ')}, and `
    : '';

/**
 * Adds a problem for `DEBUG` and `NODE_DEBUG` if their values make Node or Playwright print addresses and headers, which may be
 * secret.
 */
function rejectLoggers({ env, problems }: VariableReader): void {
  const printingValues = { DEBUG: /pw:|proxy-agent|\*/, NODE_DEBUG: /./ };
  for (const [name, pattern] of Object.entries(printingValues))
    if (pattern.test(env[name] ?? ''))
      problems.push(`${name} would print addresses and headers unredacted: unset it`);
}

/**
 * Functions that return whether a value of a variable makes a run send requests, keyed by variable. Such a value contradicts
 * `TRAFFIC`, with which nothing is sent.
 */
const needsRequests: Partial<Record<VariableName, (text: string) => boolean>> = {
  PROBES: (text) => !/^(off|0|$)/.test(text),
  FAIL_ON: (text) => /drift|server-errors/.test(text),
  SWEEP: (text) => text !== '' && text !== 'off',
};

/**
 * Reads the values of `TRAFFIC`, each as a path resolved against the caller's folder, or `-`; undefined if unset. A file that does
 * not exist is a problem, and so is another variable that needs requests.
 */
function readTrafficSources(reader: VariableReader): string[] | undefined {
  const text = reader.text('TRAFFIC');
  if (text === undefined) return undefined;
  for (const [name, isSending] of Object.entries(needsRequests))
    if (isSending(reader.text(name as VariableName) ?? ''))
      reader.problems.push(
        `TRAFFIC judges recordings and sends nothing, but ${name} needs requests: unset one of them`,
      );
  const sources = split(text);
  if (sources.length === 0)
    reader.problems.push('TRAFFIC names no file: give files separated by commas, or -');
  reader.problems.push(...sources.flatMap((source) => findSourceProblems('TRAFFIC', source)));
  return sources.map(resolveCallerSource);
}

/**
 * Explains why a recording cannot be read, as a list of one sentence: it is a folder, there is no such file, or no file matches the
 * pattern. Empty if there is something to read. The sentence shows the name as typed, so it is for the user's terminal only.
 * @param where variable or option that names the recording, such as `TRAFFIC` or `--judge`
 * @param source path, pattern such as `*.har`, or `-`
 */
export function findSourceProblems(where: string, source: string): string[] {
  const file = resolveCallerSource(source);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (source === standardInput || (stats && !stats.isDirectory())) return [];
  if (stats) return [`${where} names ${source}, which is a folder: name its files, as ${source}/*.har`];
  if (!hasMagic(file, { magicalBraces: true }))
    return [`${where} names ${source}, a file that does not exist`];
  const hasNoMatch = globSync(file, { nodir: true }).length === 0;
  return hasNoMatch ? [`${where} names ${source}, which no file matches`] : [];
}
