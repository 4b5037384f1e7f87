import { loadContract } from '../../schemas/contract.ts';
import { textOf } from '../../schemas/json.ts';
import type { HttpResponse } from '../../schemas/judgement.ts';
import type { Disclosure } from '../client/disclosure.ts';
import {
  type Blocked,
  type Effort,
  effortOf,
  type HttpClient,
  type RequestOverrides,
} from '../client/http-client.ts';
import { type Digest, digestOf, type Kept, keptFor } from './digest/digest.ts';
import type { Outcome } from './digest/outcome.ts';
import type { OperationQuestions } from './questions.ts';
import { keyOf, shortened } from './requests.ts';

/** A request with what is kept of the answer, in which nothing can be read that may not be shown. */
export interface RecordedExchange extends Effort {
  operation: string | undefined;
  path: string;
  parameters: URLSearchParams;
  /** The request without identifiers. */
  exchange: string;
  outcome: Outcome;
  status?: number;
  bytes?: number;
  /** Why there was no answer: to decide by, and to write. */
  blocked?: { raw: string; shown: string };
  digest?: Digest;
}

/** A client that keeps what inferences need of what comes through it, by request. */
export interface RecordingClient extends HttpClient {
  recorded: Map<string, RecordedExchange>;
  disclosure: Disclosure;
  /** What it keeps answers for. */
  questions: OperationQuestions[];
  /** @param shown the path as it may be written, where nothing in it is a target's own */
  get(
    path: string,
    givenUp?: () => string | undefined,
    overrides?: RequestOverrides,
    shown?: string,
  ): Promise<(HttpResponse | Blocked) & Effort>;
}

/** Keeps what the questions need of each answer, and shows all of it to the disclosure. */
export function recordExchanges(
  client: HttpClient,
  disclosure: Disclosure,
  questions: OperationQuestions[],
): RecordingClient {
  const kept = keptFor(questions);
  const recorded = new Map<string, RecordedExchange>();
  const get: RecordingClient['get'] = async (path, givenUp, overrides, shown = redactUrl(path)) => {
    const answer = await client.get(path, givenUp, overrides);
    const exchange = `GET ${shown}${requestNote(overrides)}`;
    if (isSent(answer))
      recorded.set(keyOf(path, overrides), record(path, exchange, answer, disclosure, kept));
    return answer;
  };
  return { ...client, get, recorded, disclosure, questions };
}

const isSent = (answer: HttpResponse | Blocked) =>
  !('blocked' in answer && answer.blocked.startsWith('not sent'));

function record(
  path: string,
  exchange: string,
  answer: (HttpResponse | Blocked) & Effort,
  disclosure: Disclosure,
  kept: Kept,
): RecordedExchange {
  const { pathname, searchParams: parameters } = new URL(path, 'http://example.com');
  const operation = operationAt(pathname)?.id;
  const request = { operation, path, parameters, exchange, ...effortOf(answer) };
  if ('blocked' in answer)
    return {
      ...request,
      outcome: { kind: 'silent', words: 'no answer' },
      blocked: blockedOf(answer, disclosure),
    };
  const { status, body } = answer;
  return { ...request, status, bytes: body.length, ...read(request, answer, disclosure, kept) };
}

/** A sentence of this suite, which may name a module or what it threw. */
const blockedOf = ({ blocked }: Blocked, { mask }: Disclosure) => ({ raw: blocked, shown: mask(blocked) });

/** Far more than any page that this suite asks for; parsed it would take many times the room of the text. */
const [maxLength, maxValues] = [8 * 1024 * 1024, 300_000];
const unreadable: Outcome = { kind: 'unreadable', words: 'the answer could not be read' };

/** One odd answer must not cost the rest of the run. */
function read(
  { operation, path }: Pick<RecordedExchange, 'operation' | 'path'>,
  answer: HttpResponse,
  disclosure: Disclosure,
  kept: Kept,
) {
  try {
    const text = textOf(answer.body);
    // Behind a slash too many the same records may be found.
    const alike = operation ?? operationAt(path.replace(/\/(\?.*)?$/, ''))?.id;
    const values = disclosure.learn(alike, answer, text);
    if (text.length > maxLength || values > maxValues) return { outcome: unreadable };
    const digest = digestOf(operation, answer, parse(text), kept);
    return { outcome: digest.outcome, digest };
  } catch {
    return { outcome: unreadable };
  }
}

/** Nothing is judged here: what a strict reading would find out has no bearing on an answer. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const routeOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
const operationAt = (route: string) =>
  loadContract().operations.find(({ path }) => routeOf(path).test(route));

function requestNote({ accept, anonymous }: RequestOverrides = {}): string {
  return (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');
}

/** A path as it may be written: parameters whose values are not public are named alone. */
function redactUrl(path: string): string {
  const [route = '', query = ''] = path.split('?');
  const { path: described = route, parameters = [] } = operationAt(route) ?? {};
  const hidden = parameters.filter((one) => one['x-data-classification'].sensitivity !== 'public');
  const pairs = query.split('&').map((pair) =>
    redactParameter(
      pair,
      hidden.map(({ name }) => name),
    ),
  );
  return query ? `${described}?${pairs.join('&')}` : described;
}

function redactParameter(pair: string, hidden: string[]): string {
  const [name = '', value = ''] = pair.split('=');
  return value && hidden.includes(name) ? `${name}={${name}}` : shortened(pair);
}
