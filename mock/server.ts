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

/** Request to the mock, as an `Alter` gets it. */
export interface MockRequest {
  /** Id of the operation with this path, such as `getCard`; undefined for an unknown path. */
  operation: Operation['operation'] | undefined;
  method: string;
  /** Path and query, such as `/svc/payment/api/v1/openapi/customers?limit=1`. */
  path: string;
  /** Parameters of path and query. If both have a parameter of one name, this is the value of the path. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Number of the request, from 1, over all requests to this mock. */
  ordinal: number;
}

/**
 * Changes a response before the mock sends it, so that tests can plant faults.
 * @param answer copy of the response that conforms to the contract; may be changed in place and returned
 */
export type Alter = (answer: MockAnswer, request: MockRequest) => MockAnswer | Promise<MockAnswer>;

export interface Mock {
  /** Base address, as `BASE_URL`: `http://127.0.0.1:4010`, followed by `Choices.prefix`. */
  url: string;
  /** All requests so far, in the order of arrival. `path` includes the query. */
  requests: { method: string; path: string }[];
  close(): Promise<void>;
}

export interface MockOptions {
  /** Port on 127.0.0.1; default: a free one. */
  port?: number | undefined;
  /** Key and certificates in PEM, to serve over TLS. With `requestCert`, clients need a certificate that `ca` has signed. */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  choices?: Partial<Choices>;
  /** Number of customers, and faults in them; default: the 75 seeded customers without faults. */
  population?: PopulationOptions;
  alter?: Alter;
}

export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Creates the mock's provider of the four operations (contract 4), without an HTTP server. `requests` grows with each call of `answer`. */
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

/** Starts the mock as an HTTP server, or over TLS with `https`, on 127.0.0.1. */
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

/** Makes a server listen. Returns its address, such as `http://127.0.0.1:4010`. */
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
  /** Parameters of the query, without those of the path. */
  query: Parameters;
  parameters: Record<string, string>;
  request: ReceivedRequest;
}

/** Patterns of the paths of all operations: `/cards/:id` becomes `^/cards/(?<id>[^/]+)$`. */
const pathPatterns = operations.map((operation): [Operation, RegExp] => [
  operation,
  new RegExp(`^${operation.path.replace(/:(\w+)/, '(?<$1>[^/]+)')}$`),
]);

/** Finds the operation with the path of a request, whatever the method is, and parses the parameters. */
function matchRoute(
  request: ReceivedRequest,
  { prefix, trailingSlash, repeatedParameter }: Choices,
): RoutedRequest {
  // A query may contain further question marks (RFC 3986, section 3.4).
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

/** Decodes the parameters of a matched path; undefined without a match, or if their percent-encoding is malformed. */
function decodePathValues(match: RegExpExecArray | null): Parameters | undefined {
  if (!match) return undefined;
  const groups = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}

/** Creates the response that conforms to the contract, with the headers of `choices`; HTTP 404 for an unknown path. */
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

/** Returns the error for another method than GET (405) and, if `choices` say so, for `Accept` (406) and an unknown parameter (400). */
function findRejection(
  operation: Operation,
  routed: RoutedRequest,
  choices: Choices,
): MockAnswer | undefined {
  const { request } = routed;
  if (request.method !== 'GET') {
    // A response with 405 must have `Allow` (RFC 9110, section 15.5.6).
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
