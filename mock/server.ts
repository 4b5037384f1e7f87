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
import { copyOf, deliver, errorAnswer, type MockAnswer } from './answers.ts';
import { type Choices, defaultChoices } from './choices.ts';
import type { CustomerDirectory } from './customers.ts';
import { type Operation, operations, type Parameters } from './operations.ts';
import { createPopulation, type PopulationOptions } from './population.ts';

export type { MockAnswer } from './answers.ts';
export type { Choices } from './choices.ts';

/** A request as the provider understood it. */
export interface MockRequest {
  /** Undefined when the request is for another path than those documented. */
  operation: Operation['operation'] | undefined;
  method: string;
  /** As it was sent, query included. */
  path: string;
  /** Query and path together; the path wins. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Counted from 1 since the start of this mock. */
  ordinal: number;
}

/** Turns the conforming answer, which is its own to change, into the one that is sent. */
export type Alter = (answer: MockAnswer, request: MockRequest) => MockAnswer | Promise<MockAnswer>;

/** A running provider. */
export interface Mock {
  /** Base address. */
  url: string;
  requests: { method: string; path: string }[];
  close(): Promise<void>;
}

/** How a mock is served, and how it differs from the usual one. */
export interface MockOptions {
  port?: number | undefined;
  /** Serves over TLS; with `requestCert` only clients whose certificate `ca` has signed. */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  choices?: Partial<Choices>;
  /** Any number of customers, of whom those of the seed are the first; without it, these alone. */
  population?: PopulationOptions;
  alter?: Alter;
}

/** What is read of a request. */
export type Sent = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Makes a provider of the four lookups (contract 4), however it is asked. */
export function createProvider(options: MockOptions = {}) {
  const choices = { ...defaultChoices, ...options.choices };
  const requests: Mock['requests'] = [];
  const { alter, population } = options;
  const directory = createPopulation(population);
  const answer = async (request: Sent): Promise<MockAnswer> => {
    const { method = '', url: path = '', headers } = request;
    const routed = routeOf(request, choices);
    const ordinal = requests.push({ method, path });
    const conforming = conformingAnswer(routed, choices, directory);
    const { operation, parameters } = routed;
    const asked = { operation: operation?.operation, method, path, parameters, headers, ordinal };
    // A copy takes longer than to write a page of a thousand customers as JSON, and only an alter needs one.
    return alter ? alter(copyOf(conforming), asked) : conforming;
  };
  return { requests, answer };
}

/** Serves a provider on a free port of this machine, unless one is given. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { requests, answer } = createProvider(options);
  const { prefix } = { ...defaultChoices, ...options.choices };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request).then((given) => deliver(given, response));
  };
  const server = options.https ? createTlsServer(options.https, listener) : createServer(listener);
  const url = await listen(server, options);
  return { url: url + prefix, requests, close: () => close(server) };
}

/** @returns the address without a path */
async function listen(server: Server, { port = 0, https }: MockOptions): Promise<string> {
  // A client that waits longer than a moment before its next request must not find its connection closed.
  server.keepAliveTimeout = 72_000;
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http${https ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends once what is under way is answered. */
const close = (server: Server) => new Promise<void>((closed) => server.close(() => closed()));

/** A request, and the operation that its path names, if it names one. */
interface Routed {
  operation: Operation | undefined;
  query: Parameters;
  /** Query and path together; the path wins. */
  parameters: Record<string, string>;
  request: Sent;
}

const patterns = operations.map((operation): [Operation, RegExp] => [
  operation,
  new RegExp(`^${operation.path.replace(/:(\w+)/, '(?<$1>[^/]+)')}$`),
]);

/** Finds the operation of a request by its path, for any method. */
function routeOf(request: Sent, { prefix, trailingSlash, repeatedParameter }: Choices): Routed {
  const [path = '', ...rest] = (request.url ?? '').split('?');
  const pairs = [...new URLSearchParams(rest.join('?'))];
  const query = Object.fromEntries(repeatedParameter === 'last' ? pairs : pairs.reverse());
  const own = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  const below = trailingSlash === 'accepted' ? own.replace(/\/$/, '') : own;
  for (const [operation, pattern] of patterns) {
    const values = valuesIn(pattern.exec(below));
    if (values) return { operation, query, parameters: { ...query, ...values }, request };
  }
  return { operation: undefined, query, parameters: query, request };
}

/** The values that stand in a path; undefined where it is another one, or percent-encoded wrongly. */
function valuesIn(match: RegExpExecArray | null): Parameters | undefined {
  if (!match) return undefined;
  const groups = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}

/** What this provider answers before anybody alters it. */
function conformingAnswer(routed: Routed, choices: Choices, directory: CustomerDirectory): MockAnswer {
  const { operation } = routed;
  const answer = operation
    ? (errorForRequest(operation, routed, choices) ?? operation.answer(routed.parameters, choices, directory))
    : errorAnswer(404, 'no such path', choices);
  return { ...answer, headers: { ...answer.headers, ...choices.headers } };
}

/** Reasons to reject a request that all operations share; the contract settles none of them (contract 7). */
function errorForRequest(operation: Operation, routed: Routed, choices: Choices): MockAnswer | undefined {
  const { request } = routed;
  if (request.method !== 'GET') {
    const answer = errorAnswer(405, 'only GET is allowed', choices);
    return { ...answer, headers: { ...answer.headers, allow: 'GET' } };
  }
  const accepted = request.headers.accept ?? '';
  if (choices.strictAccept && !accepted.includes('application/json')) {
    return errorAnswer(406, 'only application/json is served', choices);
  }
  const declared: readonly string[] = operation.query;
  const unknown = Object.keys(routed.query).find((name) => !declared.includes(name));
  if (choices.unknownParameters === 'rejected' && unknown !== undefined) {
    return errorAnswer(400, `unknown parameter ${unknown}`, choices);
  }
  return undefined;
}
