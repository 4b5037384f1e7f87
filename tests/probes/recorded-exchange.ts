import type { Contract } from '../../schemas/contract/contract.ts';
import { textOf } from '../../schemas/json/read.ts';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import { carriesEnvelope } from '../../schemas/judge/success-or-error.ts';
import type { CircuitBreaker } from '../client/circuit-breaker.ts';
import { type Blocked, type Effort, effortOf, type HttpClient, requestKey } from '../client/http-client.ts';
import type { RequestOverrides } from '../client/request-headers.ts';
import type { Disclosure } from '../redaction/disclosure.ts';
import { type Digest, type DigestFields, digestFields, digestOf } from './digest/digest.ts';
import type { Outcome } from './digest/outcome.ts';
import type { OperationQuestions } from './operation-questions.ts';
import { operationAt, redactUrl, requestNote } from './shown-request.ts';

/** A request with what is kept of the answer, in which nothing can be read that may not be shown. */
export interface RecordedExchange extends Effort {
  /** How many requests were begun before it. */
  ordinal: number;
  operation: string | undefined;
  path: string;
  parameters: URLSearchParams;
  /** The request without identifiers. */
  exchange: string;
  outcome: Outcome;
  status?: number;
  bytes?: number;
  /** Set where a response of an operation holds nothing of the envelope that the contract promises. */
  lacksEnvelope?: true;
  /** Why there was no answer: to decide by, and to write. */
  blocked?: { raw: string; shown: string };
  digest?: Digest;
  /** Set where the same request was sent before. */
  again?: true;
}

/** A client that keeps what inferences need of what comes through it, by request. */
export interface RecordingClient extends HttpClient {
  recorded: Map<string, RecordedExchange>;
  disclosure: Disclosure;
  contract: Contract;
  /** What it keeps answers for. */
  questions: OperationQuestions[];
  /** @param shown the path as it may be written, where nothing in it is a target's own */
  get(
    path: string,
    breaker?: CircuitBreaker,
    overrides?: RequestOverrides,
    shown?: string,
  ): Promise<(HttpResponse | Blocked) & Effort>;
}

/** Keeps what the questions need of each answer, and shows all of it to the disclosure. */
export function recordExchanges(
  client: HttpClient,
  disclosure: Disclosure,
  contract: Contract,
  questions: OperationQuestions[],
): RecordingClient {
  const context = { disclosure, contract, fields: digestFields(contract, questions) };
  const recorded = new Map<string, RecordedExchange>();
  let begun = 0;
  const get: RecordingClient['get'] = async (path, breaker, overrides, shown = redactUrl(contract, path)) => {
    const ordinal = begun;
    begun += 1;
    const answer = await client.get(path, breaker, overrides);
    const exchange = `GET ${shown}${requestNote(overrides)}`;
    if (!('notSent' in answer)) {
      const again = overrides?.again ? { again: true as const } : {};
      const request = { ordinal, path, exchange };
      recorded.set(requestKey(path, overrides), { ...record(context, request, answer), ...again });
    }
    return answer;
  };
  return { ...client, get, recorded, disclosure, contract, questions };
}

/** What the reading of an answer depends on. */
interface Context {
  disclosure: Disclosure;
  contract: Contract;
  fields: DigestFields;
}

function record(
  context: Context,
  begun: Pick<RecordedExchange, 'ordinal' | 'path' | 'exchange'>,
  answer: (HttpResponse | Blocked) & Effort,
): RecordedExchange {
  const { pathname, searchParams: parameters } = new URL(begun.path, 'http://example.com');
  const operation = operationAt(context.contract, pathname);
  const request = { ...begun, operation: operation?.id, parameters, ...effortOf(answer) };
  if ('blocked' in answer) {
    // What it holds is not known, and may be personal.
    if (answer.unread) context.disclosure.quoteNothing();
    return {
      ...request,
      outcome: { kind: 'unanswered', label: 'no answer' },
      blocked: blockedOf(answer, context.disclosure),
    };
  }
  const { status, body } = answer;
  const known = operation && !carriesEnvelope(operation, answer) ? { lacksEnvelope: true as const } : {};
  return { ...request, status, bytes: body.length, ...known, ...read(context, request, answer) };
}

/** A sentence of this suite, which may name a module or what it threw. */
const blockedOf = ({ blocked }: Blocked, { maskReason }: Disclosure) => ({
  raw: blocked,
  shown: maskReason(blocked),
});

/** Far more than any page that this suite asks for; parsed it would take many times the room of the text. */
const [maxLength, maxValues] = [8 * 1024 * 1024, 300_000];
const unreadable: Outcome = { kind: 'unreadable', label: 'the answer could not be read' };

/** One odd answer must not cost the rest of the run. */
function read(
  { disclosure, contract, fields }: Context,
  { operation, path }: Pick<RecordedExchange, 'operation' | 'path'>,
  answer: HttpResponse,
) {
  try {
    const text = textOf(answer.body);
    // Behind a slash too many the same records may be found.
    const alike = operation ?? operationAt(contract, path.replace(/\/(\?.*)?$/, ''))?.id;
    const values = disclosure.learn(alike, answer, text);
    if (text.length > maxLength || values > maxValues) return { outcome: unreadable };
    const digest = digestOf(contract, operation, answer, parse(text), fields);
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
