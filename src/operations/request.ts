import { closest } from 'fastest-levenshtein';
import { isPublic } from '../../schemas/contract/classification.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import type { CircuitBreaker, HttpClient, RequestOverrides } from '../client/http-client.ts';
import { isDotSegment, type Target } from '../client/target.ts';
import {
  buildCurlCommand,
  buildIdentifierExpression,
  plainCurl,
  quoteAddressForShell,
} from '../redact/curl.ts';
import type { DescribedRequest, MockExchange, Observation } from '../redact/observation.ts';
import {
  createBlockedObservation,
  type JudgedExchange,
  type JudgeOptions,
  observe,
} from '../redact/redact.ts';

export interface Argument {
  value: string;
  /** Text for reports. A public value is shown as it is. A private value is replaced by a label such as `{CARD_IDS[0]}`. */
  label: string;
  /**
   * Text for curl commands. A public value is percent-encoded. A private value is replaced by a shell expression, or by a
   * placeholder such as `{id}`.
   */
  shell: string;
  configured?: boolean;
}

export type Arguments = Record<string, Argument>;

export const createPublicArgument = (value: string): Argument => ({
  value,
  label: value,
  shell: encodeURIComponent(value),
});

/**
 * Lists the documented values (`enum`) of a parameter as arguments.
 * @throws if `spec/openapi.yaml` lists none
 */
export function listDocumentedArguments({ id, parameters }: Operation, parameter: string): Argument[] {
  const values = parameters.find(({ name }) => name === parameter)?.schema.enum;
  if (!values) throw new Error(`spec/openapi.yaml lists no values of ${parameter} for ${id}`);
  return values.map((value) => createPublicArgument(String(value)));
}

export const listConfiguredArguments = (
  { identifiers, plainListVariables }: Target,
  variable: string,
): Argument[] =>
  (identifiers[variable] ?? []).map((value, index) => ({
    value,
    label: `{${variable}[${index}]}`,
    shell: buildIdentifierExpression(variable, index, plainListVariables.includes(variable)),
    configured: true,
  }));

/** Mistake in a request of a custom test. The message shows no values. */
export class InvalidRequest extends Error {
  override name = 'InvalidRequest';
}

/**
 * Builds the arguments of a request in a custom test.
 * @throws {InvalidRequest} if a parameter is unknown, or if a path parameter is missing
 */
export function buildArguments(operation: Operation, values: Record<string, string>): Arguments {
  const builtArguments: Arguments = {};
  const missingParameter = operation.parameters.find(
    ({ in: place, name }) => place === 'path' && String(values[name] ?? '') === '',
  );
  if (missingParameter)
    throw new InvalidRequest(`${operation.id} needs the parameter ${missingParameter.name}`);
  for (const [name, givenValue] of Object.entries(values)) {
    // Playwright does not check types, so a test may pass a number, or undefined for a parameter to leave out.
    if (givenValue === undefined) continue;
    const value = String(givenValue);
    const parameter = operation.parameters.find((candidate) => candidate.name === name);
    if (!parameter) throw new InvalidRequest(describeUnknownParameter(operation, name));
    // Reports show a private value as its parameter name.
    const placeholder = `{${name}}`;
    builtArguments[name] = isPublic(parameter)
      ? createPublicArgument(value)
      : { value, label: placeholder, shell: placeholder };
  }
  return builtArguments;
}

function describeUnknownParameter({ id, parameters }: Operation, name: string): string {
  const knownNames = parameters.map((parameter) => parameter.name);
  return `${id} has no parameter ${name}: did you mean ${closest(name, knownNames)}?`;
}

/** Maximum length of an identifier in a path. A server need not accept request lines over 8000 bytes (RFC 9112 section 3). */
const maxIdLength = 2000;
const loneSurrogate = /\p{Surrogate}/u;

export const fitsPath = (identifier: string): boolean =>
  identifier.length <= maxIdLength &&
  identifier !== '' &&
  !isDotSegment(identifier) &&
  !loneSurrogate.test(identifier);

export const readValues = (parameters: Arguments): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]));

/**
 * Builds path and query of a request, such as `/customers?limit=20`.
 * @param form property of each `Argument` to insert
 */
export function buildPath(
  operation: Operation,
  parameters: Arguments,
  form: 'value' | 'label' | 'shell' = 'value',
): string {
  const formatValue = (name: string) => {
    const text = (parameters[name] as Argument)[form];
    // Labels are shown as they are, and `shell` is percent-encoded already.
    return form === 'value' ? encodeURIComponent(text) : text;
  };
  const query = operation.parameters
    .filter(({ name, in: location }) => location === 'query' && parameters[name])
    .map(({ name }) => `${name}=${formatValue(name)}`);
  // Replaces each `{id}` of the path by the value of the parameter `id`.
  const path = operation.path.replace(/\{(\w+)\}/g, (_braces, name: string) => formatValue(name));
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/**
 * Describes a request for reports, with a curl command.
 * @param curl curl command without the URL. The default command sends no configured headers.
 */
export function describeRequest(
  operation: Operation,
  parameters: Arguments,
  curl = plainCurl,
): DescribedRequest {
  const entries = Object.entries(parameters);
  const requestText = `GET ${buildPath(operation, parameters, 'label')}`;
  const address = quoteAddressForShell(buildPath(operation, parameters, 'shell'));
  return {
    operation: operation.id,
    parameters: Object.fromEntries(entries.map(([name, { label }]) => [name, label])),
    configured: entries.some(([, argument]) => argument.configured),
    requestText,
    curlCommand: `${curl} ${address}`,
  };
}

export interface RequestContext extends JudgeOptions {
  contract: Contract;
  target: Target;
  client: Pick<HttpClient, 'get'>;
  /** True to keep request and response unredacted. This is allowed only for the embedded mock. */
  keepsExchanges?: boolean;
  breaker?: CircuitBreaker;
  /**
   * Called once for each request, right before the first attempt to send the request. If the request is never attempted, for
   * example because of the circuit breaker, `onSend` is called when the outcome is known. Probes and custom tests cause no call.
   */
  onSend?: ((requestText: string, observation: Promise<Observation>) => void) | undefined;
}

type JudgedRequest =
  | (JudgedExchange & { response: HttpResponse })
  | { judged?: undefined; response?: undefined; observation: Observation };

interface PlannedRequest {
  operation: Operation;
  /** Values of the parameters, keyed by name: `{ limit: '20' }`. The judgement of the response depends on these values. */
  parameters: Record<string, string>;
  /** Percent-encoded path and query to send. */
  path: string;
  request: DescribedRequest;
  overrides: RequestOverrides;
}

/**
 * Sends a request of an operation, calls `context.onSend`, and judges the response.
 * @param mark `{ again: true }` for a repeated request
 */
export async function sendAndJudge(
  context: RequestContext,
  operation: Operation,
  parameters: Arguments,
  mark?: Pick<DescribedRequest, 'again'>,
): Promise<JudgedRequest> {
  const request = { ...describeRequest(operation, parameters, buildCurlCommand(context.target)), ...mark };
  const announceOnce = callOnce(() => {
    // A promise, which is assigned below: the request is announced at its first attempt, before its response arrives.
    context.onSend?.(request.requestText, observationPromise);
  });
  const resultPromise = sendRequest(context, {
    operation,
    parameters: readValues(parameters),
    path: buildPath(operation, parameters),
    request,
    overrides: { onAttempt: announceOnce },
  });
  const observationPromise = resultPromise.then(({ observation }) => observation);
  try {
    return await resultPromise;
  } finally {
    // Announces a request that had no attempt, for example because of the circuit breaker.
    announceOnce();
  }
}

function callOnce(callback: () => void): () => void {
  let wasCalled = false;
  return () => {
    if (wasCalled) return;
    wasCalled = true;
    callback();
  };
}

/** Sends a request and judges the response. If there is no response to judge, `observation.blocked` holds the reason. */
export async function sendRequest(
  context: RequestContext,
  { operation, parameters, path, request, overrides }: PlannedRequest,
): Promise<JudgedRequest> {
  const exchange = { operation, parameters };
  const outcome = await context.client.get(path, context.breaker, overrides);
  const requestStats = pickDefined(outcome, ['id', 'firstByteMs', 'durationMs', 'retries']);
  const sentRequest = { ...request, ...requestStats };
  if ('blocked' in outcome) return { observation: createBlockedObservation(exchange, sentRequest, outcome) };
  const { judged, observation } = observe({ ...exchange, response: outcome }, sentRequest, context);
  if (context.keepsExchanges)
    observation.mockExchange = createMockExchange(path, overrides, outcome, judged.body);
  return { judged, observation, response: outcome };
}

const createMockExchange = (
  url: string,
  { accept = 'application/json' }: RequestOverrides,
  { status, headers, body }: HttpResponse,
  parsedBody: unknown,
): MockExchange => ({
  request: { method: 'GET', url, headers: { accept } },
  response: { status, headers, body: parsedBody ?? Buffer.from(body).toString() },
});
