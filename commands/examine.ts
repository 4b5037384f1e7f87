import { startMock } from '../mock/server.ts';
import type { Contract, Operation } from '../schemas/contract/contract.ts';
import { describeExpectation } from '../schemas/contract/expectations.ts';
import { compileValidator, isValid } from '../schemas/contract/validators.ts';
import { classifyResponse, isAccessDenied, type ResponseKind } from '../schemas/judge/classify.ts';
import type { HttpResponse } from '../schemas/judge/judged.ts';
import { explainUnwritable } from '../src/client/files.ts';
import { createClient, type RequestOutcome, type RequestStats } from '../src/client/http-client.ts';
import { CredentialsError } from '../src/client/reasons.ts';
import { hasUserInUrl, type Target } from '../src/client/target.ts';
import { listApiCheckOperations } from '../src/operations/operation-file.ts';
import { type Arguments, buildPath, describeRequest } from '../src/operations/request.ts';
import { buildRequiredArguments } from '../src/operations/session.ts';
import { readRecordedAnswers } from '../src/questions/drift.ts';
import { collectSecrets, createMask, Secrets } from '../src/redact/secrets.ts';
import { describeUnsetIdentifiers } from '../src/run/identifier-variables.ts';
import { describeUnwritable } from '../src/run/reports-dir.ts';
import type { Configuration } from '../src/run/target.ts';
import { isCi } from '../src/run/terminal.ts';
import { selectRequirements } from '../src/verdict/evaluate.ts';

export interface DoctorCheck {
  state: 'ok' | 'note' | 'wrong';
  topic: string;
  message: string;
}

const ok = (topic: string, message: string): DoctorCheck => ({ state: 'ok', topic, message });
const note = (topic: string, message: string): DoctorCheck => ({ state: 'note', topic, message });
const wrong = (topic: string, message: string): DoctorCheck => ({ state: 'wrong', topic, message });

const checkMarks = { ok: '✓', note: '!', wrong: '✗' };

/** Formats each check as a line, such as "✗ credentials   access denied with HTTP 401: …". */
export const formatChecks = (checks: DoctorCheck[]): string =>
  checks.map(({ state, topic, message }) => `${checkMarks[state]} ${topic.padEnd(13)} ${message}\n`).join('');

/**
 * Checks the configuration, the contract and the target.
 * Sends at most one GET request to the target, apart from retries.
 * If the configuration or the contract has an error, sends no request.
 * @param contractOrError an `Error` if the contract could not be read
 */
export async function examine(
  configuration: Configuration,
  contractOrError: Contract | Error,
): Promise<DoctorCheck[]> {
  const { target } = configuration;
  const mask = createMask(target);
  const problems = listConfigurationProblems(configuration);
  const isConfigured = problems.length === 0;
  // A misspelt name may be both a problem and a notice.
  const notices = target.notices.filter((notice) => !problems.includes(notice));
  const checks = [
    ...problems.map((problem) => wrong('configuration', mask(problem))),
    ...notices.map((notice) => note('configuration', mask(notice))),
    ...(isConfigured ? describeConfiguration(target, mask, contractOrError) : []),
    checkContract(contractOrError, target),
  ];
  if (!isConfigured || contractOrError instanceof Error)
    return [...checks, note('target', 'nothing was sent: correct this first')];
  return [...checks, ...(await examineTarget(target, contractOrError))];
}

function listConfigurationProblems({ target, problems }: Configuration): string[] {
  const unwritableReason = explainUnwritable(target.reportsDir);
  const folderProblems = unwritableReason ? [describeUnwritable(target.reportsDir, unwritableReason)] : [];
  return [...problems, ...folderProblems, ...explainUnreadableAnswersFile(target)];
}

function explainUnreadableAnswersFile({ answersFile, traffic }: Target): string[] {
  // A run that judges recorded traffic does not read the answers of earlier probes.
  if (traffic) return [];
  try {
    readRecordedAnswers(answersFile);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function describeConfiguration(
  target: Target,
  mask: (text: string) => string,
  contract: Contract | Error,
): DoctorCheck[] {
  const { profile, maxRps, traffic } = target;
  const rate = Number.isFinite(maxRps) ? `at most ${maxRps} requests a second` : 'no limit of requests';
  const summary = ok('configuration', `${describeTarget(target, mask)}; profile ${profile}, ${rate}`);
  // A run that judges recordings sends no request, so it needs no identifiers.
  return traffic ? [summary] : [summary, ...describeIdentifiers(target, contract)];
}

function describeIdentifiers(target: Target, contract: Contract | Error): DoctorCheck[] {
  const setVariables = Object.entries(target.identifiers).filter(([, values]) => values.length > 0);
  const counts = setVariables.map(([variable, values]) => `${variable} (${values.length})`).join(', ');
  const unsetMessage = describeUnsetIdentifiers(target);
  const checks: DoctorCheck[] = [];
  if (counts) checks.push(ok('identifiers', counts));
  if (unsetMessage) checks.push(note('identifiers', unsetMessage));
  if (!(contract instanceof Error)) checks.push(...noteInvalidIdentifiers(target, contract));
  return checks;
}

function describeTarget({ name, baseUrl, isMock }: Target, mask: (text: string) => string): string {
  if (isMock) return 'the embedded mock, since BASE_URL names no target';
  const host = baseUrl ? new URL(baseUrl).host : name;
  return host === name ? `target ${mask(name)}` : `target ${mask(name)} at ${host}`;
}

function noteInvalidIdentifiers(target: Target, { operations }: Contract): DoctorCheck[] {
  const notes: DoctorCheck[] = [];
  const allParameters = operations.flatMap(({ parameters }) => parameters);
  for (const { 'x-identifiers': variable = '', schema } of allParameters) {
    const identifiers = target.identifiers[variable] ?? [];
    const validate = compileValidator(schema);
    const invalidCount = identifiers.filter((identifier) => !isValid(validate, identifier)).length;
    if (invalidCount === 0) continue;
    const expectation = describeExpectation(schema);
    notes.push(
      note('identifiers', `${invalidCount} of ${variable} not as the contract expects: ${expectation}`),
    );
  }
  return notes;
}

function checkContract(contract: Contract | Error, target: Target): DoctorCheck {
  if (contract instanceof Error) return wrong('contract', contract.message);
  const { title, operations } = contract;
  const requirements = selectRequirements(contract, target).length;
  return ok('contract', `${title}, ${operations.length} operations, ${requirements} requirements`);
}

async function examineTarget(target: Target, contract: Contract): Promise<DoctorCheck[]> {
  if (target.traffic) return [ok('target', 'not requested, because TRAFFIC names recorded traffic to judge')];
  const [operation] = listApiCheckOperations(contract);
  if (!operation) return [wrong('target', 'not requested, because every request needs an identifier')];
  const request = { operation, parameters: buildRequiredArguments(operation) };
  if (target.baseUrl) return sendAndCheck(target, target.baseUrl, request);
  const mock = await startMock();
  return sendAndCheck(target, mock.url, request).finally(mock.close);
}

interface Request {
  operation: Operation;
  parameters: Arguments;
}

async function sendAndCheck(target: Target, baseUrl: string, request: Request): Promise<DoctorCheck[]> {
  const secrets = new Secrets(collectSecrets(target));
  try {
    const response = await sendSimplestRequest(target, baseUrl, secrets, request);
    return [
      ...describeRoute(target, secrets.mask),
      ...checkOutcome(target, baseUrl, secrets, request, response),
    ];
  } catch (error) {
    if (error instanceof CredentialsError) return [wrong('credentials', secrets.mask(error.message))];
    throw error;
  }
}

async function sendSimplestRequest(
  target: Target,
  baseUrl: string,
  secrets: Secrets,
  { operation, parameters }: Request,
): Promise<RequestOutcome> {
  const client = await createClient(target, baseUrl, secrets.add);
  try {
    return await client.get(buildPath(operation, parameters));
  } finally {
    await client.close();
  }
}

function checkOutcome(
  target: Target,
  baseUrl: string,
  secrets: Secrets,
  { operation, parameters }: Request,
  outcome: RequestOutcome,
): DoctorCheck[] {
  if ('blocked' in outcome)
    return [wrong(outcome.lacksCredentials ? 'credentials' : 'target', outcome.blocked)];
  const { requestText: methodAndPath } = describeRequest(operation, parameters);
  const requestLine = formatRequestLine(baseUrl, secrets.mask, methodAndPath);
  const responseChecks = checkResponse(operation, requestLine, outcome, formatCredentials(target));
  // `AUTH_MODULE` may sign the time, which the target then compares with its own clock.
  const clockChecks = target.authModule ? checkClock(outcome.headers, Date.now()) : [];
  return [...responseChecks, ...clockChecks];
}

/** Formats a request without its query: `GET https://host/path` for `GET /path?limit=1`. In CI, the text is only `GET /path`. */
function formatRequestLine(
  baseUrl: string,
  maskSecrets: (text: string) => string,
  methodAndPath: string,
): string {
  const [lineWithoutQuery = ''] = methodAndPath.split('?');
  // Others can read the log of a pipeline, so it shows no host.
  if (isCi()) return lineWithoutQuery;
  const { origin, pathname } = new URL(baseUrl);
  const baseAddress = maskSecrets(origin + pathname).replace(/\/$/, '');
  return lineWithoutQuery.replace('GET ', `GET ${baseAddress}`);
}

function describeRoute({ transport, baseUrl }: Target, mask: (text: string) => string): DoctorCheck[] {
  const { proxy, allowInvalidCertificates } = transport;
  const isSecure = baseUrl?.startsWith('https:') ?? false;
  const proxyText = proxy ? `through the proxy ${mask(new URL(proxy).host)}` : 'without a proxy';
  const certificateWarning = 'ALLOW_INVALID_CERTIFICATES accepts any certificate: the target may be another';
  const route = ok('route', `${isSecure ? 'TLS' : 'plain HTTP'}, ${proxyText}`);
  return isSecure && allowInvalidCertificates ? [route, note('route', certificateWarning)] : [route];
}

function formatCredentials({ headers, token, authModule, transport, baseUrl }: Target): string {
  const count = Object.keys(headers).length;
  const methods = [
    count > 0 && `API_HEADERS (${count})`,
    token && 'TOKEN_URL',
    authModule && 'AUTH_MODULE',
    transport.clientCertificate && 'CLIENT_CERT',
    hasUserInUrl(baseUrl) && 'the user in BASE_URL',
  ];
  return methods.filter(Boolean).join(', ');
}

const adviceByKind: Partial<Record<ResponseKind, string>> = {
  proxy: 'check the user and password of the proxy',
  'rate limit': 'too many requests; wait, and lower MAX_RPS',
  overload: 'it may be overloaded or down; try again later',
  'server error': 'it fails; ask the people who run it',
};

function checkResponse(
  operation: Operation,
  requestLine: string,
  response: HttpResponse & RequestStats,
  credentials: string,
): DoctorCheck[] {
  const { status, durationMs } = response;
  const { kind, hasEnvelope, hasRecord } = classifyResponse(operation, response);
  const responseText = `responded to ${requestLine} with HTTP ${status}`;
  const advice = adviceByKind[kind];
  if (advice) return [wrong('target', `${responseText}: ${advice}`)];
  const responseCheck = ok('target', `${responseText} in ${durationMs} ms`);
  if (isAccessDenied(kind)) return [responseCheck, describeRejectedCredentials(status, credentials)];
  // A login page of a proxy may have the HTTP status of a success, but lacks the envelope (`code`, `data`).
  const isSuccessOfApi = kind === 'success' && hasEnvelope;
  if (isSuccessOfApi) return [responseCheck, describeAcceptedCredentials(credentials)];
  return [responseCheck, explainUnexpectedResponse(response, hasRecord)];
}

function describeRejectedCredentials(status: number, credentialNames: string): DoctorCheck {
  const advice = credentialNames
    ? `check ${credentialNames}`
    : 'none configured; set API_HEADERS, TOKEN_URL or AUTH_MODULE';
  return wrong('credentials', `access denied with HTTP ${status}: ${advice}`);
}

const describeAcceptedCredentials = (credentialNames: string): DoctorCheck =>
  ok('credentials', credentialNames ? `accepted: ${credentialNames}` : 'none configured, none needed');

function explainUnexpectedResponse({ status, headers }: HttpResponse, hasRecord: boolean): DoctorCheck {
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect)
    return wrong('target', 'it redirects, and no redirect is followed: check BASE_URL and the credentials');
  if (hasRecord) return note('target', 'the response has records, but not as documented: run the suite');
  const isWebPage = /^text\/html\b/i.test(headers['content-type'] ?? '');
  const responseText = isWebPage ? 'a web page, perhaps a login,' : 'a response';
  const advice = 'check the path of BASE_URL and the credentials';
  return wrong('target', `${responseText} that does not look like the API: ${advice}`);
}

/** Clock difference that servers usually tolerate when they check a signed time. */
const tolerableSkewMs = 60_000;

/**
 * Checks whether this machine's clock differs by more than a minute from the clock of the target.
 * The time of the target is the header `Date` (RFC 9110, 6.6.1) plus the header `Age`.
 * `Age` is the number of seconds that have passed since `Date`. Only a response from a cache has this header (RFC 9111, 5.1).
 * @param nowMs time of this machine, in milliseconds since 1970
 * @returns an empty list if the clocks agree, if `Date` is missing, or if one of the two headers is invalid
 */
export function checkClock({ date = '', age = '0' }: HttpResponse['headers'], nowMs: number): DoctorCheck[] {
  const targetMs = Date.parse(date) + Number(age) * 1000;
  const hasValidDate = !Number.isNaN(targetMs);
  const skewMs = Math.abs(nowMs - targetMs);
  if (!hasValidDate || skewMs <= tolerableSkewMs) return [];
  const direction = targetMs < nowMs ? 'ahead of' : 'behind';
  const skewText = `${Math.round(skewMs / 1000)} s ${direction} that of the target`;
  const advice = 'the target may reject a signature that contains the time; set the clock of this machine';
  return [wrong('clock', `${skewText}: ${advice}`)];
}
