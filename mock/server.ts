import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Choices, defaultChoices } from './choices.ts';
import type { CustomerDirectory } from './customers.ts';
import { type Operation, operations, type Parameters } from './operations.ts';
import { createPopulation, type PopulationOptions } from './population.ts';
import { copyResponse, createErrorResponse, type MockResponse, sendResponse } from './responses.ts';

export type { Choices } from './choices.ts';
export type { MockResponse } from './responses.ts';

/** Request that the mock has received, as a function of type `Alter` gets it. */
export interface MockRequest {
  /** Id of the operation with the path of the request, such as `getCard`; undefined for an unknown path. */
  operation: Operation['operation'] | undefined;
  method: string;
  /** Path and query, such as `/svc/payment/api/v1/openapi/customers?limit=1`. */
  path: string;
  /** Parameters of path and query. If both have a parameter of the same name, the one of the path. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Number of the request: 1 for the first request that this mock has received, whatever its path. */
  ordinal: number;
}

/**
 * Changes a response before the mock sends it, so that tests can plant faults.
 * @param response copy of the response that conforms to the contract; may be changed in place and returned
 */
export type Alter = (response: MockResponse, request: MockRequest) => MockResponse | Promise<MockResponse>;

export interface Mock {
  /** Base address for `BASE_URL`: `http://127.0.0.1:4010`, with `Choices.prefix` if one is set. */
  url: string;
  /** Requests so far, in the order of arrival. `path` includes the query. */
  requests: { method: string; path: string }[];
  close(): Promise<void>;
}

export interface MockOptions {
  /** Port on 127.0.0.1; default: a free one. */
  port?: number | undefined;
  /**
   * Key and certificates in PEM, to serve over TLS. With `requestCert`, clients need a certificate signed by `ca`.
   */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  choices?: Partial<Choices>;
  /** Number of customers, and faults in their records; default: 75 customers without faults. */
  population?: PopulationOptions;
  alter?: Alter;
}

export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/**
 * Creates the mock without an HTTP server: `respond` returns the response to a request, and adds the request to
 * `requests`.
 */
export function createProvider(options: MockOptions = {}) {
  const choices = { ...defaultChoices, ...options.choices };
  const requests: Mock['requests'] = [];
  const { alter, population } = options;
  const directory = createPopulation(population);
  const respond = async (request: ReceivedRequest): Promise<MockResponse> => {
    const { method = '', url: path = '', headers } = request;
    const routed = matchRoute(request, choices);
    const ordinal = requests.push({ method, path });
    const conforming = createConformingResponse(routed, choices, directory);
    const { operation, parameters } = routed;
    const mockRequest = { operation: operation?.operation, method, path, parameters, headers, ordinal };
    // Copied only for `alter`, because copying a page of a thousand customers takes longer than serializing it as JSON.
    return alter ? alter(copyResponse(conforming), mockRequest) : conforming;
  };
  return { requests, respond };
}

/** Starts the mock as an HTTP server, or over TLS with `https`, on 127.0.0.1. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { requests, respond } = createProvider(options);
  const { prefix } = { ...defaultChoices, ...options.choices };
  const listener = (request: IncomingMessage, output: ServerResponse) => {
    respond(request).then((response) => sendResponse(response, output));
  };
  const server = options.https ? createTlsServer(options.https, listener) : createServer(listener);
  const url = await listen(server, options);
  return { url: url + prefix, requests, close: () => close(server) };
}

/** Starts to listen on 127.0.0.1. Returns the address, such as `http://127.0.0.1:4010`. */
async function listen(server: Server, { port = 0, https }: MockOptions): Promise<string> {
  // Node closes idle connections after 5 s by default; a client that pauses between requests would then get
  // ECONNRESET (Playwright #42698).
  server.keepAliveTimeout = 72_000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http${https ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const close = (server: Server) => new Promise<void>((closed) => server.close(() => closed()));

interface RoutedRequest {
  operation: Operation | undefined;
  /** Parameters of the query only. `parameters` also has those of the path. */
  query: Parameters;
  parameters: Record<string, string>;
  request: ReceivedRequest;
}

/** Operations with a pattern of their path: `/cards/:id` becomes `^/cards/(?<id>[^/]+)$`. */
const pathPatterns = operations.map((operation): [Operation, RegExp] => [
  operation,
  new RegExp(`^${operation.path.replace(/:(\w+)/, '(?<$1>[^/]+)')}$`),
]);

/** Finds the operation by the path of a request, whatever its method, and parses the parameters of path and query. */
function matchRoute(
  request: ReceivedRequest,
  { prefix, trailingSlash, repeatedParameter }: Choices,
): RoutedRequest {
  // A query may contain further question marks (RFC 3986, section 3.4).
  const [path = '', ...queryParts] = (request.url ?? '').split('?');
  const pairs = [...new URLSearchParams(queryParts.join('?'))];
  if (repeatedParameter === 'first') pairs.reverse();
  // If a name is repeated, `Object.fromEntries` keeps its last value.
  const query = Object.fromEntries(pairs);
  const relativePath = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  const operationPath = trailingSlash === 'accepted' ? relativePath.replace(/\/$/, '') : relativePath;
  for (const [operation, pattern] of pathPatterns) {
    const values = decodePathValues(pattern.exec(operationPath));
    if (values) return { operation, query, parameters: { ...query, ...values }, request };
  }
  return { operation: undefined, query, parameters: query, request };
}

/**
 * Decodes the parameters in a matched path: `{ id: '7c0f…' }`. Undefined if the path does not match, or if its
 * percent-encoding is malformed.
 */
function decodePathValues(match: RegExpExecArray | null): Parameters | undefined {
  if (!match) return undefined;
  const groups = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}

/** Creates the response as the contract demands it, with `choices.headers`. For an unknown path: HTTP 404. */
function createConformingResponse(
  routed: RoutedRequest,
  choices: Choices,
  directory: CustomerDirectory,
): MockResponse {
  const { operation } = routed;
  const response = operation
    ? (findRejection(operation, routed, choices) ?? operation.handle(routed.parameters, choices, directory))
    : createErrorResponse(404, 'no such path', choices);
  return { ...response, headers: { ...response.headers, ...choices.headers } };
}

/**
 * Creates the response to a method other than GET (HTTP 405) and, depending on `choices`, to an unsuitable header
 * `Accept` (406) or an unknown query parameter (400). Undefined for any other request.
 */
function findRejection(
  operation: Operation,
  routed: RoutedRequest,
  choices: Choices,
): MockResponse | undefined {
  const { request } = routed;
  if (request.method !== 'GET') {
    // A response with 405 must have `Allow` (RFC 9110, section 15.5.6).
    const response = createErrorResponse(405, 'only GET is allowed', choices);
    return { ...response, headers: { ...response.headers, allow: 'GET' } };
  }
  const acceptHeader = request.headers.accept ?? '';
  if (choices.strictAccept && !acceptHeader.includes('application/json')) {
    return createErrorResponse(406, 'only application/json is served', choices);
  }
  const declaredParameters: readonly string[] = operation.query;
  const unknownParameter = Object.keys(routed.query).find((name) => !declaredParameters.includes(name));
  if (choices.unknownParameters === 'rejected' && unknownParameter !== undefined) {
    return createErrorResponse(400, `unknown parameter ${unknownParameter}`, choices);
  }
  return undefined;
}
