import { isPublic } from '../../schemas/contract/classification.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import {
  type CircuitBreaker,
  type HttpClient,
  pickEffort,
  type RequestOverrides,
} from '../client/http-client.ts';
import { isOtherPath, type Target } from '../client/target.ts';
import { addressInShell, buildCurlCommand, identifierInShell, plainCurl } from '../redact/curl.ts';
import type { MockExchange, Observation, Request } from '../redact/observation.ts';
import {
  createBlockedObservation,
  type JudgedExchange,
  type JudgeOptions,
  observe,
} from '../redact/redact.ts';

/** Value of a parameter in the three forms that a request needs: to send, to show, and to write in a shell command. */
export interface Argument {
  /** Value of the parameter as sent, before it is percent-encoded. */
  value: string;
  /** Text that reports show for the value: `{CARD_IDS[0]}`, or the value itself if it is public. */
  label: string;
  /** Percent-encoded value for a shell command, or a shell expression that prints it. */
  shell: string;
  /** True if the value is an identifier of the configuration, such as one of `CARD_IDS`. */
  configured?: boolean;
}

/** Parameters of a request, keyed by name. */
export type Arguments = Record<string, Argument>;

/** Creates an argument whose value reports may show, such as a documented value or a page size. */
export const literal = (value: string): Argument => ({
  value,
  label: value,
  shell: encodeURIComponent(value),
});

/**
 * Returns an argument for each documented value (`enum`) of a parameter, such as `User` and `Store` of `linked_source_type`.
 * @throws if `spec/openapi.yaml` lists none
 */
export function documentedValues({ id, parameters }: Operation, parameter: string): Argument[] {
  const values = parameters.find(({ name }) => name === parameter)?.schema.enum;
  if (!values) throw new Error(`spec/openapi.yaml lists no values of ${parameter} for ${id}`);
  return values.map((value) => literal(String(value)));
}

/**
 * Returns an argument for each identifier of a configuration variable such as `CARD_IDS`, which reports show as `{CARD_IDS[0]}`.
 * Empty if the variable is not set.
 */
export const configured = ({ identifiers, plainLists }: Target, variable: string): Argument[] =>
  (identifiers[variable] ?? []).map((value, index) => ({
    value,
    label: `{${variable}[${index}]}`,
    shell: identifierInShell(variable, index, plainLists.includes(variable)),
    configured: true,
  }));

/**
 * Builds the arguments of a request from raw values in a test of the user, keyed by parameter. The value of a parameter that is not
 * public is shown as the name of the parameter in braces, such as `{id}`.
 * @throws if the operation has no parameter of a name
 */
export function buildArguments(operation: Operation, values: Record<string, string>): Arguments {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const parameter = operation.parameters.find((candidate) => candidate.name === name);
      if (!parameter) throw new Error(`${operation.id} has no parameter ${name}`);
      const placeholder = `{${name}}`;
      return [name, isPublic(parameter) ? literal(value) : { value, label: placeholder, shell: placeholder }];
    }),
  );
}

/** Maximum characters of an identifier in a path: servers commonly limit a request line to 8000 bytes (RFC 9112 section 3). */
const maxIdLength = 2000;

/**
 * Returns whether a URL path can carry an identifier as one segment. False for an empty or too long one, for `.` and `..`, and for
 * half a surrogate pair.
 */
export const fitsPath = (identifier: string): boolean =>
  identifier.length <= maxIdLength &&
  identifier !== '' &&
  !isOtherPath(identifier) &&
  !/\p{Surrogate}/u.test(identifier);

/** Returns the raw values of a request's arguments, keyed by parameter name. */
export const readValues = (parameters: Arguments): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]));

/**
 * Builds path and query of a request in one of three forms: as sent (`value`), for reports (`label`), or for a shell command in
 * double quotes (`shell`). Query parameters are in the order of `spec/openapi.yaml`.
 */
export function buildPath(
  operation: Operation,
  parameters: Arguments,
  form: 'value' | 'label' | 'shell' = 'value',
): string {
  // Labels are shown as they are, and `shell` is percent-encoded already.
  const encode = form === 'value' ? encodeURIComponent : String;
  const format = (name: string) => encode((parameters[name] as Argument)[form]);
  const query = operation.parameters
    .filter(({ name, in: place }) => place === 'query' && parameters[name])
    .map(({ name }) => `${name}=${format(name)}`);
  // Replaces each `{id}` of the path by the value of the parameter `id`.
  const path = operation.path.replace(/\{(\w+)\}/g, (_braces, name: string) => format(name));
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/**
 * Describes a request as reports show it, with labels such as `{CARD_IDS[0]}` in place of identifiers.
 * @param curl curl command without an address, to which the address is added for `repeat`; default: without headers and credentials
 */
export function describeRequest(operation: Operation, parameters: Arguments, curl = plainCurl): Request {
  const all = Object.entries(parameters);
  return {
    operation: operation.id,
    parameters: Object.fromEntries(all.map(([name, { label }]) => [name, label])),
    configured: all.some(([, argument]) => argument.configured),
    exchange: `GET ${buildPath(operation, parameters, 'label')}`,
    repeat: `${curl} ${addressInShell(buildPath(operation, parameters, 'shell'))}`,
  };
}

/** Target, client and options that the requests of an operation share, for sending and judging. */
export interface RequestContext extends JudgeOptions {
  contract: Contract;
  target: Target;
  client: Pick<HttpClient, 'get'>;
  /**
   * True if observations keep whole requests and responses (`mockExchange`): allowed only for the embedded mock with its own
   * identifiers.
   */
  keepsExchanges?: boolean;
  /** Circuit breaker that the requests of one operation share: after several without a response, no more are sent. */
  breaker?: CircuitBreaker;
  /** Called when a request is sent, with its text such as `GET /cards/{CARD_IDS[0]}` and a promise of its observation. */
  onSend?: (requestText: string, observation: Promise<Observation>) => void;
}

/** Observation of a request; with its response (`answer`) and the raw judgement (`judged`), if there was a response. */
type JudgedRequest =
  | (JudgedExchange & { answer: HttpResponse })
  | { judged?: undefined; answer?: undefined; observation: Observation };

/** Sends a request and judges the response. Also calls `context.onSend`. */
export function sendAndJudge(
  context: RequestContext,
  operation: Operation,
  parameters: Arguments,
  overrides?: RequestOverrides,
): Promise<JudgedRequest> {
  const request = describeRequest(operation, parameters, buildCurlCommand(context.target));
  const response = sendDescribed(request, context, operation, parameters, overrides);
  context.onSend?.(
    request.exchange,
    response.then(({ observation }) => observation),
  );
  return response;
}

/**
 * Sends a request and judges the response. Without a response, the observation has the reason (`blocked`).
 * @param request description of the request, as `describeRequest` returns it
 */
async function sendDescribed(
  request: Request,
  context: RequestContext,
  operation: Operation,
  parameters: Arguments,
  overrides?: RequestOverrides,
): Promise<JudgedRequest> {
  const answer = await context.client.get(buildPath(operation, parameters), context.breaker, overrides);
  const exchange = { operation, parameters: readValues(parameters) };
  const described = {
    ...request,
    ...pickEffort(answer),
    ...(overrides?.again ? { again: true as const } : {}),
  };
  if ('blocked' in answer) return { observation: createBlockedObservation(exchange, described, answer) };
  const judgedRequest = { ...observe({ ...exchange, answer }, described, context), answer };
  if (!context.keepsExchanges) return judgedRequest;
  const url = buildPath(operation, parameters);
  const mockExchange = createMockExchange(url, answer, judgedRequest.judged.body, overrides);
  return { ...judgedRequest, observation: { ...judgedRequest.observation, mockExchange } };
}

/**
 * Creates the whole, unredacted exchange of a request to the embedded mock.
 * @param parsedBody body of the response; undefined if it is not JSON
 */
export const createMockExchange = (
  url: string,
  answer: HttpResponse,
  parsedBody: unknown,
  { accept = 'application/json' }: RequestOverrides = {},
): MockExchange => ({
  request: { method: 'GET', url, headers: { accept } },
  response: formatResponse(answer, parsedBody),
});

/** Returns status, headers and body of a response: the parsed body, or its text if it is not JSON. */
const formatResponse = (
  { status, headers, body }: HttpResponse,
  parsedBody: unknown,
): MockExchange['response'] => ({ status, headers, body: parsedBody ?? Buffer.from(body).toString() });
