import { startMock } from '../mock/server.ts';
import type { Contract, Operation, Parameter } from '../schemas/contract/contract.ts';
import { describeExpectation } from '../schemas/contract/expectations.ts';
import { isValid, validatorOf } from '../schemas/contract/validators.ts';
import { classify, type ResponseKind } from '../schemas/judge/classify.ts';
import type { HttpResponse } from '../schemas/judge/judged.ts';
import { unwritableReason } from '../src/client/files.ts';
import { createClient, type Effort } from '../src/client/http-client.ts';
import { CredentialsError } from '../src/client/reasons.ts';
import type { Target } from '../src/client/target.ts';
import {
  type Argument,
  type Arguments,
  configured,
  documentedValues,
  pathOf,
  requestOf,
} from '../src/operations/request.ts';
import { readRecorded } from '../src/questions/drift.ts';
import { maskOf, Secrets, secretsOf } from '../src/redact/secrets.ts';
import { unsetSentence } from '../src/run/identifier-variables.ts';
import { unwritableSentence } from '../src/run/reports-dir.ts';
import type { Configuration } from '../src/run/target.ts';
import { isCi } from '../src/run/terminal.ts';
import { requirementsFor } from '../src/verdict/evaluate.ts';

/** What one line of the doctor says: what is in order; what is worth a look; what is wrong, with what to do, and makes its exit status 1. */
export interface Check {
  state: 'ok' | 'note' | 'wrong';
  about: string;
  says: string;
}

const checkOf =
  (state: Check['state']) =>
  (about: string, says: string): Check => ({ state, about, says });
const [ok, note, wrong] = [checkOf('ok'), checkOf('note'), checkOf('wrong')];

const signs = { ok: '✓', note: '!', wrong: '✗' };

/** One line for each check. */
export const linesOf = (checks: Check[]): string =>
  checks.map(({ state, about, says }) => `${signs[state]} ${about.padEnd(13)} ${says}\n`).join('');

/**
 * Looks at configuration and contract and, if both are right, sends one request. Nothing that is returned holds a
 * secret. Never throws.
 */
export async function examine(read: Configuration, contract: Contract | Error): Promise<Check[]> {
  const { target } = read;
  const mask = maskOf(target);
  const problems = [...read.problems, ...fileProblems(target)];
  const checks = [
    ...problems.map((problem) => wrong('configuration', mask(problem))),
    ...target.notices.map((notice) => note('configuration', mask(notice))),
    ...(problems.length === 0 ? configurationChecks(target, mask, contract) : []),
    contractCheck(contract, target),
  ];
  if (problems.length > 0 || contract instanceof Error)
    return [...checks, note('target', 'nothing was sent: correct this first')];
  return [...checks, ...(await targetChecks(target, contract))];
}

/** What is wrong with files that a run reads or writes beside its variables. */
function fileProblems(target: Target): string[] {
  const unwritable = unwritableReason(target.reportsDir);
  const own = unwritable ? [unwritableSentence(target.reportsDir, unwritable)] : [];
  try {
    if (!target.traffic) readRecorded(target.recordFile);
    return own;
  } catch (error) {
    return [...own, (error as Error).message];
  }
}

/** What is configured, without any value that is a secret. */
function configurationChecks(
  target: Target,
  mask: (text: string) => string,
  contract: Contract | Error,
): Check[] {
  const { name, baseUrl, isMock, profile, maxRps, identifiers, traffic } = target;
  const rate = Number.isFinite(maxRps) ? `at most ${maxRps} requests a second` : 'no limit of requests';
  const address = baseUrl && new URL(baseUrl).host !== name ? ` at ${new URL(baseUrl).host}` : '';
  const whom = isMock
    ? 'the embedded mock, since BASE_URL names no target'
    : `target ${mask(name)}${address}`;
  const summary = ok('configuration', `${whom}; profile ${profile}, ${rate}`);
  const set = Object.entries(identifiers).filter(([, values]) => values.length > 0);
  const counts = set.map(([variable, values]) => `${values.length} of ${variable}`).join(', ');
  const unset = unsetSentence(target);
  if (traffic) return [summary];
  return [
    summary,
    ...(counts ? [ok('identifiers', counts)] : []),
    ...(unset ? [note('identifiers', unset)] : []),
    ...(contract instanceof Error ? [] : identifierChecks(target, contract)),
  ];
}

/** Counts configured identifiers that break the schema of their parameter, without their values. */
function identifierChecks(target: Target, { operations }: Contract): Check[] {
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
  return (identifiers[variable] ?? []).filter((value) => !isValid(validatorOf(schema), value)).length;
}

/** What the contract demands, or the first mistake in it. */
function contractCheck(contract: Contract | Error, target: Target): Check {
  if (contract instanceof Error) return wrong('contract', contract.message);
  const { title, operations } = contract;
  const requirements = requirementsFor(contract, target).length;
  return ok('contract', `${title}, ${operations.length} operations, ${requirements} requirements`);
}

async function targetChecks(target: Target, contract: Contract): Promise<Check[]> {
  if (target.traffic) return [ok('target', 'nothing is asked: TRAFFIC names recorded traffic to judge')];
  const request = simplestRequest(target, contract);
  if (!request) return [wrong('target', 'not asked: no request can be made without identifiers; set them')];
  const secrets = new Secrets(secretsOf(target));
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    return await askedChecks(target, target.baseUrl ?? mock?.url ?? '', secrets, request);
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

async function askedChecks(
  target: Target,
  baseUrl: string,
  { mask, add }: Secrets,
  { operation, parameters }: Request,
): Promise<Check[]> {
  const client = await createClient(target, baseUrl, add);
  const route = routeChecks(target, mask);
  const response = await client.get(pathOf(operation, parameters)).finally(client.close);
  if ('blocked' in response)
    return [...route, wrong(response.credentials ? 'credentials' : 'target', response.blocked)];
  const exchange = addressedTo(baseUrl, mask, requestOf(operation, parameters).exchange);
  return [
    ...route,
    ...responseChecks(operation, exchange, response, credentialsOf(target)),
    ...(target.authModule ? clockChecks(response.headers, Date.now()) : []),
  ];
}

/** A request with the whole of its address, without a query, on one's own terminal. */
function addressedTo(baseUrl: string, mask: (text: string) => string, exchange: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const [asked = ''] = exchange.split('?');
  return isCi() ? asked : asked.replace(' ', ` ${mask(origin + pathname).replace(/\/$/, '')}`);
}

/** How requests reach the target. */
function routeChecks({ transport, baseUrl }: Target, mask: (text: string) => string): Check[] {
  const { proxy, allowInvalidCertificates } = transport;
  const isSecure = baseUrl?.startsWith('https:') ?? false;
  const way = proxy ? `through the proxy ${mask(new URL(proxy).host)}` : 'without a proxy';
  const any = 'ALLOW_INVALID_CERTIFICATES accepts any certificate: the target may be another';
  return [
    ok('route', `${isSecure ? 'TLS' : 'plain HTTP'}, ${way}`),
    ...(isSecure && allowInvalidCertificates ? [note('route', any)] : []),
  ];
}

/** By what requests authenticate; empty where nothing is configured. */
function credentialsOf({ headers, token, authModule, transport, baseUrl }: Target): string {
  const count = Object.keys(headers).length;
  const set = [
    count > 0 && `API_HEADERS (${count})`,
    token && 'TOKEN_URL',
    authModule && 'AUTH_MODULE',
    transport.clientCertificate && 'CLIENT_CERT',
    baseUrl && new URL(baseUrl).username && 'the user in BASE_URL',
  ];
  return set.filter(Boolean).join(', ');
}

/** The request with the fewest parameters. */
function simplestRequest(target: Target, { operations }: Contract): Request | undefined {
  const requests = operations.flatMap((operation) => requestFor(target, operation));
  const count = ({ parameters }: Request) => Object.keys(parameters).length;
  return requests.toSorted((one, other) => count(one) - count(other))[0];
}

function requestFor(target: Target, operation: Operation): Request[] {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const known = required.flatMap(({ name, schema, 'x-identifiers': variable = '' }): [string, Argument][] => {
    const [value] = schema.enum ? documentedValues(operation, name) : configured(target, variable);
    return value ? [[name, value]] : [];
  });
  return known.length === required.length ? [{ operation, parameters: Object.fromEntries(known) }] : [];
}

const unanswered: Partial<Record<ResponseKind, string>> = {
  proxy: 'check the user and password of the proxy',
  'rate limit': 'too many requests; wait, and lower MAX_RPS',
  overload: 'it is overloaded or out of order; try again later',
  'server error': 'it is out of order; ask those who run it',
};

/** What a response says of target and credentials. @param credentials by what the request was authenticated, if at all */
function responseChecks(
  operation: Operation,
  exchange: string,
  response: HttpResponse & Effort,
  credentials: string,
): Check[] {
  const { status, durationMs, headers } = response;
  const { 'content-type': contentType = '' } = headers;
  const { kind, hasEnvelope, hasRecord } = classify(operation, response);
  const reason = unanswered[kind];
  if (reason) return [wrong('target', `answered ${exchange} with HTTP ${status}: ${reason}`)];
  const answered = ok('target', `answered ${exchange} with HTTP ${status} in ${durationMs} ms`);
  const check = credentials
    ? `check ${credentials}`
    : 'none are configured; set API_HEADERS, TOKEN_URL or AUTH_MODULE';
  if (kind === 'unauthorized')
    return [answered, wrong('credentials', `rejected with HTTP ${status}: ${check}`)];
  const accepted = credentials ? `accepted: ${credentials}` : 'none are configured, or needed';
  if (kind === 'success' && hasEnvelope) return [answered, ok('credentials', accepted)];
  return [answered, otherCheck(status, hasRecord, /^text\/html\b/i.test(contentType))];
}

function otherCheck(status: number, hasRecord: boolean, isPage: boolean): Check {
  const check = 'BASE_URL and the credentials';
  if (status >= 300 && status < 400)
    return wrong('target', `it redirects, and no redirect is followed: check ${check}`);
  if (hasRecord) return note('target', 'the response has records, but not as documented: run the suite');
  const what = isPage ? 'a web page, perhaps a login,' : 'a response';
  return wrong('target', `${what} that does not look like the API: check the path of ${check}`);
}

/** What a signature that holds the time may differ by, so that it is accepted. */
const tolerableSkewMs = 60_000;

/** Whether the clock of this machine is far from that of the target (`Date`, RFC 9110 section 6.6.1), which a signature may hold. */
export function clockChecks({ date = '' }: HttpResponse['headers'], now: number): Check[] {
  const skewMs = Math.abs(now - Date.parse(date));
  if (!(skewMs > tolerableSkewMs)) return [];
  const off = `${Math.round(skewMs / 1000)} s ${Date.parse(date) < now ? 'ahead of' : 'behind'} that of the target`;
  const says = `${off}: a signature that holds the time is rejected; set the clock of this machine`;
  return [wrong('clock', says)];
}
