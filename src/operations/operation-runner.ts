import type { Operation } from '../../schemas/contract/contract.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { isFailure, otherReason } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { type Observation, type Request, withoutJudgement } from '../redact/observation.ts';
import type { Relations, ShownRecord } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import type { OperationRequests, ResponseSummary } from './operation-file.ts';
import { type Arguments, pathOf, type RequestContext, sendAndJudge, valuesOf } from './request.ts';

/** A request that was sent: enough to repeat and to show it. */
export interface SentRequest {
  arguments: Arguments;
  observation: Observation;
  /** What the response shows of records, hashed; undefined if it was not compared. */
  shown?: ShownRecord[][];
  summary?: StoredSummary;
}

/** The part of a summary that is stored. */
type StoredSummary = Pick<ResponseSummary, 'rejected' | 'failed' | 'content'>;

/** A request with its response, as the operation's file and as the rules between responses read it. */
interface SentResponse {
  response: ResponseSummary;
  seen: Seen<SentRequest>;
}

/** Sends, judges and compares the requests of one operation, each distinct request once. */
export class OperationRunner {
  readonly #responses = new Map<string, Promise<ResponseSummary>>();
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly operation: Operation;
  readonly file: OperationRequests;
  /** Every request that was sent, in the order in which the responses arrived. */
  readonly requests: SentRequest[] = [];

  constructor(
    operation: Operation,
    file: OperationRequests,
    context: RequestContext,
    relations: Relations<SentRequest>,
  ) {
    this.operation = operation;
    this.file = file;
    this.#context = { ...context, breaker: new CircuitBreaker() };
    this.#relations = relations;
  }

  /** Sends a request, and records the judged response. Equal parameters share one request. */
  readonly send = (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = pathOf(this.operation, parameters);
    const response = this.#responses.get(path) ?? this.#sendFirst(parameters).then((sent) => sent.response);
    this.#responses.set(path, response);
    return response;
  };

  /** Takes a request that an earlier worker of the run has sent. */
  restore(request: SentRequest): void {
    const { arguments: parameters, observation, shown, summary } = request;
    if (shown) this.#relations.replay(this.operation, shown, request);
    if (summary && !observation.again) {
      const response = { ...summary, excludeFromVerdict: () => excludeFromVerdict(request) };
      this.#responses.set(pathOf(this.operation, parameters), Promise.resolve(response));
    }
    this.requests.push(request);
  }

  async #sendFirst(parameters: Arguments): Promise<SentResponse> {
    const { judged, observation } = await sendAndJudge(this.#context, this.operation, parameters);
    const request = { operation: this.operation, parameters: valuesOf(parameters) };
    const isOpen =
      judged?.kind === 'rejection' && isRejected(judged) && this.#isKnownRecord(observation, request);
    const sent = this.#record(parameters, isOpen ? excludedRejection(observation) : observation);
    const seen = { ...request, ...shownBy(this.operation, judged), source: sent };
    if (judged) compareAndStore(this.#relations, seen);
    const outcome = outcomeOf(judged);
    if (outcome.rejected && !isDocumentedRequest(this.operation, request.parameters))
      excludeFromVerdict(sent);
    sent.summary = { ...outcome, content: this.#summarize(judged, observation) };
    return { seen, response: { ...sent.summary, excludeFromVerdict: () => excludeFromVerdict(sent) } };
  }

  /** Sends a request once more for the rules between responses. Judges only what the first response did not show. */
  async repeat({ arguments: parameters, observation: first }: SentRequest): Promise<Seen<SentRequest>> {
    const { judged, observation } = await sendAndJudge(this.#context, this.operation, parameters, {
      again: true,
    });
    const isOpen = judged && this.#isOpenRepetition(judged, observation, first);
    const kept = isOpen ? openRepetition(judged, observation) : observation;
    const sent = this.#record(parameters, kept);
    const request = { operation: this.operation, parameters: valuesOf(parameters) };
    return { ...request, ...shownBy(this.operation, judged), source: sent };
  }

  #record(parameters: Arguments, observation: Observation): SentRequest {
    const sent = { arguments: parameters, observation };
    this.requests.push(sent);
    return sent;
  }

  #summarize(judged: Judged | undefined, { repeat }: Observation): unknown {
    return this.file.summarize?.(judged && !isRejected(judged) ? judged.body : undefined, repeat);
  }

  /** Whether a response or a list has shown the record that a request looks up, so that its absence is no matter of the request. */
  #isKnownRecord(
    observation: Observation,
    request: Pick<Seen<unknown>, 'operation' | 'parameters'>,
  ): boolean {
    return namesListedRecord(this.operation, observation) || this.#relations.isShown(request);
  }

  #isOpenRepetition(judged: Judged, observation: Observation, first: Observation): boolean {
    if (!isRejected(judged)) return !showsMore(observation, first);
    if (judged.kind === 'rejection') return true;
    return namesListedRecord(this.operation, observation) && !saysNothing(judged);
  }
}

/** Compares a response with earlier ones, stores what it shows, and counts the rules that it keeps. */
export function compareAndStore(relations: Relations<SentRequest>, seen: Seen<SentRequest>): void {
  const { kept, shown } = relations.see(seen);
  const { observation } = seen.source;
  seen.source.shown = shown;
  seen.source.observation = { ...observation, exercised: { ...observation.exercised, ...kept } };
}

/** Drops the judgement of a response that the contract leaves open. */
export function excludeFromVerdict(sent: SentRequest): void {
  sent.observation = withoutJudgement(sent.observation);
}

/** The record is known to exist, or may have gone meanwhile: the configuration is not at fault. */
const excludedRejection = (observation: Observation): Observation => ({
  ...withoutJudgement(observation),
  configured: false,
});

const openRepetition = (judged: Judged, observation: Observation): Observation =>
  isRejected(judged) ? excludedRejection(observation) : withoutJudgement(observation);

/** Whether a response breaks a requirement that the first response to the same request did not break. */
const showsMore = ({ findings, blocked }: Observation, first: Observation): boolean =>
  blocked !== undefined ||
  findings.some(({ requirement }) => first.findings.every((finding) => finding.requirement !== requirement));

/** Whether a response is no success, and holds nothing of what a success carries. */
const isRejected = ({ kind, hasRecord }: Judged): boolean => kind !== 'success' && !hasRecord;

/** Whether a response says nothing about its request, as when the target is overloaded. */
const saysNothing = ({ kind, blocked }: Judged): boolean =>
  blocked !== undefined || otherReason(kind, '') !== undefined;

const outcomeOf = (judged: Judged | undefined): Pick<ResponseSummary, 'rejected' | 'failed'> =>
  judged && !saysNothing(judged)
    ? { rejected: isRejected(judged), failed: isFailure(judged.kind) }
    : { rejected: false };

/** Whether a request has an identifier that came from a response rather than from the configuration. */
const namesListedRecord = ({ parameters }: Operation, { configured, parameters: values }: Request): boolean =>
  !configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(values, name));
