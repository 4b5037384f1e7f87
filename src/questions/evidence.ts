import type { Question } from '../../schemas/contract/questions.ts';
import { formatCount } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { createProbe, hasCredentials, listProbes, type ProbeContext } from './probes.ts';

/** Responses of a run that help to answer the open questions of the contract. */
export interface Evidence {
  /**
   * Responses from which answers are inferred. The array leaves out responses to repeated requests, missing and unreadable
   * responses, and temporary errors such as HTTP 503. If all remaining responses of an operation deny access, for example with HTTP
   * 401, the array leaves out these responses, too.
   */
  responses: Observation[];
  /** Finds the response to the first probe for a question such as `limit-zero`. Returns undefined if the probe was not sent. */
  findProbeResponse(questionId: string): Observation | undefined;
  /** Finds the first response to a request such as `listCustomers?offset=1`. Returns undefined if the request was not sent. */
  findResponse(request: string): Observation | undefined;
  /** Finds the response to the last repetition of a request. Returns undefined if the request was not repeated. */
  findRepeatedResponse(firstResponse: Observation): Observation | undefined;
  hasCredentials: boolean;
  hasClientCertificate: boolean;
  notSentReason: string;
}

export function collectEvidence(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  observations: Observation[],
): Evidence {
  const responses = observations.filter(isSent);
  const firstResponses = responses.filter(({ again }) => !again);
  const repeatedResponses = responses.filter(({ again }) => again);
  const responseByRequestLine = new Map(firstResponses.map((response) => [response.requestText, response]));
  const probes = listProbes(contract, target);
  return {
    responses: selectForInference(firstResponses),
    findProbeResponse: (questionId) => {
      const probe = probes.find(({ question }) => question.id === questionId);
      return probe && responseByRequestLine.get(probe.request.requestText);
    },
    findResponse: (probeText) =>
      responseByRequestLine.get(createProbe({ contract, target }, probeText).request.requestText),
    findRepeatedResponse: ({ requestText: requestLine }) =>
      repeatedResponses.findLast(({ requestText }) => requestText === requestLine),
    hasCredentials: hasCredentials(target),
    hasClientCertificate: target.transport.clientCertificate !== undefined,
    notSentReason: target.probes
      ? 'not sent: the requests before it got no response, or a status such as HTTP 503'
      : 'not sent: PROBES is off',
  };
}

// Orders that do not depend on the order of the responses, so that recorded answers of two runs can be compared.
export const sortUnique = (texts: string[]): string[] => [...new Set(texts)].sort();
export const compareRequests = (first: Observation, second: Observation): number =>
  first.requestText.localeCompare(second.requestText);

export const isSent = ({ notSent }: Observation): boolean => !notSent;

const cutOffReasonPattern = /^no complete response|connection was reset|not HTTP/;

/**
 * Describes the server error of a response, such as `server error 500`. A timeout, a reset connection and an invalid HTTP response
 * count as server errors, too. HTTP 503 does not count, because it is temporary. Returns undefined if there is no server error.
 */
export function describeServerError({
  content,
  blocked: blockedReason = '',
}: Observation): string | undefined {
  if (content?.kind === 'server error') return content.error?.label;
  return cutOffReasonPattern.test(blockedReason) ? blockedReason : undefined;
}

export const isSuccess = (observation: Observation | undefined): observation is Observation =>
  // For a path of no operation, such as `/customers/`, `operation` is empty.
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/**
 * Returns whether a response is conclusive. Temporary errors such as HTTP 503, and denied access such as HTTP 401, are
 * inconclusive. A missing or unreadable response is inconclusive, too.
 */
export const isConclusive = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

function selectForInference(observations: Observation[]): Observation[] {
  const lastingResponses = observations.filter(({ content }) => content && !isTransient(content.kind));
  const conclusiveResponses = lastingResponses.filter(isConclusive);
  const accessibleOperations = new Set(conclusiveResponses.map(({ operation }) => operation));
  return lastingResponses.filter(({ operation }) => {
    // A path such as `/customers/` belongs to no operation. For it, any operation may show that the credentials are right.
    if (operation === '') return accessibleOperations.size > 0;
    // If the operation rejected every request with HTTP 401, the credentials of the run may be wrong (contract section 5).
    return accessibleOperations.has(operation);
  });
}

export interface InferredAnswer {
  answer: string;
  /**
   * `certain` means that the responses decide the question. `likely` means that more responses might refute the answer. `unknown`
   * means that the responses do not decide the question. With `unknown`, `answer` is a text such as `unknown` or `not reached by
   * this list`.
   */
  confidence: 'certain' | 'likely' | 'unknown';
  /** Facts that support the answer, such as `GET /customers: HTTP 200, 2 customers`. */
  evidence: string[];
}

export type Inference = (evidence: Evidence, question: Question) => InferredAnswer;

export const createCertainAnswer = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: observations.map(formatExchange),
});

export const createLikelyAnswer = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  ...createCertainAnswer(answer, ...observations),
  confidence: 'likely',
});

export const createUnknownAnswer = (reason: string, ...observations: Observation[]): InferredAnswer => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...observations.map(formatExchange)],
});

/**
 * Creates an inference from the first probe of a question. If the probe succeeds, `inferFromSuccess` gives the answer. If the
 * target responds with an error, the error is the answer, such as `refused as 404`. The answer is `unknown` if the response is
 * missing, unreadable, or left out of `Evidence.responses`, such as HTTP 503.
 */
export function inferFromProbe(
  inferFromSuccess: (observation: Observation, evidence: Evidence) => InferredAnswer,
): Inference {
  return (evidence, question) => {
    const observation = evidence.findProbeResponse(question.id);
    if (!observation) return createUnknownAnswer(evidence.notSentReason);
    return answerIfError(observation, evidence) ?? inferFromSuccess(observation, evidence);
  };
}

/**
 * Returns the error of a response as an answer, such as `refused as 404`. Returns undefined for a success. The answer is `unknown`
 * if the response is missing, unreadable, or left out of `responses`, such as HTTP 503.
 */
export function answerIfError(observation: Observation, { responses }: Evidence): InferredAnswer | undefined {
  const { content, status } = observation;
  if (content?.kind === 'success') return undefined;
  if (!content?.error) {
    const reason = status === undefined ? 'no response' : unreadableReason;
    return createUnknownAnswer(reason, observation);
  }
  const isEvidence = responses.includes(observation);
  if (isEvidence) return createCertainAnswer(content.error.label, observation);
  const reason = isTransient(content.kind)
    ? 'temporary error; the response may differ next time'
    : 'every request was rejected for access';
  return createUnknownAnswer(reason, observation);
}

export const unreadableReason = 'the response could not be read';

/** Formats a request with its response: "GET /customers: HTTP 200, 2 customers". */
export function formatExchange({ requestText: requestLine, blocked, content, status }: Observation): string {
  if (!content) return `${requestLine}: ${blocked ?? unreadableReason}`;
  const countTexts: string[] = [];
  for (const [listName, records] of Object.entries(content.lists)) {
    // `fee_rules` becomes `fee rule`.
    const noun = listName.replaceAll('_', ' ').replace(/s$/, '');
    countTexts.push(`, ${formatCount(records.length, noun)}`);
  }
  return `${requestLine}: HTTP ${status}${countTexts.join('')}`;
}
