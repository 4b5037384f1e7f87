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
import { copyAnswer, errorAnswer, type MockAnswer, sendAnswer } from './answers.ts';
import { type Choices, defaultChoices } from './choices.ts';
import type { CustomerDirectory } from './customers.ts';
import { type Operation, operations, type Parameters } from './operations.ts';
import { createPopulation, type PopulationOptions } from './population.ts';

export type { MockAnswer } from './answers.ts';
export type { Choices } from './choices.ts';

/** Request as the mock received and routed it, for `Alter`. */
export interface MockRequest {
  /** Id of the operation that the path names; undefined if the path is undocumented. */
  operation: Operation['operation'] | undefined;
  method: string;
  /** Request target as received, query included. */
  path: string;
  /** Values of query and path; if both have a name, the path wins. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Number of the request among all requests to this mock, from 1. */
  ordinal: number;
}

/** Returns the answer to send, given a copy of the conforming answer, which may be changed in place. */
export type Alter = (answer: MockAnswer, request: MockRequest) => MockAnswer | Promise<MockAnswer>;

/** Running mock server. */
export interface Mock {
  /** Base address, prefix included. */
  url: string;
  /** All requests so far, in the order of receipt. `path` includes the query. */
  requests: { method: string; path: string }[];
  close(): Promise<void>;
}

/** Options of a mock: port, TLS, choices, customers and faults. */
export interface MockOptions {
  /** Default: a free port. */
  port?: number | undefined;
  /** Serves over TLS. With `requestCert`, accepts only clients whose certificate is signed by `ca`. */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  /** Choices that differ from `defaultChoices`. */
  choices?: Partial<Choices>;
  /** Number of customers and faults planted in them; default: the 75 seeded customers. */
  population?: PopulationOptions;
  alter?: Alter;
}

/** Parts of an HTTP request that the mock reads. */
export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/**
 * Creates a provider of the four operations (contract 4) without an HTTP server.
 * @returns `answer`, which answers a request, and `requests`, to which `answer` adds each request
 */
export function createProvider(options: MockOptions = {}) {
  const choices = { ...defaultChoices, ...options.choices };
  const requests: Mock['requests'] = [];
  const { alter, population } = options;
  const directory = createPopulation(population);
  const answer = async (request: ReceivedRequest): Promise<MockAnswer> => {
    const { method = '', url: path = '', headers } = request;
    const routed = matchRoute(request, choices);
    const ordinal = requests.push({ method, path });
    const conforming = createConformingAnswer(routed, choices, directory);
    const { operation, parameters } = routed;
    const mockRequest = { operation: operation?.operation, method, path, parameters, headers, ordinal };
    // Only `alter` needs a copy: copying a page of a thousand customers takes longer than serializing it as JSON.
    return alter ? alter(copyAnswer(conforming), mockRequest) : conforming;
  };
  return { requests, answer };
}

/** Starts an HTTP server of the mock on 127.0.0.1, by default on a free port. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { requests, answer } = createProvider(options);
  const { prefix } = { ...defaultChoices, ...options.choices };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request).then((preparedAnswer) => sendAnswer(preparedAnswer, response));
  };
  const server = options.https ? createTlsServer(options.https, listener) : createServer(listener);
  const url = await listen(server, options);
  return { url: url + prefix, requests, close: () => close(server) };
}

/** Starts listening. @returns the address without a path, such as `http://127.0.0.1:4010` */
async function listen(server: Server, { port = 0, https }: MockOptions): Promise<string> {
  // Node closes idle connections after 5 s by default; a client that pauses between requests would then get
  // ECONNRESET (Playwright #42698).
  server.keepAliveTimeout = 72_000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http${https ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the server after pending requests. */
const close = (server: Server) => new Promise<void>((closed) => server.close(() => closed()));

/** Request with its parameters and the operation that the path names; undefined if the path is undocumented. */
interface RoutedRequest {
  operation: Operation | undefined;
  query: Parameters;
  /** Values of query and path; if both have a name, the path wins. */
  parameters: Record<string, string>;
  request: ReceivedRequest;
}

const pathPatterns = operations.map((operation): [Operation, RegExp] => [
  operation,
  new RegExp(`^${operation.path.replace(/:(\w+)/, '(?<$1>[^/]+)')}$`),
]);

/** Finds the operation that the path of a request names, whatever its method, and reads the parameters of path and query. */
function matchRoute(
  request: ReceivedRequest,
  { prefix, trailingSlash, repeatedParameter }: Choices,
): RoutedRequest {
  const [path = '', ...queryParts] = (request.url ?? '').split('?');
  const pairs = [...new URLSearchParams(queryParts.join('?'))];
  // Of equal names, `Object.fromEntries` keeps the last one.
  const query = Object.fromEntries(repeatedParameter === 'last' ? pairs : pairs.reverse());
  const relativePath = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  const operationPath = trailingSlash === 'accepted' ? relativePath.replace(/\/$/, '') : relativePath;
  for (const [operation, pattern] of pathPatterns) {
    const values = decodePathValues(pattern.exec(operationPath));
    if (values) return { operation, query, parameters: { ...query, ...values }, request };
  }
  return { operation: undefined, query, parameters: query, request };
}

/** Decodes the parameters of a matched path; undefined if the path did not match, or its percent-encoding is malformed. */
function decodePathValues(match: RegExpExecArray | null): Parameters | undefined {
  if (!match) return undefined;
  const groups = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}

/** Returns the answer of a conforming provider, with the headers of `choices`. `MockOptions.alter` may change it later. */
function createConformingAnswer(
  routed: RoutedRequest,
  choices: Choices,
  directory: CustomerDirectory,
): MockAnswer {
  const { operation } = routed;
  const answer = operation
    ? (findRejection(operation, routed, choices) ?? operation.answer(routed.parameters, choices, directory))
    : errorAnswer(404, 'no such path', choices);
  return { ...answer, headers: { ...answer.headers, ...choices.headers } };
}

/**
 * Returns an error answer if the method, the `Accept` header or an unknown parameter leads to a rejection; undefined
 * otherwise. The contract leaves all three open (contract 7).
 */
function findRejection(
  operation: Operation,
  routed: RoutedRequest,
  choices: Choices,
): MockAnswer | undefined {
  const { request } = routed;
  if (request.method !== 'GET') {
    const answer = errorAnswer(405, 'only GET is allowed', choices);
    return { ...answer, headers: { ...answer.headers, allow: 'GET' } };
  }
  const acceptHeader = request.headers.accept ?? '';
  if (choices.strictAccept && !acceptHeader.includes('application/json')) {
    return errorAnswer(406, 'only application/json is served', choices);
  }
  const declaredParameters: readonly string[] = operation.query;
  const unknownParameter = Object.keys(routed.query).find((name) => !declaredParameters.includes(name));
  if (choices.unknownParameters === 'rejected' && unknownParameter !== undefined) {
    return errorAnswer(400, `unknown parameter ${unknownParameter}`, choices);
  }
  return undefined;
}
