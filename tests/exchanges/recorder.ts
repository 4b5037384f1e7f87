import type { Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { classifyStatus, isFailure, type ResponseKind } from '../../schemas/judge/classify.ts';
import { judge } from '../../schemas/judge/judge.ts';
import { type HttpResponse, isEmpty, type Judgement } from '../../schemas/judge/judgement.ts';
import { holdsRecord, isErrorResponse, rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { CircuitBreaker } from '../client/circuit-breaker.ts';
import { plainCurl } from '../client/curl.ts';
import { type Blocked, type Effort, effortOf, type HttpClient, requestKey } from '../client/http-client.ts';
import { nothingJudged, type Observation, type Request, withoutJudgement } from '../redaction/observation.ts';
import type { Seen } from '../relations/sightings-of-run.ts';
import { observeExchange } from './observe-exchange.ts';
import { type Arguments, pathOf, requestOf, valuesOf } from './request.ts';
import type { ResponseSummary } from './session.ts';

type Summarize = (body: unknown, repeat: string) => unknown;

/** Where a response comes from: enough to ask again, and to show it. */
export interface Source {
  arguments: Arguments;
  observation: Observation;
}

/** Receives each response, for the rules between them. */
type OnResponse = (seen: Seen<Source>) => void;

/** Records what one operation asks: at most one request each, given up when no response arrives. */
export class Recorder {
  readonly #sent = new Map<string, Promise<ResponseSummary>>();
  readonly #observations = new Map<ResponseSummary, Observation>();
  readonly #operation: Operation;
  readonly #client: Pick<HttpClient, 'get'>;
  readonly #entries: Entry[];
  readonly #summarize: Summarize;
  readonly #curl: string;
  readonly #onResponse: OnResponse;
  readonly #breaker = new CircuitBreaker({ inARow: true });

  constructor(
    operation: Operation,
    client: Pick<HttpClient, 'get'>,
    entries: Entry[],
    summarize: Summarize = () => undefined,
    curl = plainCurl,
    onResponse: OnResponse = () => {},
  ) {
    this.#operation = operation;
    this.#client = client;
    this.#entries = entries;
    this.#summarize = summarize;
    this.#curl = curl;
    this.#onResponse = onResponse;
  }

  /** Sends a request, judges and records the response. Waits for nothing but that response. */
  readonly ask = (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = pathOf(this.#operation, parameters);
    const key = requestKey(path);
    const response = this.#sent.get(key) ?? this.#send(path, parameters);
    this.#sent.set(key, response);
    return response;
  };

  /**
   * Sends the request of a response once more. What that did not break is judged; of an error response nothing, since the record may
   * be gone by now.
   */
  readonly askAgain = async (source: Source): Promise<Seen<Source>> => {
    const operation = this.#operation;
    const request = requestOf(operation, source.arguments, this.#curl);
    const path = pathOf(operation, source.arguments);
    const answer = await this.#client.get(path, this.#breaker, { again: true });
    const unjudged = { expectsSuccess: false, ...nothingJudged() };
    const again = { ...effortOf(answer), again: true as const };
    if ('blocked' in answer) {
      const { blocked } = answer;
      this.#record(
        { ...request, ...unjudged, ...again, blocked },
        { answered: false, rejected: false },
        undefined,
      );
      return this.#seen(source, { outcome: 'other' });
    }
    const { status, body } = answer;
    const exchange = { operation, parameters: valuesOf(source.arguments), answer };
    const judgement = judge(exchange);
    const response = classifyStatus(operation, status);
    const rejected = isErrorResponse(operation, answer) && !holdsRecord(operation, answer);
    const received = { ...request, ...unjudged, ...again, status, response, bytes: body.length };
    const judged = rejected
      ? {}
      : newIn(observeExchange(exchange, request, judgement, this.#entries), source);
    this.#record({ ...received, ...judged }, { answered: true, rejected }, undefined);
    return this.#seen(source, seenIn(operation, response, judgement));
  };

  #seen(source: Source, seen: SeenIn): Seen<Source> {
    return {
      operation: this.#operation,
      parameters: valuesOf(source.arguments),
      body: undefined,
      ...seen,
      source,
    };
  }

  /** What was observed; of error responses that the contract leaves open, nothing is judged. */
  observations(
    openErrors: Iterable<ResponseSummary> = [],
    related: ReadonlyMap<Observation, Observation> = new Map(),
  ): Observation[] {
    const open = new Set(openErrors);
    return [...this.#observations].map(([response, observation]) =>
      response.rejected && open.has(response)
        ? withoutJudgement(observation)
        : (related.get(observation) ?? observation),
    );
  }

  async #send(path: string, parameters: Arguments): Promise<ResponseSummary> {
    const request = requestOf(this.#operation, parameters, this.#curl);
    const answer = await this.#client.get(path, this.#breaker);
    return 'blocked' in answer
      ? this.#recordBlocked(request, answer, parameters)
      : this.#recordAnswer(request, answer, parameters);
  }

  #recordBlocked(request: Request, answer: Blocked & Effort, parameters: Arguments): ResponseSummary {
    const { blocked, notSent } = answer;
    const expectsSuccess = this.#expectsSuccess(parameters);
    const reason = notSent ? { blocked, notSent } : { blocked };
    const observation = { ...request, expectsSuccess, ...nothingJudged(), ...reason, ...effortOf(answer) };
    return this.#record(observation, { answered: false, rejected: false }, undefined);
  }

  #recordAnswer(request: Request, answer: HttpResponse & Effort, parameters: Arguments): ResponseSummary {
    const operation = this.#operation;
    const exchange = { operation, parameters: valuesOf(parameters), answer };
    const judgement = judge(exchange);
    const rejected = isRejected(operation, judgement, answer);
    const observed = observeExchange(exchange, request, judgement, this.#entries);
    const observation = { ...observed, ...effortOf(answer) };
    this.#onResponse(
      this.#seen(
        { arguments: parameters, observation },
        seenIn(operation, classifyStatus(operation, answer.status), judgement),
      ),
    );
    return this.#record(observation, { answered: true, rejected }, rejected ? undefined : judgement.body);
  }

  #record(
    observation: Observation,
    outcome: Omit<ResponseSummary, 'content'>,
    body: unknown,
  ): ResponseSummary {
    const response = { ...outcome, content: this.#summarize(body, observation.repeat) };
    this.#observations.set(response, observation);
    return response;
  }

  #expectsSuccess(parameters: Arguments): boolean {
    return !rejectionRuleOf(this.#operation, valuesOf(parameters));
  }
}

/** What a response breaks that the first one to the same request did not. */
function newIn(
  { findings, visits, tolerated }: Observation,
  { observation: first }: Source,
): Partial<Observation> {
  const known = new Set(first.findings.map(({ requirement }) => requirement));
  const found = findings.filter(({ requirement }) => !known.has(requirement));
  const exercised = found.map(({ requirement }) => [requirement, visits[requirement] ?? 1]);
  return found.length > 0 ? { findings: found, visits: Object.fromEntries(exercised), tolerated } : {};
}

function isRejected(operation: Operation, judgement: Judgement, answer: HttpResponse): boolean {
  const broken = !isEmpty(judgement.violations) || judgement.blocked !== undefined;
  return broken && isErrorResponse(operation, answer);
}

type SeenIn = Pick<Seen<Source>, 'outcome'> & Partial<Pick<Seen<Source>, 'body'>>;

/** What a response is to the rules between responses: of a body that is ambiguous, or not there, nothing is compared. */
function seenIn(
  { id }: Operation,
  response: ResponseKind,
  { body, visits, isErrorEnvelope }: Judgement,
): SeenIn {
  const isError = isErrorEnvelope || response === 'rejection' || response === 'unauthorized';
  if (isError) return { outcome: 'error' };
  if (isFailure(response)) return { outcome: 'failure' };
  return Object.hasOwn(visits, addressOf(id, '')) ? { outcome: 'success', body } : { outcome: 'other' };
}
