import type { Operation } from '../../schemas/contract/contract.ts';
import { getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { explainInconclusive, isFailure } from '../../schemas/judge/classify.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { type DescribedRequest, dropJudgement, type Observation } from '../redact/observation.ts';
import type { HashedRecord, Relations } from '../relations/relations.ts';
import { type ComparableResponse, getComparableContent } from '../relations/shown.ts';
import type { OperationRequests, ResponseSummary } from './operation-file.ts';
import { type Arguments, buildPath, type RequestContext, readValues, sendAndJudge } from './request.ts';

/** Request with the observation of its response, and what a later worker needs to restore both. */
export interface SentRequest {
  arguments: Arguments;
  observation: Observation;
  /** Hashed records of the response; undefined if the response was not compared with others. */
  shown?: HashedRecord[][];
  summary?: StoredSummary;
}

type StoredSummary = Pick<ResponseSummary, 'rejected' | 'failed' | 'content'>;

/** Sends and judges the requests of one operation, and compares its responses with others. Sends each distinct request once. */
export class OperationRunner {
  readonly #responses = new Map<string, Promise<ResponseSummary>>();
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly operation: Operation;
  readonly file: OperationRequests;
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
    const response = this.#responses.get(path) ?? this.#sendFirst(parameters);
    this.#responses.set(path, response);
    return response;
  };

  /** Adds a request that an earlier worker sent. Afterwards `send` returns its response, unless the request is a repetition. */
  restore(request: SentRequest): void {
    const { arguments: parameters, observation, shown: records, summary } = request;
    if (records) this.#relations.replay(this.operation, records, request);
    if (summary && !observation.again) {
      const response = { ...summary, excludeFromVerdict: () => excludeFromVerdict(request) };
      this.#responses.set(buildPath(this.operation, parameters), Promise.resolve(response));
    }
    this.requests.push(request);
  }

  async #sendFirst(parameters: Arguments): Promise<ResponseSummary> {
    const { judged: result, observation } = await sendAndJudge(this.#context, this.operation, parameters);
    const lookup = { operation: this.operation, parameters: readValues(parameters) };
    // If another response has shown the record, the rules that compare responses judge whether the lookup must find it.
    const isJudgedElsewhere =
      result?.kind === 'rejection' && isErrorResponse(result) && this.#isKnownRecord(observation, lookup);
    const sentRequest = this.#addRequest(
      parameters,
      isJudgedElsewhere ? excludeRejection(observation) : observation,
    );
    if (result)
      compareAndStore(this.#relations, {
        ...lookup,
        ...getComparableContent(this.operation, result),
        source: sentRequest,
      });
    const outcome = summarizeOutcome(result);
    // The contract does not say how an undocumented request is answered (contract section 7).
    const mayBeRejected = !isDocumentedRequest(this.operation, lookup.parameters);
    if (outcome.rejected && mayBeRejected) excludeFromVerdict(sentRequest);
    sentRequest.summary = { ...outcome, content: this.#summarize(result, observation) };
    return { ...sentRequest.summary, excludeFromVerdict: () => excludeFromVerdict(sentRequest) };
  }

  /** Sends a request again, for the rules that compare responses. May drop the judgement (`#mayDropRepetition`). */
  async repeat({
    arguments: parameters,
    observation: first,
  }: SentRequest): Promise<ComparableResponse<SentRequest>> {
    const { judged: result, observation } = await sendAndJudge(this.#context, this.operation, parameters, {
      again: true,
    });
    const isDropped = result && this.#mayDropRepetition(result, observation, first);
    const source = this.#addRequest(
      parameters,
      isDropped ? excludeRepetition(result, observation) : observation,
    );
    return {
      operation: this.operation,
      parameters: readValues(parameters),
      ...getComparableContent(this.operation, result),
      source,
    };
  }

  #addRequest(parameters: Arguments, observation: Observation): SentRequest {
    const request = { arguments: parameters, observation };
    this.requests.push(request);
    return request;
  }

  #summarize(result: JudgedResponse | undefined, { repeat }: Observation): unknown {
    const body = result && !isErrorResponse(result) ? result.body : undefined;
    return this.file.summarize?.(body, repeat);
  }

  /** Returns whether a response has shown the record of a lookup: then the identifier is right, even if the lookup is rejected. */
  #isKnownRecord(
    observation: Observation,
    request: Pick<ComparableResponse<unknown>, 'operation' | 'parameters'>,
  ): boolean {
    return namesListedRecord(this.operation, observation) || this.#relations.isShown(request);
  }

  /** Returns whether the verdict may ignore the response to a repeated request. */
  #mayDropRepetition(result: JudgedResponse, observation: Observation, first: Observation): boolean {
    // A replica that lags may answer the first lookup with HTTP 404, which is not judged.
    const isFirstJudged = Object.hasOwn(first.exercised, getHttpAddresses(this.operation.id).status);
    if (!isErrorResponse(result)) return isFirstJudged && !hasNewProblem(observation, first);
    // The record may be deleted meanwhile, and the contract leaves open the response to an unknown id (section 7).
    if (result.kind === 'rejection') return true;
    return namesListedRecord(this.operation, observation) && !isInconclusive(result);
  }
}

/**
 * Compares a response with earlier ones. Stores in its request the hashes of its records, and in `exercised` the number of
 * records that conform to each rule that compares responses.
 */
export function compareAndStore(
  relations: Relations<SentRequest>,
  response: ComparableResponse<SentRequest>,
): void {
  const { ruleCounts, records } = relations.compareAndStore(response);
  const { observation } = response.source;
  response.source.shown = records;
  response.source.observation = {
    ...observation,
    exercised: { ...observation.exercised, ...ruleCounts },
  };
}

/** Removes the judgement of a response from the verdict, because the contract leaves the response open (section 7). */
export function excludeFromVerdict(request: SentRequest): void {
  request.observation = dropJudgement(request.observation);
}

/**
 * Removes a rejected lookup from the verdict. `configured: false` keeps reports from blaming an identifier of the configuration,
 * because the record exists or was deleted meanwhile.
 */
const excludeRejection = (observation: Observation): Observation => ({
  ...dropJudgement(observation),
  configured: false,
});

const excludeRepetition = (result: JudgedResponse, observation: Observation): Observation =>
  isErrorResponse(result) ? excludeRejection(observation) : dropJudgement(observation);

/** Returns whether a repetition could not be judged (`blocked`), or breaks a requirement that the first response did not break. */
const hasNewProblem = ({ findings, blocked }: Observation, first: Observation): boolean =>
  blocked !== undefined ||
  findings.some(({ requirement }) => first.findings.every((finding) => finding.requirement !== requirement));

/** Returns whether a response is an error without a record, such as HTTP 404, 500 or 503. */
const isErrorResponse = ({ kind, hasRecord }: JudgedResponse): boolean => kind !== 'success' && !hasRecord;

/** Returns whether a response says nothing about the target's conformance, for example because the target is overloaded. */
const isInconclusive = ({ kind, blocked }: JudgedResponse): boolean =>
  blocked !== undefined || explainInconclusive(kind, '') !== undefined;

/** Counts a missing or inconclusive response as not rejected, without `failed`. */
const summarizeOutcome = (
  result: JudgedResponse | undefined,
): Pick<ResponseSummary, 'rejected' | 'failed'> =>
  result && !isInconclusive(result)
    ? { rejected: isErrorResponse(result), failed: isFailure(result.kind) }
    : { rejected: false };

/** Returns whether a request looks up a record by an identifier from a response, such as a listed `uuid`. */
const namesListedRecord = (
  { parameters }: Operation,
  { configured, parameters: values }: DescribedRequest,
): boolean =>
  !configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(values, name));
