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
import { createErrorResponse, type MockResponse, sendResponse } from './responses.ts';

export interface MockRequest {
  /** Undefined for an unknown path. */
  operation: Operation['operation'] | undefined;
  method: string;
  path: string;
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  requestNumber: number;
}

/** Function that may change a response of the mock. `response` is a copy. The mock sends the response that the function returns. */
export type Alter = (response: MockResponse, request: MockRequest) => MockResponse | Promise<MockResponse>;

export interface Mock {
  /** Value for `BASE_URL`, such as `http://127.0.0.1:40123`. */
  url: string;
  requests: { method: string; path: string }[];
  close(): Promise<void>;
}

export interface MockOptions {
  /** Default: a free port. */
  port?: number | undefined;
  /** Key and certificates in PEM. If undefined, the mock uses plain HTTP. */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  choices?: Partial<Choices>;
  /** Default: the 75 customers of `mock/customers.ts`. */
  store?: CustomerStore;
  alter?: Alter;
}

type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Creates a mock without an HTTP server. The caller passes each request to `respond`, and gets the response. */
export function createInProcessMock(options: MockOptions = {}): {
  requests: Mock['requests'];
  respond(request: ReceivedRequest): Promise<MockResponse>;
} {
  const choices = { ...defaultChoices, ...options.choices };
  const requests: Mock['requests'] = [];
  const { alter, store } = options;
  const respond = async (request: ReceivedRequest): Promise<MockResponse> => {
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path });
    const requestNumber = requests.length;
    const routed = matchRoute(request, choices);
    const response = createResponse(routed, choices, store);
    response.headers = { ...response.headers, ...choices.headers };
    if (!alter) return response;
    const { route, parameters } = routed;
    const mockRequest = { operation: route?.operation, method, path, parameters, headers, requestNumber };
    // Copied only here, because copying a page of a thousand customers takes longer than serializing it as JSON.
    const responseCopy = structuredClone(response);
    return alter(responseCopy, mockRequest);
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
  // By default, Node closes a connection after 5 s without a request. If a client sends its next request at that moment, it
  // gets ECONNRESET (Playwright #42698).
  server.keepAliveTimeout = 72_000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const scheme = https ? 'https' : 'http';
  const address = server.address() as AddressInfo;
  return `${scheme}://127.0.0.1:${address.port}`;
}

interface RoutedRequest {
  route: Operation | undefined;
  query: Parameters;
  parameters: Record<string, string>;
  request: ReceivedRequest;
}

/** Returns `^/cards/(?<id>[^/]+)$` for `/cards/:id`. */
function createPathPattern(path: string): RegExp {
  const parameterStep = /:(\w+)/;
  return new RegExp(`^${path.replace(parameterStep, '(?<$1>[^/]+)')}$`);
}

const routesWithPattern = operations.map((route) => ({ route, pattern: createPathPattern(route.path) }));

function parseQuery(queryText: string, repeatedParameter: Choices['repeatedParameter']): Parameters {
  const namesWithValue = [...new URLSearchParams(queryText)];
  // `Object.fromEntries` keeps the last of several values. In reverse order, that is the first one of the query.
  if (repeatedParameter === 'first') namesWithValue.reverse();
  return Object.fromEntries(namesWithValue);
}

function matchRoute(
  request: ReceivedRequest,
  { prefix, trailingSlash, repeatedParameter }: Choices,
): RoutedRequest {
  // A query may contain further question marks (RFC 3986, section 3.4).
  const [path = '', ...queryParts] = (request.url ?? '').split('?');
  const query = parseQuery(queryParts.join('?'), repeatedParameter);
  // A path without the prefix matches no operation.
  const pathAfterPrefix = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  const operationPath = trailingSlash === 'accepted' ? pathAfterPrefix.replace(/\/$/, '') : pathAfterPrefix;
  for (const { route, pattern } of routesWithPattern) {
    const pathParameters = parsePathParameters(pattern, operationPath);
    if (pathParameters) return { route, query, parameters: { ...query, ...pathParameters }, request };
  }
  return { route: undefined, query, parameters: query, request };
}

function parsePathParameters(pattern: RegExp, path: string): Parameters | undefined {
  const match = pattern.exec(path);
  if (!match) return undefined;
  const encodedParameters = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(encodedParameters.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    // `%zz`, for example: the path counts as unknown.
    return undefined;
  }
}

function createResponse(routed: RoutedRequest, choices: Choices, store?: CustomerStore): MockResponse {
  const { route, parameters } = routed;
  if (!route) return createErrorResponse(404, 'no such path', choices);
  const rejection = rejectRequest(route, routed, choices);
  if (rejection) return rejection;
  return route.handle(parameters, choices, store);
}

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
