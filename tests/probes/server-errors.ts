import { addressInShell, atPlace, plainCurl } from '../client/curl.ts';
import type { Finding } from '../redaction/observation.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** Faults of a server, as opposed to a target that cannot be reached any more. */
const cutShort = /^no complete answer|connection was reset|cut off|not HTTP/;

/** What is wrong with an answer to any request: HTTP 5xx, or none. */
export function serverErrorOf(recorded: RecordedExchange, curl = plainCurl): Finding | undefined {
  const { operation = '', exchange, path, outcome, blocked } = recorded;
  const unanswered = blocked && cutShort.test(blocked.raw) ? blocked.shown : undefined;
  const actual = outcome.kind === 'failed' ? outcome.label : unanswered;
  if (!actual) return undefined;
  return {
    kind: 'server error',
    requirement: '',
    operation,
    pointer: 'http',
    expected: 'an error response or a success',
    actual,
    exchange,
    // What the exchange withholds would be shown by its command.
    ...(exchange === `GET ${path}` ? { repeat: atPlace(`${curl} ${addressInShell(path)}`, 'http') } : {}),
  };
}
