import { startMock } from '../mock/server.ts';
import type { Contract, Operation, Parameter } from '../schemas/contract/contract.ts';
import { describeExpectation } from '../schemas/contract/expectations.ts';
import { compileValidator, isValid } from '../schemas/contract/validators.ts';
import { classify, type ResponseKind } from '../schemas/judge/classify.ts';
import type { HttpResponse } from '../schemas/judge/judged.ts';
import { explainUnwritable } from '../src/client/files.ts';
import { createClient, type Effort } from '../src/client/http-client.ts';
import { CredentialsError } from '../src/client/reasons.ts';
import type { Target } from '../src/client/target.ts';
import {
  type Argument,
  type Arguments,
  buildPath,
  configured,
  describeRequest,
  documentedValues,
} from '../src/operations/request.ts';
import { readRecorded } from '../src/questions/drift.ts';
import { collectSecrets, createMask, Secrets } from '../src/redact/secrets.ts';
import { describeUnset } from '../src/run/identifier-variables.ts';
import { describeUnwritable } from '../src/run/reports-dir.ts';
import type { Configuration } from '../src/run/target.ts';
import { isCi } from '../src/run/terminal.ts';
import { selectRequirements } from '../src/verdict/evaluate.ts';

/** Result of one check of `npm run doctor`, printed as one line. */
export interface DoctorCheck {
  /** `note` is worth a look; `wrong` makes the exit status 1, and its message says what to correct. */
  state: 'ok' | 'note' | 'wrong';
  /** First column of the line, such as `credentials`. */
  topic: string;
  message: string;
}

/** Creates a function that creates checks with a state: `wrong('target', 'it redirects')`. */
const createCheckFactory =
  (state: DoctorCheck['state']) =>
  (topic: string, message: string): DoctorCheck => ({ state, topic, message });
const [ok, note, wrong] = [createCheckFactory('ok'), createCheckFactory('note'), createCheckFactory('wrong')];

const signs = { ok: '✓', note: '!', wrong: '✗' };

/** Formats the checks, one line each: sign, topic, message. */
export const formatChecks = (checks: DoctorCheck[]): string =>
  checks.map(({ state, topic, message }) => `${signs[state]} ${topic.padEnd(13)} ${message}\n`).join('');

/** Checks configuration and contract and, if both are right, sends one request to the target. No message holds a secret. */
export async function examine(
  configuration: Configuration,
  contract: Contract | Error,
): Promise<DoctorCheck[]> {
  const { target } = configuration;
  const mask = createMask(target);
  const problems = [...configuration.problems, ...findFileProblems(target)];
  const checks = [
    ...problems.map((problem) => wrong('configuration', mask(problem))),
    ...target.notices.map((notice) => note('configuration', mask(notice))),
    ...(problems.length === 0 ? checkConfiguration(target, mask, contract) : []),
    checkContract(contract, target),
  ];
  if (problems.length > 0 || contract instanceof Error)
    return [...checks, note('target', 'nothing was sent: correct this first')];
  return [...checks, ...(await checkTarget(target, contract))];
}

/** Finds problems with two files of a run: a folder of reports that cannot be written, and unreadable recorded answers. */
function findFileProblems(target: Target): string[] {
  const unwritable = explainUnwritable(target.reportsDir);
  const folderProblems = unwritable ? [describeUnwritable(target.reportsDir, unwritable)] : [];
  try {
    if (!target.traffic) readRecorded(target.recordFile);
    return folderProblems;
  } catch (error) {
    return [...folderProblems, (error as Error).message];
  }
}

/** Summarizes a configuration without problems: target, rate, number of identifiers, and notes about them. Shows no secret. */
function checkConfiguration(
  target: Target,
  mask: (text: string) => string,
  contract: Contract | Error,
): DoctorCheck[] {
  const { name, baseUrl, isMock, profile, maxRps, identifiers, traffic } = target;
  const rate = Number.isFinite(maxRps) ? `at most ${maxRps} requests a second` : 'no limit of requests';
  const address = baseUrl && new URL(baseUrl).host !== name ? ` at ${new URL(baseUrl).host}` : '';
  const targetText = isMock
    ? 'the embedded mock, since BASE_URL names no target'
    : `target ${mask(name)}${address}`;
  const summary = ok('configuration', `${targetText}; profile ${profile}, ${rate}`);
  const setVariables = Object.entries(identifiers).filter(([, values]) => values.length > 0);
  const counts = setVariables.map(([variable, values]) => `${values.length} of ${variable}`).join(', ');
  const unsetMessage = describeUnset(target);
  if (traffic) return [summary];
  return [
    summary,
    ...(counts ? [ok('identifiers', counts)] : []),
    ...(unsetMessage ? [note('identifiers', unsetMessage)] : []),
    ...(contract instanceof Error ? [] : checkIdentifiers(target, contract)),
  ];
}

/** Returns a note for each parameter with configured identifiers that violate its schema. Shows only their number. */
function checkIdentifiers(target: Target, { operations }: Contract): DoctorCheck[] {
  const parameters = operations.flatMap((operation) => operation.parameters);
  return parameters.flatMap((parameter) => {
    const { 'x-identifiers': variable = '', schema } = parameter;
    const count = countInvalidIdentifiers(target, parameter);
    const message = `${count} of ${variable} not as the contract expects: ${describeExpectation(schema)}`;
    return count > 0 ? [note('identifiers', message)] : [];
  });
}

/** Counts the configured identifiers of a parameter that violate its schema. */
function countInvalidIdentifiers({ identifiers }: Target, parameter: Parameter): number {
  const { 'x-identifiers': variable = '', schema } = parameter;
  return (identifiers[variable] ?? []).filter((value) => !isValid(compileValidator(schema), value)).length;
}

/** Returns the title and size of the contract, or the mistake for which it could not be loaded. */
function checkContract(contract: Contract | Error, target: Target): DoctorCheck {
  if (contract instanceof Error) return wrong('contract', contract.message);
  const { title, operations } = contract;
  const requirements = selectRequirements(contract, target).length;
  return ok('contract', `${title}, ${operations.length} operations, ${requirements} requirements`);
}

/** Sends one request to the target, or to the embedded mock, and checks the response. Sends nothing with `TRAFFIC`. */
async function checkTarget(target: Target, contract: Contract): Promise<DoctorCheck[]> {
  if (target.traffic) return [ok('target', 'nothing is asked: TRAFFIC names recorded traffic to judge')];
  const request = findSimplestRequest(target, contract);
  if (!request) return [wrong('target', 'not asked: no request can be made without identifiers; set them')];
  const secrets = new Secrets(collectSecrets(target));
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    return await sendRequest(target, target.baseUrl ?? mock?.url ?? '', secrets, request);
  } catch (error) {
    if (error instanceof CredentialsError) return [wrong('credentials', secrets.mask(error.message))];
    throw error;
  } finally {
    await mock?.close();
  }
}

/** Request to send: an operation with its arguments. */
interface Request {
  operation: Operation;
  parameters: Arguments;
}

/** Sends a request. Returns the checks of the route and of the response and, with `AUTH_MODULE`, of the clock. */
async function sendRequest(
  target: Target,
  baseUrl: string,
  { mask, add }: Secrets,
  { operation, parameters }: Request,
): Promise<DoctorCheck[]> {
  const client = await createClient(target, baseUrl, add);
  const route = checkRoute(target, mask);
  const response = await client.get(buildPath(operation, parameters)).finally(client.close);
  if ('blocked' in response)
    return [...route, wrong(response.credentials ? 'credentials' : 'target', response.blocked)];
  const exchange = formatFullRequest(baseUrl, mask, describeRequest(operation, parameters).exchange);
  return [
    ...route,
    ...checkResponse(operation, exchange, response, listCredentials(target)),
    ...(target.authModule ? checkClock(response.headers, Date.now()) : []),
  ];
}

/** Removes the query of a request line and, except in CI, inserts the base address: `GET https://host/path`. */
function formatFullRequest(baseUrl: string, mask: (text: string) => string, exchange: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const [requestText = ''] = exchange.split('?');
  return isCi() ? requestText : requestText.replace(' ', ` ${mask(origin + pathname).replace(/\/$/, '')}`);
}

/** Describes the connection to the target: TLS or plain HTTP, proxy, and a note if any certificate is accepted. */
function checkRoute({ transport, baseUrl }: Target, mask: (text: string) => string): DoctorCheck[] {
  const { proxy, allowInvalidCertificates } = transport;
  const isSecure = baseUrl?.startsWith('https:') ?? false;
  const proxyText = proxy ? `through the proxy ${mask(new URL(proxy).host)}` : 'without a proxy';
  const certificateWarning = 'ALLOW_INVALID_CERTIFICATES accepts any certificate: the target may be another';
  return [
    ok('route', `${isSecure ? 'TLS' : 'plain HTTP'}, ${proxyText}`),
    ...(isSecure && allowInvalidCertificates ? [note('route', certificateWarning)] : []),
  ];
}

/** Lists the configured ways to authenticate in one text, such as `API_HEADERS (2), CLIENT_CERT`; empty if there are none. */
function listCredentials({ headers, token, authModule, transport, baseUrl }: Target): string {
  const count = Object.keys(headers).length;
  const methods = [
    count > 0 && `API_HEADERS (${count})`,
    token && 'TOKEN_URL',
    authModule && 'AUTH_MODULE',
    transport.clientCertificate && 'CLIENT_CERT',
    baseUrl && new URL(baseUrl).username && 'the user in BASE_URL',
  ];
  return methods.filter(Boolean).join(', ');
}

/** Finds the request with the fewest parameters; undefined if each operation needs identifiers that are not configured. */
function findSimplestRequest(target: Target, { operations }: Contract): Request | undefined {
  const requests = operations.flatMap((operation) => buildRequest(target, operation));
  const countParameters = ({ parameters }: Request) => Object.keys(parameters).length;
  return requests.toSorted((first, second) => countParameters(first) - countParameters(second))[0];
}

/** Builds a request with only the required parameters. Empty if there is no value for one of them. */
function buildRequest(target: Target, operation: Operation): Request[] {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const argumentPairs = required.flatMap(
    ({ name, schema, 'x-identifiers': variable = '' }): [string, Argument][] => {
      const [value] = schema.enum ? documentedValues(operation, name) : configured(target, variable);
      return value ? [[name, value]] : [];
    },
  );
  return argumentPairs.length === required.length
    ? [{ operation, parameters: Object.fromEntries(argumentPairs) }]
    : [];
}

/** Advice by the kind of a response that shows nothing about address or credentials. */
const adviceByKind: Partial<Record<ResponseKind, string>> = {
  proxy: 'check the user and password of the proxy',
  'rate limit': 'too many requests; wait, and lower MAX_RPS',
  overload: 'it is overloaded or out of order; try again later',
  'server error': 'it is out of order; ask those who run it',
};

/**
 * Checks what a response shows about target and credentials.
 * @param exchange request line to show, such as `GET https://host/path`
 * @param credentials result of `listCredentials`
 */
function checkResponse(
  operation: Operation,
  exchange: string,
  response: HttpResponse & Effort,
  credentials: string,
): DoctorCheck[] {
  const { status, durationMs, headers } = response;
  const { 'content-type': contentType = '' } = headers;
  const { kind, hasEnvelope, hasRecord } = classify(operation, response);
  const reason = adviceByKind[kind];
  if (reason) return [wrong('target', `answered ${exchange} with HTTP ${status}: ${reason}`)];
  const answeredCheck = ok('target', `answered ${exchange} with HTTP ${status} in ${durationMs} ms`);
  const advice = credentials
    ? `check ${credentials}`
    : 'none are configured; set API_HEADERS, TOKEN_URL or AUTH_MODULE';
  if (kind === 'unauthorized')
    return [answeredCheck, wrong('credentials', `rejected with HTTP ${status}: ${advice}`)];
  const acceptedMessage = credentials ? `accepted: ${credentials}` : 'none are configured, or needed';
  if (kind === 'success' && hasEnvelope) return [answeredCheck, ok('credentials', acceptedMessage)];
  return [answeredCheck, checkUnexpectedResponse(status, hasRecord, /^text\/html\b/i.test(contentType))];
}

/** Checks a response that is neither a documented success nor a rejection: a redirect, other records, or not this API. */
function checkUnexpectedResponse(status: number, hasRecord: boolean, isPage: boolean): DoctorCheck {
  const check = 'BASE_URL and the credentials';
  if (status >= 300 && status < 400)
    return wrong('target', `it redirects, and no redirect is followed: check ${check}`);
  if (hasRecord) return note('target', 'the response has records, but not as documented: run the suite');
  const responseText = isPage ? 'a web page, perhaps a login,' : 'a response';
  return wrong('target', `${responseText} that does not look like the API: check the path of ${check}`);
}

/** Maximum clock difference in milliseconds that signatures usually allow. */
const tolerableSkewMs = 60_000;

/**
 * Compares the clock of this machine with that of the target (`Date`, RFC 9110, section 6.6.1), because a signature may contain
 * the time. Empty if they agree, or if the response has no valid `Date`.
 * @param now milliseconds since 1970
 */
export function checkClock({ date = '' }: HttpResponse['headers'], now: number): DoctorCheck[] {
  // NaN without a valid `Date`, for which the comparison is false.
  const skewMs = Math.abs(now - Date.parse(date));
  const isWrong = skewMs > tolerableSkewMs;
  if (!isWrong) return [];
  const skewText = `${Math.round(skewMs / 1000)} s ${Date.parse(date) < now ? 'ahead of' : 'behind'} that of the target`;
  const message = `${skewText}: a signature that holds the time is rejected; set the clock of this machine`;
  return [wrong('clock', message)];
}
