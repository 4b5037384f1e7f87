import type { Operation } from '../../schemas/contract/contract.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { explainOtherResponse, isFailure } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { dropJudgement, type Observation, type Request } from '../redact/observation.ts';
import type { Relations, ShownRecord } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import type { OperationRequests, ResponseSummary } from './operation-file.ts';
import { type Arguments, buildPath, type RequestContext, readValues, sendAndJudge } from './request.ts';

/** Request that was sent, with its observation, and all that is needed to repeat or restore it. */
export interface SentRequest {
  arguments: Arguments;
  observation: Observation;
  /** Hashes of the records in the response; undefined if the response was not compared with others. */
  shown?: ShownRecord[][];
  summary?: StoredSummary;
}

/** Part of a `ResponseSummary` that is stored for a later worker: all but the function. */
type StoredSummary = Pick<ResponseSummary, 'rejected' | 'failed' | 'content'>;

/** Response in two forms: `response` for the file of the operation, `comparable` for the rules between responses. */
interface SentResponse {
  response: ResponseSummary;
  comparable: Seen<SentRequest>;
}

/** Sends, judges and compares the requests of one operation. Sends each distinct request once. */
export class OperationRunner {
  readonly #responses = new Map<string, Promise<ResponseSummary>>();
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly operation: Operation;
  readonly file: OperationRequests;
  /** Requests in the order of their responses. */
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

  /** Adds a request that an earlier worker of the run sent: to `requests`, to the shared responses, and to the compared records. */
  restore(request: SentRequest): void {
    const { arguments: parameters, observation, shown: records, summary } = request;
    if (records) this.#relations.replay(this.operation, records, request);
    if (summary && !observation.again) {
      const response = { ...summary, excludeFromVerdict: () => excludeFromVerdict(request) };
      this.#responses.set(buildPath(this.operation, parameters), Promise.resolve(response));
    }
    this.requests.push(request);
  }

  /** Sends, judges, compares and summarizes a request that was not sent before. */
  async #sendFirst(parameters: Arguments): Promise<SentResponse> {
    const { judged: result, observation } = await sendAndJudge(this.#context, this.operation, parameters);
    const request = { operation: this.operation, parameters: readValues(parameters) };
    // Another response has shown the record. Whether a lookup must find it is judged by the rules between responses.
    const isOpen =
      result?.kind === 'rejection' && isRejected(result) && this.#isKnownRecord(observation, request);
    const source = this.#record(parameters, isOpen ? excludeRejection(observation) : observation);
    const comparable = { ...request, ...shownBy(this.operation, result), source };
    if (result) compareAndStore(this.#relations, comparable);
    const outcome = summarizeOutcome(result);
    if (outcome.rejected && !isDocumentedRequest(this.operation, request.parameters))
      excludeFromVerdict(source);
    source.summary = { ...outcome, content: this.#summarize(result, observation) };
    const response = { ...source.summary, excludeFromVerdict: () => excludeFromVerdict(source) };
    return { comparable, response };
  }

  /**
   * Sends a request again for the rules between responses, and adds it to `requests`. Its judgement is kept only if it shows more
   * than that of the first response, such as a further violation.
   */
  async repeat({ arguments: parameters, observation: first }: SentRequest): Promise<Seen<SentRequest>> {
    const { judged: result, observation } = await sendAndJudge(this.#context, this.operation, parameters, {
      again: true,
    });
    const isOpen = result && this.#mayDropRepetition(result, observation, first);
    const source = this.#record(parameters, isOpen ? excludeRepetition(result, observation) : observation);
    const request = { operation: this.operation, parameters: readValues(parameters) };
    return { ...request, ...shownBy(this.operation, result), source };
  }

  /** Adds a request to `requests`. */
  #record(parameters: Arguments, observation: Observation): SentRequest {
    const request = { arguments: parameters, observation };
    this.requests.push(request);
    return request;
  }

  /** Calls `summarize` of the operation file, with undefined in place of the body of an error response. */
  #summarize(result: Judged | undefined, { repeat }: Observation): unknown {
    return this.file.summarize?.(result && !isRejected(result) ? result.body : undefined, repeat);
  }

  /**
   * Returns whether a list or another response had the record of a lookup, so that a rejection is not the fault of the
   * configuration.
   */
  #isKnownRecord(
    observation: Observation,
    request: Pick<Seen<unknown>, 'operation' | 'parameters'>,
  ): boolean {
    return namesListedRecord(this.operation, observation) || this.#relations.isShown(request);
  }

  /**
   * Returns whether the judgement of a repeated request may be dropped: the contract allows its rejection, or the response breaks no
   * requirement that the first response did not break.
   */
  #mayDropRepetition(result: Judged, observation: Observation, first: Observation): boolean {
    if (!isRejected(result)) return !showsMore(observation, first);
    if (result.kind === 'rejection') return true;
    return namesListedRecord(this.operation, observation) && !isInconclusive(result);
  }
}

/**
 * Compares a response with earlier responses, by the rules between responses. Adds to its source the hashes of its records
 * (`shown`) and, in `exercised`, the number of records that conform to each rule.
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

/** Drops the judgement from the observation of a request whose response the contract leaves open (contract section 7). */
export function excludeFromVerdict(request: SentRequest): void {
  request.observation = dropJudgement(request.observation);
}

/**
 * Leaves a rejected lookup out of the verdict, and out of the count of rejected configured identifiers, because its record exists or
 * was deleted meanwhile.
 */
const excludeRejection = (observation: Observation): Observation => ({
  ...dropJudgement(observation),
  configured: false,
});

/** Drops the judgement of a repetition. A rejected repetition is no mistake of the configuration. */
const excludeRepetition = (result: Judged, observation: Observation): Observation =>
  isRejected(result) ? excludeRejection(observation) : dropJudgement(observation);

/** Returns whether a response is blocked, or breaks a requirement that the first response to the same request did not break. */
const showsMore = ({ findings, blocked }: Observation, first: Observation): boolean =>
  blocked !== undefined ||
  findings.some(({ requirement }) => first.findings.every((finding) => finding.requirement !== requirement));

/** Returns whether a response is no success and has no record. */
const isRejected = ({ kind, hasRecord }: Judged): boolean => kind !== 'success' && !hasRecord;

/** Returns whether a response says nothing about the request, for example because the target is overloaded. */
const isInconclusive = ({ kind, blocked }: Judged): boolean =>
  blocked !== undefined || explainOtherResponse(kind, '') !== undefined;

/** Returns whether a response is rejected or failed. An inconclusive or missing response counts as not rejected. */
const summarizeOutcome = (result: Judged | undefined): Pick<ResponseSummary, 'rejected' | 'failed'> =>
  result && !isInconclusive(result)
    ? { rejected: isRejected(result), failed: isFailure(result.kind) }
    : { rejected: false };

/** Returns whether a request has an identifier from a response, not from the configuration. */
const namesListedRecord = ({ parameters }: Operation, { configured, parameters: values }: Request): boolean =>
  !configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(values, name));
