import type { Operation } from '../../schemas/contract.ts';
import { judge } from '../../schemas/judge.ts';
import { type HttpResponse, isEmpty, type Judgement } from '../../schemas/judgement.ts';
import type { Entry } from '../../schemas/ledger.ts';
import { carriesRecord, claimsSuccess, rejectionRuleOf } from '../../schemas/rules.ts';
import { CircuitBreaker } from '../client/circuit-breaker.ts';
import { plainCurl } from '../client/curl.ts';
import { type Blocked, type Effort, effortOf, type HttpClient, requestKey } from '../client/http-client.ts';
import type { Observation, Request } from '../client/observation.ts';
import { observeExchange } from './observe-exchange.ts';
import { type Arguments, pathOf, requestOf, valuesOf } from './request.ts';
import type { ResponseSummary } from './session.ts';

type Summarize = (body: unknown, repeat: string) => unknown;

/** Records what one operation asks: at most one request each, given up when no response arrives. */
export class Recorder {
  readonly #sent = new Map<string, Promise<ResponseSummary>>();
  readonly #observations = new Map<ResponseSummary, Observation>();
  readonly #operation: Operation;
  readonly #client: HttpClient;
  readonly #entries: Entry[];
  readonly #summarize: Summarize;
  readonly #curl: string;
  readonly #breaker = new CircuitBreaker({ inARow: true });

  constructor(
    operation: Operation,
    client: HttpClient,
    entries: Entry[],
    summarize: Summarize = () => undefined,
    curl = plainCurl,
  ) {
    this.#operation = operation;
    this.#client = client;
    this.#entries = entries;
    this.#summarize = summarize;
    this.#curl = curl;
  }

  /** Sends a request, judges and records the response. Waits for nothing but that response. */
  readonly ask = (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = pathOf(this.#operation, parameters);
    const key = requestKey(path);
    const response = this.#sent.get(key) ?? this.#send(path, parameters);
    this.#sent.set(key, response);
    return response;
  };

  /** What was observed; of error responses that the contract leaves open, nothing is judged. */
  observations(openErrors: Iterable<ResponseSummary> = []): Observation[] {
    const open = new Set(openErrors);
    return [...this.#observations].map(([response, observation]) =>
      response.rejected && open.has(response) ? withoutJudgement(observation) : observation,
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
    const unjudged = { visits: {}, states: {}, findings: [], tolerated: [] };
    const expectsSuccess = this.#expectsSuccess(parameters);
    const reason = notSent ? { blocked, notSent } : { blocked };
    const observation = { ...request, expectsSuccess, ...unjudged, ...reason, ...effortOf(answer) };
    return this.#record(observation, { answered: false, rejected: false }, undefined);
  }

  #recordAnswer(request: Request, answer: HttpResponse & Effort, parameters: Arguments): ResponseSummary {
    const operation = this.#operation;
    const exchange = { operation, parameters: valuesOf(parameters), answer };
    const judgement = judge(exchange);
    const rejected = isRejected(operation, judgement, answer);
    const observed = observeExchange(exchange, request, judgement, this.#entries);
    const observation = { ...observed, ...effortOf(answer) };
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

function isRejected(operation: Operation, judgement: Judgement, answer: HttpResponse): boolean {
  const broken = !isEmpty(judgement.violations) || judgement.blocked !== undefined;
  return broken && isErrorResponse(operation, answer);
}

const isErrorResponse = (operation: Operation, answer: HttpResponse) =>
  !claimsSuccess(operation, answer) && !carriesRecord(operation, answer);

function withoutJudgement({ blocked: _, ...observation }: Observation): Observation {
  return { ...observation, expectsSuccess: false, visits: {}, states: {}, findings: [], tolerated: [] };
}
