import type { IncomingHttpHeaders } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { copyOf, deliver, errorAnswer, type MockAnswer } from './answers.ts';
import { type Choices, defaultChoices } from './choices.ts';
import type { CustomerDirectory } from './directory.ts';
import { type Operation, operations, type Parameters } from './operations.ts';
import { createPopulation, type PopulationOptions } from './population/population.ts';

export type { MockAnswer } from './answers.ts';
export type { Choices } from './choices.ts';

/** A request as the provider understood it. */
export interface MockRequest {
  /** Undefined when the request is for nothing documented: another path, or another method than GET. */
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
  port?: number;
  host?: string;
  /** Serves over TLS; with `requestCert` only clients whose certificate `ca` has signed. */
  https?: { key: string; cert: string; ca?: string; requestCert?: boolean };
  choices?: Partial<Choices>;
  /** Any number of customers, of whom those of the seed are the first; without it, these alone. */
  population?: PopulationOptions;
  alter?: Alter;
}

type Respond = (
  operation: Operation | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>;

const otherMethods = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Starts a provider of the four lookups (contract 4), on a free port of this machine unless one is given. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const choices = { ...defaultChoices, ...options.choices };
  const requests: Mock['requests'] = [];
  const { alter, population } = options;
  const directory = population && createPopulation(population);
  const respond: Respond = async (operation, request, reply) => {
    const ordinal = requests.push({ method: request.method, path: request.url });
    const conforming = conformingAnswer(operation, request, choices, directory);
    const asked = asMockRequest(operation, request, ordinal, choices);
    // A copy takes longer than to write a page of a thousand customers as JSON, and only an alter needs one.
    const answer = alter ? await alter(copyOf(conforming), asked) : conforming;
    await deliver(answer, reply, choices.chunked);
  };
  const app = createApp(choices, respond, options.https);
  const url = await app.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  return { url: url + choices.prefix, requests, close: () => app.close() };
}

/** Routes only: what is answered is decided in one place, for error responses too. */
function createApp(choices: Choices, respond: Respond, https: MockOptions['https']): FastifyInstance {
  const app: FastifyInstance = fastify({
    // Fastify types a server over TLS as another one, though all that is done with it here is the same.
    ...(https ? { https: https as never } : {}),
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: choices.trailingSlash === 'accepted', maxParamLength: 4096 },
    frameworkErrors: (_error, request, reply) => respond(undefined, request, reply),
  });
  ignoreBodies(app);
  for (const operation of operations) {
    app.route({
      method: ['GET', ...otherMethods],
      url: choices.prefix + operation.path,
      handler: (request, reply) => respond(operation, request, reply),
    });
  }
  app.setNotFoundHandler((request, reply) => respond(undefined, request, reply));
  // Only an alter that throws gets here: it must be seen, not taken for an answer.
  app.setErrorHandler((error, _request, reply) => reply.code(500).type('text/plain').send(`mock: ${error}`));
  return app;
}

/** A body is never read: for any media type, the method is what must be rejected. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null);
  });
}

function queryOf(request: FastifyRequest, { repeatedParameter }: Choices): Record<string, string> {
  const pairs = [...new URLSearchParams(request.url.split('?').slice(1).join('?'))];
  return Object.fromEntries(repeatedParameter === 'last' ? pairs : pairs.reverse());
}

function parametersOf(request: FastifyRequest, choices: Choices): Record<string, string> {
  return { ...queryOf(request, choices), ...(request.params as Parameters | undefined) };
}

function asMockRequest(
  operation: Operation | undefined,
  request: FastifyRequest,
  ordinal: number,
  choices: Choices,
): MockRequest {
  return {
    operation: request.method === 'GET' ? operation?.operation : undefined,
    method: request.method,
    path: request.url,
    parameters: (operation ? parametersOf : queryOf)(request, choices),
    headers: request.headers,
    ordinal,
  };
}

/** What this provider answers before anybody alters it. */
function conformingAnswer(
  operation: Operation | undefined,
  request: FastifyRequest,
  choices: Choices,
  directory: CustomerDirectory | undefined,
): MockAnswer {
  const answer = operation
    ? (errorForRequest(operation, request, choices) ??
      operation.answer(parametersOf(request, choices), choices, directory))
    : errorAnswer(404, 'no such path', choices);
  const { delayMs = choices.delayMs } = answer;
  return { ...answer, headers: { ...answer.headers, ...choices.headers }, delayMs };
}

/** Reasons to reject a request that all operations share; the contract settles none of them (contract 7). */
function errorForRequest(
  operation: Operation,
  request: FastifyRequest,
  choices: Choices,
): MockAnswer | undefined {
  if (request.method !== 'GET') {
    const answer = errorAnswer(405, 'only GET is allowed', choices);
    return { ...answer, headers: { ...answer.headers, allow: 'GET' } };
  }
  const accepted = request.headers.accept ?? '';
  if (choices.strictAccept && !accepted.includes('application/json')) {
    return errorAnswer(406, 'only application/json is served', choices);
  }
  const declared: readonly string[] = operation.query;
  const unknown = Object.keys(queryOf(request, choices)).find((name) => !declared.includes(name));
  if (choices.unknownParameters === 'rejected' && unknown !== undefined) {
    return errorAnswer(400, `unknown parameter ${unknown}`, choices);
  }
  return undefined;
}
