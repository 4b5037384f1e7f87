import { loadContract } from '../../schemas/contract.ts';
import type { Answer } from '../../schemas/judgement.ts';
import type { Blocked, Door, Unusual } from '../client/send.ts';
import { invented } from './requests.ts';

/** A request with what came back, raw: in memory only. */
export interface Heard {
  operation: string | undefined;
  path: string;
  parameters: URLSearchParams;
  /** The request, told without identifiers. */
  exchange: string;
  answer: Answer | Blocked;
  /** The body as JSON, when it is that. */
  body: unknown;
}

/** A door that keeps what comes through it, by request. */
export interface ListeningDoor extends Door {
  heard: Map<string, Heard>;
}

export const keyOf = (path: string, unusual: Unusual = {}) => `${path} ${JSON.stringify(unusual)}`;

/** Lets nothing be asked twice that was heard before. */
export function listening(door: Door): ListeningDoor {
  const heard = new Map<string, Heard>();
  const get: Door['get'] = async (path, givenUp, unusual) => {
    const known = heard.get(keyOf(path, unusual));
    if (known) return known.answer;
    const answer = await door.get(path, givenUp, unusual);
    if (isSent(answer)) heard.set(keyOf(path, unusual), hear(path, answer, unusual));
    return answer;
  };
  return { ...door, get, heard };
}

const isSent = (answer: Answer | Blocked) => !('blocked' in answer && answer.blocked.startsWith('not sent'));

function hear(path: string, answer: Answer | Blocked, unusual: Unusual = {}): Heard {
  const { pathname, searchParams: parameters } = new URL(path, 'http://example.com');
  const operation = loadContract().operations.find((one) => routeOf(one.path).test(pathname))?.id;
  const body = 'blocked' in answer ? undefined : parse(answer.body);
  return { operation, path, parameters, exchange: `GET ${told(path)}${remark(unusual)}`, answer, body };
}

/** Nothing is judged here: what a strict reading would find out has no bearing on an answer. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

const routeOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);

function remark({ accept, anonymous }: Unusual): string {
  return (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');
}

/** A path as it may be written: identifiers are left out unless they are our own invention. */
function told(path: string): string {
  const [route = '', query = ''] = path.split('?');
  const { operations } = loadContract();
  const described = operations.find((operation) => routeOf(operation.path).test(route))?.path ?? route;
  const place = route.endsWith(invented.unknown) || route.endsWith(invented.malformed) ? route : described;
  return query ? `${place}?${query.split('&').map(toldParameter).join('&')}` : place;
}

function toldParameter(pair: string): string {
  const [name = '', value = ''] = pair.split('=');
  if (name === 'user_id' && value && value !== invented.unknown) return 'user_id={user_id}';
  return value.length > 40 ? `${name}=${value.slice(0, 8)}…` : pair;
}
