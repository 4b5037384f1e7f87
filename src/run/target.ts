import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync, hasMagic } from 'glob';
import { knownIdentifiers } from '../../mock/operations.ts';
import { explainUnreadable, findStats } from '../client/files.ts';
import { listTraceHeaders } from '../client/signing.ts';
import { hasUserInUrl, isDotSegment, type Shard, type Target, type TokenSettings } from '../client/target.ts';
import { findShardProblems, hasSweep, restrictToShard } from '../sweep/shards.ts';
import { standardInput } from '../traffic/shown-source.ts';
import {
  describeCallerFolder,
  formatCallerPath,
  isCalledFromOutside,
  isGitHubAction,
  resolveCallerPath,
  resolveCallerSource,
} from './caller-folder.ts';
import { findCustomTestProblems } from './custom-tests.ts';
import { readDotenv } from './dotenv.ts';
import { listIdentifierNames, listOperationPaths } from './identifier-variables.ts';
import { isCi } from './terminal.ts';
import { findAddressProblems, findNameNotices, findNameProblems } from './variable-names.ts';
import { type Environment, variableTable } from './variable-table.ts';
import { hasDecodableCredentials, parseHeaders, readUrl, splitList, VariableReader } from './variables.ts';

export interface Configuration {
  target: Target;
  problems: string[];
}

/**
 * Reads the settings of a run from the environment and `.env`. Lists mistakes in `problems`.
 * @param dotenv path of `.env`. By default, `.env` is in the folder of the suite. If npm was called outside of the suite, `.env`
 *   is in the folder of the call.
 */
export function readConfiguration(
  env: Environment = process.env,
  dotenv = resolveCallerPath('.env', env),
): Configuration {
  const { values: dotenvValues, problems: dotenvProblems } = readDotenv(dotenv);
  // The environment takes precedence.
  const values = { ...dotenvValues, ...env };
  const nameProblems = findNameProblems(Object.keys(dotenvValues), values);
  const isMock = isMockSelected(values);
  const typoNotices = findNameNotices(env);
  const reader = new VariableReader(values, isMock);
  const target = { ...readTarget(reader), notices: typoNotices.map(({ text }) => text) };
  const isMockByDefault = isMock && !values.BASE_URL;
  // If BASE_URL is unset by mistake, for example because of a typo, the run would judge the mock instead of the target.
  const addressProblems = isMockByDefault ? findAddressProblems(values, typoNotices) : [];
  const problems = [
    ...dotenvProblems,
    ...nameProblems,
    ...addressProblems,
    ...reader.problems,
    ...findResumeProblems(target),
  ];
  return { target, problems };
}

/**
 * Reads and checks the settings of a run. A shard gets its share of `maxRps` and of the recordings in `traffic`.
 * @throws an `Error` that lists the mistakes in the configuration
 */
export function readValidTarget(shard: Shard | undefined): Target {
  const configuration = readConfiguration();
  const target = restrictToShard({ ...configuration.target, shard });
  const problems = [...configuration.problems, ...findShardProblems(target)];
  if (problems.length > 0) throw new Error(`The configuration is wrong:\n  - ${problems.join('\n  - ')}`);
  return target;
}

const findResumeProblems = (target: Target): string[] =>
  target.resume && !hasSweep(target)
    ? ['RESUME=1 continues a sweep, but none is set: set SWEEP, or a file such as CARD_IDS=@cards.txt']
    : [];

function isMockSelected(values: Environment): boolean {
  if (values.TRAFFIC) return false;
  if (values.BASE_URL) return isMockName(values.BASE_URL);
  // In CI, `BASE_URL=mock` is required: a pipeline without BASE_URL would otherwise judge the mock, and pass.
  return !isCi(values);
}

/** Reads the settings for judging recordings. The caller must replace `traffic`, which holds only the placeholder `['-']`. */
export const readTrafficSettings = (): Target => readConfiguration({ ...process.env, TRAFFIC: '-' }).target;

/**
 * Maximum number of bytes that name and value of an environment variable have together on Linux (execve(2), E2BIG). The `=` and
 * the final NUL need two more bytes.
 */
const maxVariableBytes = 128 * 1024 - 2;

/**
 * Copies variables of `.env` to `process.env`, so that an `AUTH_MODULE` can read them. Variables that are set already keep their
 * values. Variables longer than `maxVariableBytes` are left out.
 */
export function exportDotenv(): void {
  const { values } = readDotenv(resolveCallerPath('.env'));
  for (const [name, value = ''] of Object.entries(values)) {
    // With a variable that is too long, such as `CARD_IDS` of 4,000 cards, no worker process could start. The suite itself needs no
    // copy, because each process reads `.env`.
    const isTooLong = Buffer.byteLength(name + value) > maxVariableBytes;
    if (!isTooLong) process.env[name] ??= value;
  }
}

function readTarget(reader: VariableReader): Omit<Target, 'notices'> {
  const { isMock } = reader;
  const traffic = listTrafficSources(reader);
  const baseUrl = isMock ? undefined : readBaseUrl(reader, traffic);
  rejectLoggers(reader);
  const name = readName(reader) ?? nameTarget({ isMock, baseUrl, traffic });
  const sweep = readSweep(reader);
  const probing = readProbing(reader);
  const failOn = readFailOn(reader);
  if (traffic) rejectRequestSettings(reader, { ...sweep, ...probing, failOn });
  return {
    name,
    isMock,
    baseUrl,
    traffic,
    ...readIdentifiers(reader),
    profile: reader.choice('PROFILE'),
    ...readCredentials(reader, baseUrl),
    transport: readTransport(reader, baseUrl),
    timeoutMs: reader.number('REQUEST_TIMEOUT_MS'),
    maxBodyBytes: Math.floor(reader.number('MAX_BODY_MB') * 2 ** 20),
    maxRps: isMock && !reader.text('MAX_RPS') ? Number.POSITIVE_INFINITY : reader.number('MAX_RPS'),
    ...sweep,
    minCoverage: reader.number('MIN_COVERAGE'),
    reportsDir: reader.path('REPORTS_DIR', defaultReportsDir),
    ...probing,
    answersFile: locateAnswersFile(name, reader.env),
    failOn,
    extraLedger: readExtraLedger(reader),
    customTests: readCustomTests(reader),
  };
}

function readCredentials(
  reader: VariableReader,
  baseUrl: string | undefined,
): Pick<Target, 'headers' | 'traceHeaders' | 'token' | 'authModule'> {
  const { problems } = reader;
  const headers = parseHeaders(reader.text('API_HEADERS'), problems);
  const traceHeaders = reader.choice('REQUEST_ID');
  const token = baseUrl ? readToken(reader) : undefined;
  for (const header of listTraceHeaders(traceHeaders))
    problems.push(...findHeaderConflict(headers, header, 'REQUEST_ID'));
  if (token) problems.push(...findHeaderConflict(headers, 'authorization', 'TOKEN_URL'));
  if (hasUserInUrl(baseUrl)) {
    problems.push(...findHeaderConflict(headers, 'authorization', 'the user in BASE_URL'));
    if (token) problems.push('the user in BASE_URL and TOKEN_URL both set authorization: remove one of them');
  }
  return { headers, traceHeaders, token, authModule: reader.file('AUTH_MODULE') };
}

function findHeaderConflict(
  apiHeaders: Record<string, string>,
  lowerCaseName: string,
  otherSetting: string,
): string[] {
  const isInApiHeaders = Object.keys(apiHeaders).some((header) => header.toLowerCase() === lowerCaseName);
  return isInApiHeaders
    ? [`API_HEADERS and ${otherSetting} both set ${lowerCaseName}: remove one of them`]
    : [];
}

function readToken(reader: VariableReader): TokenSettings | undefined {
  const text = reader.text('TOKEN_URL');
  // `TRAFFIC` sends no requests, and needs no token.
  if (!text || reader.text('TRAFFIC')) return undefined;
  const url = readUrl(text, reader.problems, 'TOKEN_URL');
  const id = reader.text('CLIENT_ID');
  const secret = reader.text('CLIENT_SECRET');
  if (!id || !secret) reader.problems.push('TOKEN_URL needs CLIENT_ID and CLIENT_SECRET');
  if (!url || !id || !secret) return undefined;
  const scope = reader.text('TOKEN_SCOPE');
  return { url, id, secret, scope, proxy: readProxy(reader, url) };
}

const readTransport = (reader: VariableReader, baseUrl: string | undefined): Target['transport'] => ({
  proxy: readProxy(reader, baseUrl),
  clientCertificate: reader.file('CLIENT_CERT'),
  passphrase: reader.text('CLIENT_CERT_PASSPHRASE'),
  allowInvalidCertificates: reader.isSet('ALLOW_INVALID_CERTIFICATES'),
});

function readProxy({ env, problems }: VariableReader, baseUrl: string | undefined): string | undefined {
  const proxy = baseUrl ? selectProxy(new URL(baseUrl), env) : undefined;
  if (!proxy) return undefined;
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url && /^https?:$/.test(url.protocol) && hasDecodableCredentials(url)) return proxy;
  problems.push('HTTP_PROXY and HTTPS_PROXY must be http:// or https:// URLs, for example http://proxy:3128');
  return undefined;
}

function selectProxy(url: URL, env: Environment): string | undefined {
  // A variable in lower case takes precedence, as in curl.
  const readVariable = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = readVariable(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const isExcluded = splitList(readVariable('NO_PROXY') ?? '').some((noProxyEntry) =>
    coversUrl(noProxyEntry, url),
  );
  return isExcluded ? undefined : proxy;
}

function coversUrl(noProxyEntry: string, { protocol, hostname, port }: URL): boolean {
  // `.example.com` and `*.example.com` mean the same as `example.com`.
  const domain = noProxyEntry.toLowerCase().replace(/^\*?\./, '');
  // An entry may end with a port, even with the default port, which a URL leaves out.
  const hostWithPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const names = [hostname, hostWithPort];
  return domain === '*' || names.some((name) => name === domain || name.endsWith(`.${domain}`));
}

function readSweep(reader: VariableReader) {
  const { wordOrNumber, seed } = reader.wordOrNumber('SWEEP', ['all', 'off']);
  return {
    // `SWEEP=0` means `off`, too.
    sweep: wordOrNumber || ('off' as const),
    sweepSeed: seed,
    // Undefined if unset: the sweep then detects whether `offset` counts `records` or `pages`.
    sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
    resume: reader.isSet('RESUME'),
  };
}

/**
 * Reads the identifiers to look up, such as `CARD_IDS=a1,b2` or `CARD_IDS=@cards.txt`.
 * @returns `plainListVariables` names the variables with a plain list, such as `a1,b-2`, which needs no percent-encoding
 */
function readIdentifiers(
  reader: VariableReader,
): Pick<Target, 'identifiers' | 'identifierFiles' | 'plainListVariables'> {
  const identifiers: Record<string, readonly string[]> = {};
  const identifierFiles: Record<string, string> = {};
  const plainListVariables: string[] = [];
  for (const name of listIdentifierNames()) {
    const text = reader.env[name] ?? '';
    const isFile = text.startsWith('@');
    if (isFile) {
      // Only the sweep looks up the identifiers of a file, and reads the file itself.
      identifiers[name] = [];
      const file = readIdentifierFile(reader, name, text.slice(1));
      if (file) identifierFiles[name] = file;
    } else {
      const list = readIdentifierList(reader, name, text);
      identifiers[name] = list;
      // Reports split a plain list such as `a1,b-2` with `cut`. If the variable is unset, the list holds the identifiers of the mock.
      const listText = text === '' ? list.join() : text;
      if (isPlainList(listText)) plainListVariables.push(name);
    }
  }
  return { identifiers, identifierFiles, plainListVariables };
}

function readIdentifierFile(reader: VariableReader, name: string, fileName: string): string | undefined {
  const file = resolveCallerPath(fileName, reader.env);
  const reason = explainUnreadable(file) ?? explainBlankFile(file);
  if (!reason) return path.resolve(file);
  // Any other text may be an identifier, such as `john.doe`, which no message may show.
  const shownName = /\/|\.(txt|csv)$/.test(fileName) ? `${fileName}, ` : '';
  reader.problems.push(`${name} names ${shownName}${reason}`);
  return undefined;
}

/** Returns whether all characters between commas are unreserved, as in `a1,b-2` (RFC 3986, section 2.3). */
const isPlainList = (text: string): boolean => /^[\w.~-]+(,[\w.~-]+)*$/.test(text);

const maxBlankBytes = 4096;

function explainBlankFile(file: string): string | undefined {
  // A large file is not read here, because it is hardly blank.
  const isLarge = statSync(file).size > maxBlankBytes;
  const hasText = isLarge || readFileSync(file, 'utf8').trim() !== '';
  return hasText ? undefined : 'a file without an identifier: write one a line';
}

function readIdentifierList(
  { isMock, problems }: VariableReader,
  name: string,
  text: string,
): readonly string[] {
  if (text === '') return isMock ? (knownIdentifiers[name] ?? []) : [];
  const identifiers = splitList(text);
  if (identifiers.length === 0)
    problems.push(`${name} holds no identifier: write some, separated by commas, or unset it`);
  if (identifiers.some(isDotSegment))
    problems.push(`${name} holds \`.\` or \`..\`, which name another path in an address: remove it`);
  return identifiers;
}

function readExtraLedger(reader: VariableReader): Target['extraLedger'] {
  const file = reader.path('LEDGER_FILE', undefined);
  if (file === undefined) return undefined;
  const callerPath = formatCallerPath(file);
  const isOutsideCallerFolder = path.isAbsolute(callerPath);
  // An absolute path may contain the name of a person.
  const shownName = isOutsideCallerFolder ? path.basename(file) : callerPath;
  const unreadableReason = explainUnreadable(file);
  if (unreadableReason) {
    const variable = isGitHubAction(reader.env) ? 'LEDGER_FILE (input `ledger`)' : 'LEDGER_FILE';
    const folderText = isOutsideCallerFolder ? '' : ` in ${describeCallerFolder(reader.env)}`;
    reader.problems.push(
      `${variable} names ${shownName}${folderText}, ${unreadableReason}: \`npm run accept\` writes it, and it may be empty`,
    );
  }
  return { file, name: shownName };
}

function readCustomTests(reader: VariableReader): string | undefined {
  const fallback = isCalledFromOutside(reader.env) ? undefined : defaultCustomTests;
  const folder = reader.path('CUSTOM_TESTS', fallback);
  // The folder of the suite may be empty.
  const isNamed = folder !== undefined && folder !== fallback;
  if (isNamed) reader.problems.push(...findCustomTestProblems(folder));
  return folder;
}

/** Absolute path of the folder for custom tests in this project. */
export const defaultCustomTests = fileURLToPath(new URL('../../tests/custom', import.meta.url));

const maxNameLength = 200;

function readName(reader: VariableReader): string | undefined {
  const name = reader.text('TARGET_NAME');
  if (name === undefined) return undefined;
  // Control characters, such as line breaks, and invisible format characters.
  const hasUnprintable = /[\p{Cc}\p{Cf}]/u.test(name);
  if (name.length <= maxNameLength && !hasUnprintable) return name;
  reader.problems.push('TARGET_NAME must be one line of at most 200 printable characters');
  return undefined;
}

export const defaultReportsDir = 'reports/out';

const isMockName = (text: string): boolean => /^\s*mock\s*$/i.test(text);

function nameTarget({ isMock, baseUrl, traffic }: Pick<Target, 'isMock' | 'baseUrl' | 'traffic'>): string {
  if (isMock) return 'mock';
  if (baseUrl) return new URL(baseUrl).host;
  return traffic ? 'recorded traffic' : 'unknown';
}

function readBaseUrl(reader: VariableReader, traffic: string[] | undefined): string | undefined {
  const text = reader.text('BASE_URL');
  // `TRAFFIC` sends no requests, and needs no address.
  if (traffic && (!text || isMockName(text))) return undefined;
  if (!text) {
    // A pipeline without BASE_URL would judge the mock, and pass. Outside of CI, an unset BASE_URL means the mock, and this function
    // is not called.
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
 * Finds the path of an operation in `BASE_URL`, such as `/api/cards`. Also finds the parent folder of an operation, such as `/api`.
 * `BASE_URL` must contain neither of them, because the suite appends the whole path of the operation itself.
 */
function findOperationPath(baseUrl: string): string | undefined {
  const { pathname } = new URL(baseUrl);
  const paths = listOperationPaths().flatMap((operationPath) => [
    operationPath,
    path.posix.dirname(operationPath),
  ]);
  // With a slash at the end, so that `/cards` is not found in `/cards-old`.
  return paths.find((appendedPath) => `${pathname}/`.includes(`${appendedPath}/`));
}

/**
 * Reads `PROBES`. With `on`, the run sends probes. With `record`, the run sends probes and records the answers. With a number such
 * as `200`, the run sends probes and 200 random requests. With `200:42`, the number 42 is the seed of the random requests.
 */
function readProbing(
  reader: VariableReader,
): Pick<Target, 'probes' | 'fuzzRequests' | 'fuzzSeed' | 'recordsAnswers'> {
  const { wordOrNumber, seed } = reader.wordOrNumber('PROBES', ['off', 'on', 'record']);
  const defaultWord = reader.isMock ? 'on' : 'off';
  const setting = wordOrNumber ?? defaultWord;
  const randomRequestCount = typeof setting === 'number' ? setting : 0;
  const isOff = setting === 'off' || setting === 0;
  return {
    probes: !isOff,
    fuzzRequests: randomRequestCount,
    fuzzSeed: seed,
    recordsAnswers: setting === 'record',
  };
}

function locateAnswersFile(targetName: string, env: Environment): string {
  const safeName = targetName.replace(/[^\w.-]+/g, '-');
  return path.resolve(resolveCallerPath(path.join('observed', `${safeName}.json`), env));
}

function readFailOn(reader: VariableReader): Target['failOn'] {
  const allowedWords = variableTable.FAIL_ON.listOf;
  const userWords = splitList(reader.text('FAIL_ON') ?? '');
  const wrongWords = userWords.filter((word) => !(allowedWords as readonly string[]).includes(word));
  if (wrongWords.length > 0) reader.problems.push(describeWrongFailOn(wrongWords, allowedWords));
  const validWords = allowedWords.filter((allowedWord) => userWords.includes(allowedWord));
  const [setsUnjudged, removesUnjudged] = [validWords.includes('unjudged'), validWords.includes('-unjudged')];
  if (setsUnjudged && removesUnjudged)
    reader.problems.push('FAIL_ON has both unjudged and -unjudged: leave one of them out');
  // By default, the run fails if an operation is not judged (`unjudged`). The word `-unjudged` prevents this, and so does `TRAFFIC`,
  // because a recorded client may not use all operations.
  const judgesRecordings = reader.text('TRAFFIC') !== undefined;
  return setsUnjudged || removesUnjudged || judgesRecordings ? validWords : [...validWords, 'unjudged'];
}

function describeWrongFailOn(wrongWords: string[], allowedWords: readonly string[]): string {
  // Words such as `drfit`. A longer text, or one with digits, may be a secret.
  const isHarmlessWord = (word: string) => /^-?[a-z]{1,12}(-[a-z]{1,12}){0,2}$/.test(word);
  const wordsText = wrongWords.every(isHarmlessWord) ? `has ${wrongWords.join(', ')}, and ` : '';
  return `FAIL_ON ${wordsText}must be a list of: ${allowedWords.join(', ')}`;
}

function rejectLoggers({ env, problems }: VariableReader): void {
  // Matches `pw:api`, `https-proxy-agent` and `*`.
  const playwrightLoggers = /pw:|proxy-agent|\*/;
  const unsafeNames: string[] = [];
  if (playwrightLoggers.test(env.DEBUG ?? '')) unsafeNames.push('DEBUG');
  if (env.NODE_DEBUG) unsafeNames.push('NODE_DEBUG');
  for (const name of unsafeNames)
    problems.push(`${name} would print addresses and headers unredacted: unset it`);
}

function rejectRequestSettings(
  { problems }: VariableReader,
  { probes, failOn, sweep }: Pick<Target, 'probes' | 'failOn' | 'sweep'>,
): void {
  const namesThatNeedRequests: string[] = [];
  if (probes) namesThatNeedRequests.push('PROBES');
  if (failOn.includes('drift') || failOn.includes('server-errors')) namesThatNeedRequests.push('FAIL_ON');
  if (sweep !== 'off') namesThatNeedRequests.push('SWEEP');
  for (const name of namesThatNeedRequests)
    problems.push(
      `TRAFFIC judges recordings and sends nothing, but ${name} needs requests: unset one of them`,
    );
}

function listTrafficSources(reader: VariableReader): string[] | undefined {
  const text = reader.text('TRAFFIC');
  if (text === undefined) return undefined;
  const sources = splitList(text);
  if (sources.length === 0)
    reader.problems.push('TRAFFIC names no file: give files separated by commas, or -');
  reader.problems.push(...sources.flatMap((source) => findSourceProblems('TRAFFIC', source)));
  return sources.map(resolveCallerSource);
}

/**
 * Describes what is wrong with the path of a recording. The file may be missing, the path may be a folder, or a pattern may match
 * nothing. Returns an empty array if nothing is wrong.
 * @param settingName variable or option that names the recording: `TRAFFIC` or `--judge`
 * @param source path, pattern such as `*.har`, or `-` for standard input
 */
export function findSourceProblems(settingName: string, source: string): string[] {
  if (source === standardInput) return [];
  const file = resolveCallerSource(source);
  const stats = findStats(file);
  if (stats?.isDirectory())
    return [`${settingName} names ${source}, which is a folder: name its files, as ${source}/*.har`];
  if (stats) return [];
  const isPattern = hasMagic(file, { magicalBraces: true });
  if (!isPattern) return [`${settingName} names ${source}, ${explainUnreadable(file)}`];
  const hasNoMatch = globSync(file, { nodir: true }).length === 0;
  return hasNoMatch ? [`${settingName} names ${source}, which no file matches`] : [];
}
