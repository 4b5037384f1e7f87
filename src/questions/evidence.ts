import type { Question } from '../../schemas/contract/questions.ts';
import { formatCount } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { formatRequestLine, hasCredentials, listProbes, type ProbeContext } from './probes.ts';

/** Responses of a run, from which the answers to open questions are inferred. */
export interface Evidence {
  /** First response to each request, in the order sent. Only responses that `selectForInference` selects. */
  responses: Observation[];
  /** Finds the response to the first probe of the question with an id such as `limit-zero`. */
  findProbeResponse(questionId: string): Observation | undefined;
  /** Finds the response to a request such as `listCustomers?offset=1`. */
  findResponse(request: string): Observation | undefined;
  /** Finds the latest response to a request that was repeated to see whether a list has changed. */
  findRepeatedResponse(firstResponse: Observation): Observation | undefined;
  hasCredentials: boolean;
  notSentReason: string;
}

export function collectEvidence(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  observations: Observation[],
): Evidence {
  const responses = observations.filter(isSent);
  const probes = listProbes(contract, target);
  const firstResponses = responses.filter(({ again }) => !again);
  const responseByRequestLine = new Map(firstResponses.map((response) => [response.exchange, response]));
  return {
    responses: selectForInference(firstResponses),
    findProbeResponse: (questionId) => {
      const probe = probes.find(({ question }) => question.id === questionId);
      return probe && responseByRequestLine.get(probe.request.exchange);
    },
    findResponse: (request) => responseByRequestLine.get(formatRequestLine(contract, request)),
    findRepeatedResponse: ({ exchange }) =>
      responses.findLast((response) => response.again && response.exchange === exchange),
    hasCredentials: hasCredentials(target),
    notSentReason: target.probes
      ? 'not sent: the requests before it got no response, or a status such as HTTP 503'
      : 'not sent: PROBES is off',
  };
}

// Orders that do not depend on the order of the responses, so that recorded answers of two runs can be compared.
export const sortUnique = (texts: string[]): string[] => [...new Set(texts)].sort();
export const compareRequests = (first: Observation, second: Observation): number =>
  first.exchange.localeCompare(second.exchange);

export const isSent = ({ notSent }: Observation): boolean => !notSent;

/** Matches the reason in `blocked` of a request without a complete response (`src/client/reasons.ts`). */
const cutOffReasonPattern = /^no complete response|connection was reset|not HTTP/;

/** Describes HTTP 5xx, or a response that was cut off. Undefined for any other response. */
export function describeServerError({
  content,
  blocked: blockedReason = '',
}: Observation): string | undefined {
  if (content?.kind === 'server error') return content.error?.label;
  return cutOffReasonPattern.test(blockedReason) ? blockedReason : undefined;
}

/** Returns whether an observation is a success of an operation. False for a path that belongs to no operation. */
export const isSuccess = (observation: Observation | undefined): observation is Observation =>
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/**
 * Returns whether a response shows how the target handles the request. False for an unreadable response, a temporary error such as
 * HTTP 429, and a denied access: HTTP 401, 403, or 407 from a proxy.
 */
export const isConclusive = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

/**
 * Selects the responses from which answers are inferred. Leaves out unreadable responses, temporary errors, and the responses of
 * an operation that returned only HTTP 401, 403 or 407, because the credentials may be wrong.
 */
function selectForInference(observations: Observation[]): Observation[] {
  const lastingResponses = observations.filter(({ content }) => content && !isTransient(content.kind));
  const accessibleOperations = new Set(
    lastingResponses.filter(isConclusive).map(({ operation }) => operation),
  );
  // For a path of no operation, a response of any operation shows that the credentials are accepted.
  const isOfAccessibleOperation = ({ operation }: Observation) =>
    operation === '' ? accessibleOperations.size > 0 : accessibleOperations.has(operation);
  return lastingResponses.filter(isOfAccessibleOperation);
}

export interface InferredAnswer {
  answer: string;
  /** `certain`: the responses prove the answer. `likely`: more responses might refute it. `unknown`: no response shows it. */
  confidence: 'certain' | 'likely' | 'unknown';
  /** Responses that show the answer, "GET /customers: HTTP 200, 2 customers", or a count of values. If unknown: the reason first. */
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
 * Creates a function that infers an answer from the response to the first probe of a question: from an error response an answer
 * such as `refused as 404`, and from a success the answer that `inferFromSuccess` returns.
 */
export const inferFromProbe =
  (inferFromSuccess: (observation: Observation, evidence: Evidence) => InferredAnswer): Inference =>
  (evidence, { id }) => {
    const observation = evidence.findProbeResponse(id);
    if (!observation) return createUnknownAnswer(evidence.notSentReason);
    return answerIfError(observation, evidence) ?? inferFromSuccess(observation, evidence);
  };

/** Creates the answer that an error response gives, such as `refused as 404`. Undefined for a success. */
export function answerIfError(observation: Observation, { responses }: Evidence): InferredAnswer | undefined {
  const { content, status } = observation;
  if (content?.kind === 'success') return undefined;
  if (!content?.error)
    return createUnknownAnswer(status === undefined ? 'no answer' : unreadableReason, observation);
  if (responses.includes(observation)) return createCertainAnswer(content.error.label, observation);
  // `responses` leaves out temporary errors, and rejected credentials if they are rejected in every request.
  const reason = isTransient(content.kind)
    ? 'temporary error; the response may differ next time'
    : 'every request was rejected for access';
  return createUnknownAnswer(reason, observation);
}

export const unreadableReason = 'the response could not be read';

export function formatExchange({ exchange, blocked, content, status }: Observation): string {
  if (!content) return `${exchange}: ${blocked ?? unreadableReason}`;
  const counts = Object.entries(content.lists).map(([listName, identities]) => {
    const noun = listName.replaceAll('_', ' ').replace(/s$/, '');
    return `, ${formatCount(identities.length, noun)}`;
  });
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
