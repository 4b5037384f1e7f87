import type { Operation } from '../../schemas/contract/contract.ts';
import { isDocumentedRequest } from '../../schemas/contract/documented-request.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { classifyStatus } from '../../schemas/judge/classify-response.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import { rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { CircuitBreaker } from '../client/circuit-breaker.ts';
import { type Blocked, type Effort, effortOf, type HttpClient, requestKey } from '../client/http-client.ts';
import { type Observation, type Request, withoutJudgement } from '../redaction/observation.ts';
import type { Seen } from '../relations/sightings-of-run.ts';
import { observeAgain } from './observe-again.ts';
import { observeBlocked, observeExchange } from './observe-exchange.ts';
import { type Outcome, outcomeOf, unanswered } from './outcome.ts';
import { type Arguments, pathOf, requestOf, valuesOf } from './request.ts';
import { isRejected, rejectionIn, type SeenIn, type Source, seenIn, showedPayload } from './seen-response.ts';
import type { ResponseSummary } from './session.ts';

/** What a recorder works with. */
export interface RecorderContext {
  client: Pick<HttpClient, 'get'>;
  entries: Entry[];
  /** A command of the shell that asks the target; an address follows. */
  curl: string;
  /** What is kept of a body. */
  summarize?: ((body: unknown, repeat: string, operation: Operation) => unknown) | undefined;
  /** Receives each response, for the rules between them. */
  onResponse(seen: Seen<Source>): void;
}

/** A response, as it is kept and as it is judged. */
interface Recorded {
  response: ResponseSummary;
  observation: Observation;
}

/** The response to a request that was sent again, and what it is to the rules between responses. */
interface Repeated {
  response: ResponseSummary;
  seen: Seen<Source>;
}

/** Records what one operation asks: at most one request each, given up when no response arrives. */
export class Recorder {
  readonly #sent = new Map<string, Promise<Recorded>>();
  readonly #observations = new Map<ResponseSummary, Observation>();
  /** How many requests were sent before that of a response: responses come in another order. */
  readonly #ordinals = new Map<ResponseSummary, number>();
  /** Responses to what the contract does not document, as to an identifier of another form. */
  readonly #undocumented = new Set<ResponseSummary>();
  readonly #operation: Operation;
  readonly #context: RecorderContext;
  readonly #breaker = new CircuitBreaker({ inARow: true });

  constructor(operation: Operation, context: RecorderContext) {
    this.#operation = operation;
    this.#context = context;
  }

  /** Sends a request, judges and records the response. Waits for nothing but that response. */
  readonly ask = async (parameters: Arguments = {}): Promise<ResponseSummary> =>
    (await this.#askOnce(parameters)).response;

  /** Sends a request once more, and the first time where it was not sent before; judged as by `askSourceAgain`. */
  readonly askAgain = async (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const { observation } = await this.#askOnce(parameters);
    return (await this.#repeat({ arguments: parameters, observation })).response;
  };

  /** Sends a request once more, and judges what is new; of an error response nothing that changed data may explain. */
  readonly askSourceAgain = async (source: Source): Promise<Seen<Source>> =>
    (await this.#repeat(source)).seen;

  /** Lists these responses first, in their order: they were requested in parallel, so that they arrived in any order. */
  putFirst(responses: ResponseSummary[]): void {
    for (const [place, response] of responses.entries())
      this.#ordinals.set(response, place - responses.length);
  }

  #askOnce(parameters: Arguments): Promise<Recorded> {
    const path = pathOf(this.#operation, parameters);
    const key = requestKey(path);
    const recorded = this.#sent.get(key) ?? this.#sendNext(path, parameters);
    this.#sent.set(key, recorded);
    return recorded;
  }

  async #sendNext(path: string, parameters: Arguments): Promise<Recorded> {
    const ordinal = this.#sent.size;
    const recorded = await this.#send(path, parameters);
    this.#ordinals.set(recorded.response, ordinal);
    return recorded;
  }

  async #repeat(source: Source): Promise<Repeated> {
    const operation = this.#operation;
    const request = requestOf(operation, source.arguments, this.#context.curl);
    const path = pathOf(operation, source.arguments);
    const answer = await this.#context.client.get(path, this.#breaker, { again: true });
    return 'blocked' in answer
      ? this.#blockedAgain(source, request, answer)
      : this.#answeredAgain(source, request, answer);
  }

  #blockedAgain(source: Source, request: Request, answer: Blocked & Effort): Repeated {
    const expectsSuccess = showedPayload(this.#operation, source.observation);
    const observation = { ...observeBlocked(request, answer, expectsSuccess), again: true as const };
    const { response } = this.#record(observation, unanswered, undefined);
    return { response, seen: this.#seen(source, { outcome: 'other' }) };
  }

  #answeredAgain(source: Source, request: Request, answer: HttpResponse & Effort): Repeated {
    const { observation, seen, outcome, body } = observeAgain(
      this.#operation,
      source,
      request,
      answer,
      this.#context.entries,
    );
    const { response } = this.#record(observation, outcome, body);
    return { response, seen: this.#seen({ ...source, observation }, seen) };
  }

  #seen(source: Source, seen: SeenIn): Seen<Source> {
    return {
      operation: this.#operation,
      parameters: valuesOf(source.arguments),
      body: undefined,
      ...seen,
      source,
    };
  }

  /**
   * What was observed, in the order in which it was requested, and then what was requested again; of error responses that the
   * contract leaves open, nothing is judged.
   */
  observations(
    openErrors: Iterable<ResponseSummary> = [],
    related: ReadonlyMap<Observation, Observation> = new Map(),
  ): Observation[] {
    const open = new Set([...openErrors, ...this.#undocumentedWhereOthersSucceed()]);
    const ordinalOf = (response: ResponseSummary) => this.#ordinals.get(response) ?? this.#sent.size;
    const inOrder = [...this.#observations].sort(([one], [other]) => ordinalOf(one) - ordinalOf(other));
    return inOrder.map(([response, observation]) =>
      response.rejected && open.has(response)
        ? withoutJudgement(observation)
        : (related.get(observation) ?? observation),
    );
  }

  /** Where every configured identifier is rejected, that is said of all of them. */
  #undocumentedWhereOthersSucceed(): Iterable<ResponseSummary> {
    const succeeds = ([{ answered, rejected }, { configured }]: [ResponseSummary, Observation]) =>
      configured && answered && !rejected;
    return [...this.#observations].some(succeeds) ? this.#undocumented : [];
  }

  async #send(path: string, parameters: Arguments): Promise<Recorded> {
    const request = requestOf(this.#operation, parameters, this.#context.curl);
    const answer = await this.#context.client.get(path, this.#breaker);
    return 'blocked' in answer
      ? this.#recordBlocked(request, answer, parameters)
      : this.#recordAnswer(request, answer, parameters);
  }

  #recordBlocked(request: Request, answer: Blocked & Effort, parameters: Arguments): Recorded {
    const rule = rejectionRuleOf(this.#operation, valuesOf(parameters));
    const observation = observeBlocked(request, answer, !rule);
    return this.#record(observation, unanswered, undefined);
  }

  #recordAnswer(request: Request, answer: HttpResponse & Effort, parameters: Arguments): Recorded {
    const operation = this.#operation;
    const exchange = { operation, parameters: valuesOf(parameters), answer };
    const judgement = judge(exchange);
    const rejected = isRejected(operation, judgement, answer);
    const observed = observeExchange(exchange, request, judgement, this.#context.entries);
    const kind = classifyStatus(operation, answer.status);
    const seen = seenIn(operation, kind, judgement);
    const observation = { ...observed, ...effortOf(answer), ...(rejected && rejectionIn(observed, seen)) };
    this.#context.onResponse(this.#seen({ arguments: parameters, observation }, seen));
    const outcome = outcomeOf(kind, judgement, { rejected, failed: seen.outcome === 'failure' });
    const recorded = this.#record(observation, outcome, rejected ? undefined : judgement.body);
    if (!isDocumentedRequest(operation, exchange.parameters)) this.#undocumented.add(recorded.response);
    return recorded;
  }

  #record(observation: Observation, outcome: Outcome, body: unknown): Recorded {
    const content = this.#context.summarize?.(body, observation.repeat, this.#operation);
    const response = { ...outcome, content };
    this.#observations.set(response, observation);
    return { response, observation };
  }
}
