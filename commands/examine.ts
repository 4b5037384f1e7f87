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

/** Result of one check: in order (`ok`), worth a look (`note`), or wrong with the correction (`wrong`, exit status 1). */
export interface DoctorCheck {
  state: 'ok' | 'note' | 'wrong';
  topic: string;
  message: string;
}

const createCheckFactory =
  (state: DoctorCheck['state']) =>
  (topic: string, message: string): DoctorCheck => ({ state, topic, message });
const [ok, note, wrong] = [createCheckFactory('ok'), createCheckFactory('note'), createCheckFactory('wrong')];

const signs = { ok: '✓', note: '!', wrong: '✗' };

/** Formats the checks, one line each. */
export const formatChecks = (checks: DoctorCheck[]): string =>
  checks.map(({ state, topic, message }) => `${signs[state]} ${topic.padEnd(13)} ${message}\n`).join('');

/** Checks configuration and contract and, if both are right, sends one request. The result contains no secret. Never throws. */
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

/** Finds faults of the files that a run reads or writes, besides its variables. */
function findFileProblems(target: Target): string[] {
  const unwritable = explainUnwritable(target.reportsDir);
  const listedProblems = unwritable ? [describeUnwritable(target.reportsDir, unwritable)] : [];
  try {
    if (!target.traffic) readRecorded(target.recordFile);
    return listedProblems;
  } catch (error) {
    return [...listedProblems, (error as Error).message];
  }
}

/** Checks the configuration. Shows no secret value. */
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

/** Counts configured identifiers that break the schema of their parameter. Shows no identifier. */
function checkIdentifiers(target: Target, { operations }: Contract): DoctorCheck[] {
  const parameters = operations.flatMap((operation) => operation.parameters);
  return parameters.flatMap((parameter) => {
    const { 'x-identifiers': variable = '', schema } = parameter;
    const count = countInvalidIdentifiers(target, parameter);
    const says = `${count} of ${variable} not as the contract expects: ${describeExpectation(schema)}`;
    return count > 0 ? [note('identifiers', says)] : [];
  });
}

function countInvalidIdentifiers({ identifiers }: Target, parameter: Parameter): number {
  const { 'x-identifiers': variable = '', schema } = parameter;
  return (identifiers[variable] ?? []).filter((value) => !isValid(compileValidator(schema), value)).length;
}

/** Checks the contract: its size, or the first mistake in it. */
function checkContract(contract: Contract | Error, target: Target): DoctorCheck {
  if (contract instanceof Error) return wrong('contract', contract.message);
  const { title, operations } = contract;
  const requirements = selectRequirements(contract, target).length;
  return ok('contract', `${title}, ${operations.length} operations, ${requirements} requirements`);
}

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

interface Request {
  operation: Operation;
  parameters: Arguments;
}

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

/** Inserts the base address into a request line, without a query. Only on a local terminal, not in CI. */
function formatFullRequest(baseUrl: string, mask: (text: string) => string, exchange: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const [requestText = ''] = exchange.split('?');
  return isCi() ? requestText : requestText.replace(' ', ` ${mask(origin + pathname).replace(/\/$/, '')}`);
}

/** Describes the route to the target: TLS and proxy. */
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

/** Lists the configured ways to authenticate; empty if there are none. */
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

/** Finds the request with the fewest parameters. */
function findSimplestRequest(target: Target, { operations }: Contract): Request | undefined {
  const requests = operations.flatMap((operation) => buildRequest(target, operation));
  const countParameters = ({ parameters }: Request) => Object.keys(parameters).length;
  return requests.toSorted((first, second) => countParameters(first) - countParameters(second))[0];
}

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

const adviceByKind: Partial<Record<ResponseKind, string>> = {
  proxy: 'check the user and password of the proxy',
  'rate limit': 'too many requests; wait, and lower MAX_RPS',
  overload: 'it is overloaded or out of order; try again later',
  'server error': 'it is out of order; ask those who run it',
};

/** Checks a response for target and credentials. @param credentials configured ways to authenticate, or an empty string */
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
 * Checks the clock of this machine against that of the target (`Date`, RFC 9110, section 6.6.1), because a signature may contain
 * the time.
 */
export function checkClock({ date = '' }: HttpResponse['headers'], now: number): DoctorCheck[] {
  const skewMs = Math.abs(now - Date.parse(date));
  if (!(skewMs > tolerableSkewMs)) return [];
  const skewText = `${Math.round(skewMs / 1000)} s ${Date.parse(date) < now ? 'ahead of' : 'behind'} that of the target`;
  const message = `${skewText}: a signature that holds the time is rejected; set the clock of this machine`;
  return [wrong('clock', message)];
}
