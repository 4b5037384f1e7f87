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
import type { CustomerStore } from './customers.ts';
import { type Operation, operations, type Parameters } from './operations.ts';
import { createPopulation, type PopulationOptions } from './population.ts';
import { createErrorResponse, type MockResponse, sendResponse } from './responses.ts';

export type { Choices } from './choices.ts';
export type { MockResponse } from './responses.ts';

export interface MockRequest {
  /** Operation that has the requested path, such as `getCard`; undefined for an unknown path. */
  operation: Operation['operation'] | undefined;
  method: string;
  path: string;
  /** Parameters of path and query. If a name occurs in both, the value in the path counts. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Position of the request among all requests to this mock: 1 for the first one. */
  ordinal: number;
}

/** Replaces a response of the mock, for example by one with a fault. May modify `response`, which is a copy for this purpose. */
export type Alter = (response: MockResponse, request: MockRequest) => MockResponse | Promise<MockResponse>;

export interface Mock {
  /** Base address of the mock for `BASE_URL`: `http://127.0.0.1:4010`, followed by `Choices.prefix`. */
  url: string;
  requests: { method: string; path: string }[];
  close(): Promise<void>;
}

export interface MockOptions {
  /** Port on 127.0.0.1; default: a free one. */
  port?: number | undefined;
  /** Key and certificates in PEM; undefined for HTTP. With `requestCert`, clients need a certificate that `ca` signed. */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  choices?: Partial<Choices>;
  population?: PopulationOptions;
  alter?: Alter;
}

type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Creates a mock without an HTTP server: `respond` returns the response to a request, and adds the request to `requests`. */
export function createInProcessMock(options: MockOptions = {}) {
  const choices = { ...defaultChoices, ...options.choices };
  const requests: Mock['requests'] = [];
  const { alter, population } = options;
  const store = createPopulation(population);
  const respond = async (request: ReceivedRequest): Promise<MockResponse> => {
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path });
    const ordinal = requests.length;
    const routed = matchRoute(request, choices);
    const { route, parameters } = routed;
    const response = handleRequest(routed, choices, store);
    // Copied only for `alter`, because copying a page of a thousand customers takes longer than serializing it as JSON.
    if (!alter) return response;
    const mockRequest = { operation: route?.operation, method, path, parameters, headers, ordinal };
    return alter(structuredClone(response), mockRequest);
  };
  return { requests, respond };
}

export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { requests, respond } = createInProcessMock(options);
  const { prefix } = { ...defaultChoices, ...options.choices };
  const listener = (request: IncomingMessage, output: ServerResponse) => {
    respond(request).then((response) => sendResponse(response, output));
  };
  const server = options.https ? createTlsServer(options.https, listener) : createServer(listener);
  const url = await listen(server, options);
  const close = () => new Promise<void>((closed) => server.close(() => closed()));
  return { url: url + prefix, requests, close };
}

async function listen(server: Server, { port = 0, https }: MockOptions): Promise<string> {
  // Node closes idle connections after 5 s by default; a client that pauses between requests would then get
  // ECONNRESET (Playwright #42698).
  server.keepAliveTimeout = 72_000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http${https ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface RoutedRequest {
  route: Operation | undefined;
  /** Parameters of the query. `parameters` also has those of the path. */
  query: Parameters;
  parameters: Record<string, string>;
  request: ReceivedRequest;
}

const pathPatterns = operations.map((route): [Operation, RegExp] => [
  route,
  new RegExp(`^${route.path.replace(/:(\w+)/, '(?<$1>[^/]+)')}$`),
]);

/** Finds the operation that has the path of a request, whatever its method, and parses the parameters of path and query. */
function matchRoute(
  request: ReceivedRequest,
  { prefix, trailingSlash, repeatedParameter }: Choices,
): RoutedRequest {
  // A query may contain further question marks (RFC 3986, section 3.4).
  const [path = '', ...queryParts] = (request.url ?? '').split('?');
  const queryParameters = [...new URLSearchParams(queryParts.join('?'))];
  // `Object.fromEntries` keeps the last value of a repeated parameter.
  if (repeatedParameter === 'first') queryParameters.reverse();
  const query = Object.fromEntries(queryParameters);
  const relativePath = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  const operationPath = trailingSlash === 'accepted' ? relativePath.replace(/\/$/, '') : relativePath;
  for (const [route, pattern] of pathPatterns) {
    const values = decodePathValues(pattern.exec(operationPath));
    if (values) return { route, query, parameters: { ...query, ...values }, request };
  }
  return { route: undefined, query, parameters: query, request };
}

/** Decodes the path parameters, which are named groups of `match`. Undefined for malformed percent-encoding or no match. */
function decodePathValues(match: RegExpExecArray | null): Parameters | undefined {
  if (!match) return undefined;
  const encodedParameters = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(encodedParameters.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

function handleRequest(routed: RoutedRequest, choices: Choices, store: CustomerStore): MockResponse {
  const { route } = routed;
  const response = route
    ? (rejectRequest(route, routed, choices) ?? route.handle(routed.parameters, choices, store))
    : createErrorResponse(404, 'no such path', choices);
  return { ...response, headers: { ...response.headers, ...choices.headers } };
}

/**
 * Rejects a method other than GET (HTTP 405) and, if `choices` says so, an `Accept` without JSON (406) or an unknown query
 * parameter (400). Undefined for any other request.
 */
function rejectRequest(route: Operation, routed: RoutedRequest, choices: Choices): MockResponse | undefined {
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
  const declaredParameters: readonly string[] = route.query;
  const unknownParameter = Object.keys(routed.query).find((name) => !declaredParameters.includes(name));
  if (choices.unknownParameters === 'rejected' && unknownParameter !== undefined) {
    return createErrorResponse(400, `unknown parameter ${unknownParameter}`, choices);
  }
  return undefined;
}
