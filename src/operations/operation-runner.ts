import type { Operation } from '../../schemas/contract/contract.ts';
import { getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { explainInconclusive } from '../../schemas/judge/classify.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { type DescribedRequest, dropJudgement, type Observation } from '../redact/observation.ts';
import { type ComparableResponse, getComparableContent } from '../relations/comparable.ts';
import type { HashedRecord, Relations } from '../relations/relations.ts';
import type { OperationRequests, ResponseSummary } from './operation-file.ts';
import { type Arguments, buildPath, type RequestContext, readValues, sendAndJudge } from './request.ts';

/** Request with its judged, redacted response, stored for later worker processes. */
export interface SentRequest {
  arguments: Arguments;
  observation: Observation;
  /** Hashed records of the response, one array for each `RecordView` of the operation. */
  hashedRecords?: HashedRecord[][];
  /** Result of `OperationRunner.send`. Undefined for a repeated request. */
  summary?: Pick<ResponseSummary, 'rejected' | 'kind' | 'code' | 'content'>;
}

/** Sends the requests of one operation, and judges and compares the responses. */
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

  readonly send = (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = buildPath(this.operation, parameters);
    const response = this.#responses.get(path) ?? this.#sendNew(parameters);
    this.#responses.set(path, response);
    return response;
  };

  /**
   * Adds a request that another worker process has sent, with its response. If `send` is called with the parameters of this
   * request, `send` returns the stored response instead of sending the request again. `send` never returns the response to a
   * repeated request.
   */
  restore(request: SentRequest): void {
    const { arguments: parameters, observation, hashedRecords, summary } = request;
    // Compares the records with those of other responses, as when the response arrived.
    if (hashedRecords) this.#relations.replay(this.operation, hashedRecords, request);
    const isRepetition = observation.again === true;
    if (summary && !isRepetition) {
      const response = { ...summary, excludeFromVerdict: () => excludeFromVerdict(request) };
      this.#responses.set(buildPath(this.operation, parameters), Promise.resolve(response));
    }
    this.requests.push(request);
  }

  async #sendNew(parameters: Arguments): Promise<ResponseSummary> {
    const { operation } = this;
    const parameterValues = readValues(parameters);
    const { judged, observation } = await sendAndJudge(this.#context, operation, parameters);
    const isRejected = judged?.kind === 'rejection' && isErrorResponse(judged);
    // If another response was about the same record, `compareResponse` judges whether the target may reject the lookup.
    const isJudgedByComparison = isRejected && this.#hasEarlierResponseOfRecord(observation, parameterValues);
    const keptObservation = isJudgedByComparison ? dropJudgementOfRejection(observation) : observation;
    const sentRequest = this.#addRequest(parameters, keptObservation);
    if (judged) compareResponse(this.#relations, this.#createComparable(sentRequest, judged));
    const outcome = summarizeOutcome(judged);
    // The contract leaves open the response to an undocumented request (section 7).
    const mayBeRejected = !isDocumentedRequest(operation, parameterValues);
    if (outcome.rejected && mayBeRejected) excludeFromVerdict(sentRequest);
    sentRequest.summary = { ...outcome, content: this.#summarize(judged, observation) };
    return { ...sentRequest.summary, excludeFromVerdict: () => excludeFromVerdict(sentRequest) };
  }

  /** Returns whether an earlier response showed the record that `lookup` requests, or reported the record as missing. */
  #hasEarlierResponseOfRecord(lookup: DescribedRequest, parameters: Record<string, string>): boolean {
    const { operation } = this;
    return (
      isLookupOfListedRecord(operation, lookup) || this.#relations.isRecordStored({ operation, parameters })
    );
  }

  async repeat(request: SentRequest): Promise<ComparableResponse<SentRequest>> {
    const { arguments: parameters, observation: firstObservation } = request;
    const { operation } = this;
    const mark = { again: true } as const;
    const { judged, observation } = await sendAndJudge(this.#context, operation, parameters, mark);
    const isIgnored = judged && this.#mayIgnoreRepetition(judged, observation, firstObservation);
    const keptObservation = isIgnored ? dropJudgementOfRepetition(judged, observation) : observation;
    const source = this.#addRequest(parameters, keptObservation);
    return this.#createComparable(source, judged);
  }

  #createComparable(
    source: SentRequest,
    judged: JudgedResponse | undefined,
  ): ComparableResponse<SentRequest> {
    const { operation } = this;
    const parameters = readValues(source.arguments);
    return { operation, parameters, ...getComparableContent(operation, judged), source };
  }

  #addRequest(parameters: Arguments, observation: Observation): SentRequest {
    const request = { arguments: parameters, observation };
    this.requests.push(request);
    return request;
  }

  #summarize(judged: JudgedResponse | undefined, { curlCommand }: Observation): unknown {
    const body = judged && !isErrorResponse(judged) ? judged.body : undefined;
    return this.file.summarize?.(body, curlCommand);
  }

  #mayIgnoreRepetition(
    judged: JudgedResponse,
    observation: Observation,
    firstObservation: Observation,
  ): boolean {
    if (isErrorResponse(judged)) {
      // With HTTP 404, for example, the record may have been deleted since the first response.
      if (judged.kind === 'rejection') return true;
      // Another error such as HTTP 500 may also mean a deleted record, because the contract leaves open the response to an unknown id
      // (section 7). But a configured record is expected to exist, so that its error counts. An inconclusive response,
      // such as HTTP 503, says nothing about the record.
      return isLookupOfListedRecord(this.operation, observation) && !isInconclusive(judged);
    }
    // The first response may be an unjudged HTTP 404, from a replica that lags. Then the second response must be judged.
    const statusAddress = getHttpAddresses(this.operation.id).status;
    const isFirstJudged = Object.hasOwn(firstObservation.exercised, statusAddress);
    return isFirstJudged && !hasNewProblem(observation, firstObservation);
  }
}

/**
 * Compares a response with the earlier responses in `relations`, and adds the response to `relations`. Stores the hashed
 * records of the response in the request `response.source`. Also adds to the `observation` of this request how many records each
 * rule has judged.
 */
export function compareResponse(
  relations: Relations<SentRequest>,
  response: ComparableResponse<SentRequest>,
): void {
  const { source: request } = response;
  const { ruleCounts, records } = relations.compareAndStore(response);
  const exercised = { ...request.observation.exercised, ...ruleCounts };
  request.hashedRecords = records;
  request.observation = { ...request.observation, exercised };
}

export function excludeFromVerdict(request: SentRequest): void {
  request.observation = dropJudgement(request.observation);
}

const dropJudgementOfRejection = (observation: Observation): Observation => ({
  ...dropJudgement(observation),
  // Otherwise, reports would tell the user to check the rejected identifier in `CARD_IDS`.
  configured: false,
});

const dropJudgementOfRepetition = (judged: JudgedResponse, observation: Observation): Observation =>
  isErrorResponse(judged) ? dropJudgementOfRejection(observation) : dropJudgement(observation);

function hasNewProblem({ findings, blocked }: Observation, firstObservation: Observation): boolean {
  const knownRequirements = firstObservation.findings.map(({ requirement }) => requirement);
  const hasNewFinding = findings.some(({ requirement }) => !knownRequirements.includes(requirement));
  return blocked !== undefined || hasNewFinding;
}

const isErrorResponse = ({ kind, hasRecord }: JudgedResponse): boolean => kind !== 'success' && !hasRecord;

const isInconclusive = ({ kind, blocked }: JudgedResponse): boolean =>
  blocked !== undefined || explainInconclusive(kind, '') !== undefined;

function summarizeOutcome(judged?: JudgedResponse): Pick<ResponseSummary, 'rejected' | 'kind' | 'code'> {
  if (!judged || isInconclusive(judged)) return { rejected: false };
  // A server error whose body has a record is not `rejected`.
  return { rejected: isErrorResponse(judged), kind: judged.kind, code: judged.code };
}

const isLookupOfListedRecord = (
  { parameters }: Operation,
  { configured, parameters: sentParameters }: DescribedRequest,
): boolean => {
  const identifierParameters = parameters.filter((parameter) => parameter['x-identifiers']);
  return !configured && identifierParameters.some(({ name }) => Object.hasOwn(sentParameters, name));
};
