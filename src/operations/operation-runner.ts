import type { Operation } from '../../schemas/contract/contract.ts';
import { http } from '../../schemas/contract/requirements.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { explainInconclusive, isFailure } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { dropJudgement, type Observation, type Request } from '../redact/observation.ts';
import type { Relations, ShownRecord } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import type { OperationRequests, ResponseSummary } from './operation-file.ts';
import { type Arguments, buildPath, type RequestContext, readValues, sendAndJudge } from './request.ts';

/** Request that was sent: its arguments, the observation of its response, and what a later worker needs to restore it. */
export interface SentRequest {
  arguments: Arguments;
  observation: Observation;
  /** Hashed records of the response, as `Relations` returns them; undefined if the response was not compared with others. */
  shown?: ShownRecord[][];
  summary?: StoredSummary;
}

/** Part of a `ResponseSummary` that is stored for a later worker: all but `excludeFromVerdict`. */
type StoredSummary = Pick<ResponseSummary, 'rejected' | 'failed' | 'content'>;

/** Response in two forms: `response` for the file of the operation, and `comparable` for the rules that compare responses. */
interface SentResponse {
  response: ResponseSummary;
  comparable: Seen<SentRequest>;
}

/** Sends and judges the requests of one operation, and compares its responses with others. Sends each distinct request once. */
export class OperationRunner {
  /** Responses by path and query, also coming ones, so that no request is sent twice. */
  readonly #responses = new Map<string, Promise<ResponseSummary>>();
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly operation: Operation;
  readonly file: OperationRequests;
  /** Requests that were sent, in the order of their responses. */
  readonly requests: SentRequest[] = [];

  constructor(
    operation: Operation,
    file: OperationRequests,
    context: RequestContext,
    relations: Relations<SentRequest>,
  ) {
    this.operation = operation;
    this.file = file;
    this.#context = { ...context, breaker: new CircuitBreaker({ countsOverload: true }) };
    this.#relations = relations;
  }

  /** Sends and judges a request, and adds it to `requests`. For the same path and query again, returns the earlier response. */
  readonly send = (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = buildPath(this.operation, parameters);
    const response =
      this.#responses.get(path) ?? this.#sendFirst(parameters).then((result) => result.response);
    this.#responses.set(path, response);
    return response;
  };

  /**
   * Adds a request that an earlier worker of the run sent to `requests`, and compares its records with others. Afterwards `send`
   * returns its response instead of sending the request again, unless it is a repetition.
   */
  restore(request: SentRequest): void {
    const { arguments: parameters, observation, shown: records, summary } = request;
    if (records) this.#relations.replay(this.operation, records, request);
    if (summary && !observation.again) {
      const response = { ...summary, excludeFromVerdict: () => excludeFromVerdict(request) };
      this.#responses.set(buildPath(this.operation, parameters), Promise.resolve(response));
    }
    this.requests.push(request);
  }

  /**
   * Sends a request that was not sent before. Judges, compares and summarizes the response, and adds the request to `requests`.
   */
  async #sendFirst(parameters: Arguments): Promise<SentResponse> {
    const { judged: result, observation } = await sendAndJudge(this.#context, this.operation, parameters);
    const request = { operation: this.operation, parameters: readValues(parameters) };
    // If another response has shown the record, the rules that compare responses judge whether the lookup must find it.
    const isJudgedElsewhere =
      result?.kind === 'rejection' && isErrorResponse(result) && this.#isKnownRecord(observation, request);
    const keptObservation = isJudgedElsewhere ? excludeRejection(observation) : observation;
    const source = this.#record(parameters, keptObservation);
    const comparable = { ...request, ...shownBy(this.operation, result), source };
    if (result) compareAndStore(this.#relations, comparable);
    const outcome = summarizeOutcome(result);
    // The contract does not say how an undocumented request is answered (contract section 7).
    const mayBeRejected = !isDocumentedRequest(this.operation, request.parameters);
    if (outcome.rejected && mayBeRejected) excludeFromVerdict(source);
    source.summary = { ...outcome, content: this.#summarize(result, observation) };
    const response = { ...source.summary, excludeFromVerdict: () => excludeFromVerdict(source) };
    return { comparable, response };
  }

  /**
   * Sends a request again, for the rules that compare responses, and adds it to `requests`. Drops its judgement if
   * `#mayDropRepetition` allows it, as for a response that shows no further violation.
   */
  async repeat({ arguments: parameters, observation: first }: SentRequest): Promise<Seen<SentRequest>> {
    const { judged: result, observation } = await sendAndJudge(this.#context, this.operation, parameters, {
      again: true,
    });
    const isDropped = result && this.#mayDropRepetition(result, observation, first);
    const source = this.#record(parameters, isDropped ? excludeRepetition(result, observation) : observation);
    const request = { operation: this.operation, parameters: readValues(parameters) };
    return { ...request, ...shownBy(this.operation, result), source };
  }

  /** Adds a request with its observation to `requests`, and returns it. */
  #record(parameters: Arguments, observation: Observation): SentRequest {
    const request = { arguments: parameters, observation };
    this.requests.push(request);
    return request;
  }

  /**
   * Calls `summarize` of the operation file, with undefined in place of the body of an error response. Undefined without
   * `summarize`.
   */
  #summarize(result: Judged | undefined, { repeat }: Observation): unknown {
    const body = result && !isErrorResponse(result) ? result.body : undefined;
    return this.file.summarize?.(body, repeat);
  }

  /**
   * Returns whether a list or another response showed the record that a lookup requests, so that a rejection is not due to a wrong
   * identifier in the configuration.
   */
  #isKnownRecord(
    observation: Observation,
    request: Pick<Seen<unknown>, 'operation' | 'parameters'>,
  ): boolean {
    return namesListedRecord(this.operation, observation) || this.#relations.isShown(request);
  }

  /**
   * Returns whether the judgement of a repeated request may be dropped. For a success, or an error with a record: if the first
   * response was judged, and broke the same requirements. A replica that lags answers a first lookup with HTTP 404, which is not judged. For a rejection such as HTTP 404: always, because the record may be deleted
   * meanwhile, and contract section 7 leaves the response to an unknown id open. For another error such as HTTP 500: only for a
   * listed record, and only if the response is conclusive.
   */
  #mayDropRepetition(result: Judged, observation: Observation, first: Observation): boolean {
    const isFirstJudged = Object.hasOwn(first.exercised, http(this.operation.id).status);
    if (!isErrorResponse(result)) return isFirstJudged && !showsMore(observation, first);
    // The record may be deleted meanwhile.
    if (result.kind === 'rejection') return true;
    return namesListedRecord(this.operation, observation) && !isInconclusive(result);
  }
}

/**
 * Compares a response with earlier responses. Adds to its `SentRequest` the hashes of its records (`shown`) and, in
 * `observation.exercised`, the number of records that conform to each rule that compares responses.
 */
export function compareAndStore(relations: Relations<SentRequest>, response: Seen<SentRequest>): void {
  const { kept: ruleCounts, shown: records } = relations.see(response);
  const { observation } = response.source;
  response.source.shown = records;
  response.source.observation = {
    ...observation,
    exercised: { ...observation.exercised, ...ruleCounts },
  };
}

/**
 * Removes the judgement of a request's response, which the contract leaves open (contract section 7), so that the verdict ignores
 * it.
 */
export function excludeFromVerdict(request: SentRequest): void {
  request.observation = dropJudgement(request.observation);
}

/**
 * Removes a rejected lookup from the verdict, and from the count of rejected identifiers of the configuration (`configured`),
 * because its record exists or was deleted meanwhile.
 */
const excludeRejection = (observation: Observation): Observation => ({
  ...dropJudgement(observation),
  configured: false,
});

/**
 * Removes the judgement of a repetition. If it is an error response, no report blames an identifier of the configuration for it.
 */
const excludeRepetition = (result: Judged, observation: Observation): Observation =>
  isErrorResponse(result) ? excludeRejection(observation) : dropJudgement(observation);

/**
 * Returns whether a response to a repeated request could not be judged (`blocked`), or breaks a requirement that the first response
 * did not break.
 */
const showsMore = ({ findings, blocked }: Observation, first: Observation): boolean =>
  blocked !== undefined ||
  findings.some(({ requirement }) => first.findings.every((finding) => finding.requirement !== requirement));

/** Returns whether a response is an error without a record: of any class but `success`, also HTTP 500 or 503. */
const isErrorResponse = ({ kind, hasRecord }: Judged): boolean => kind !== 'success' && !hasRecord;

/** Returns whether a response says nothing about the target's conformance, for example because the target is overloaded. */
const isInconclusive = ({ kind, blocked }: Judged): boolean =>
  blocked !== undefined || explainInconclusive(kind, '') !== undefined;

/**
 * Derives `rejected` and `failed` of a `ResponseSummary`. A missing or inconclusive response counts as not rejected, and has no
 * `failed`.
 */
const summarizeOutcome = (result: Judged | undefined): Pick<ResponseSummary, 'rejected' | 'failed'> =>
  result && !isInconclusive(result)
    ? { rejected: isErrorResponse(result), failed: isFailure(result.kind) }
    : { rejected: false };

/**
 * Returns whether a request looks up a record by an identifier from a response, such as a listed `uuid`, and not from the
 * configuration.
 */
const namesListedRecord = ({ parameters }: Operation, { configured, parameters: values }: Request): boolean =>
  !configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(values, name));
