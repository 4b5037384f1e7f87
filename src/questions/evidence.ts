import type { Question } from '../../schemas/contract/questions.ts';
import { formatCount } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { formatRequestLine, hasCredentials, listProbes, type ProbeContext } from './probes.ts';

/** Responses of a run from which the answers to open questions are inferred. */
export interface Evidence {
  /** Usable responses in the order sent: no repeated requests, unreadable bodies, temporary errors or wrong credentials. */
  responses: Observation[];
  /** Finds the response to the first probe of a question with an id such as `limit-zero`. */
  findProbe(questionId: string): Observation | undefined;
  /** Finds the response to a request such as `listCustomers?offset=1`. */
  findResponse(request: string): Observation | undefined;
  /** Finds the latest response to the same request, sent again to see whether a list has changed. */
  findRepeated(observation: Observation): Observation | undefined;
  hasCredentials: boolean;
  notSentReason: string;
}

export function collectEvidence(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  observations: Observation[],
): Evidence {
  const received = observations.filter(isSent);
  const probes = listProbes(contract, target);
  const firstResponses = received.filter(({ again }) => !again);
  const responsesByLine = new Map(firstResponses.map((observation) => [observation.exchange, observation]));
  return {
    responses: selectUsable(firstResponses),
    findProbe: (questionId) => {
      const probe = probes.find(({ question }) => question.id === questionId);
      return probe && responsesByLine.get(probe.request.exchange);
    },
    findResponse: (request) => responsesByLine.get(formatRequestLine(contract, request)),
    findRepeated: ({ exchange }) =>
      received.findLast((repeated) => repeated.again && repeated.exchange === exchange),
    hasCredentials: hasCredentials(target),
    notSentReason: target.probes
      ? 'not sent: the requests before it got no response, or a status such as HTTP 503'
      : 'not sent: PROBES is off',
  };
}

export const isSent = ({ notSent }: Observation): boolean => !notSent;

/** Returns whether an observation is a success of an operation. False for a path that belongs to no operation. */
export const isSuccess = (observation: Observation | undefined): observation is Observation =>
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/**
 * Returns whether a response depends on the request, and not on the moment or the sender. False for an unreadable response, a
 * temporary error such as HTTP 429, and a rejection of the credentials (HTTP 401, 403) or by a proxy (407).
 */
export const isConclusive = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

/**
 * Selects the responses from which answers are inferred. Keeps a rejection of the credentials only if the operation also has
 * another response; otherwise the credentials may be wrong for all of its requests.
 */
function selectUsable(observations: Observation[]): Observation[] {
  const withoutTransientErrors = observations.filter(({ content }) => content && !isTransient(content.kind));
  const conclusive = withoutTransientErrors.filter(isConclusive);
  const accessibleOperations = new Set(conclusive.map(({ operation }) => operation));
  // For a path of no operation, a response of any operation shows that the credentials are accepted.
  const isAccessible = ({ operation }: Observation) =>
    operation === '' ? accessibleOperations.size > 0 : accessibleOperations.has(operation);
  return withoutTransientErrors.filter(
    (observation) => isConclusive(observation) || isAccessible(observation),
  );
}

export interface InferredAnswer {
  answer: string;
  /** `certain`: the responses prove the answer. `likely`: further responses might refute it. `unknown`: they do not show it. */
  confidence: 'certain' | 'likely' | 'unknown';
  /** Responses that show the answer, such as "GET /customers: HTTP 200, 2 customers". For `unknown`, begins with the reason. */
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
 * Creates a function that infers an answer from the response to the first probe of a question. An error response is itself the
 * answer, such as `refused as 404`.
 * @param inferFromSuccess infers the answer if the response is a success
 */
export const inferFromProbe =
  (inferFromSuccess: (observation: Observation, evidence: Evidence) => InferredAnswer): Inference =>
  (evidence, { id }) => {
    const observation = evidence.findProbe(id);
    if (!observation) return createUnknownAnswer(evidence.notSentReason);
    return answerNonSuccess(observation, evidence) ?? inferFromSuccess(observation, evidence);
  };

/** Returns the answer that an error response gives, such as `refused as 404`. Undefined for a success. */
export function answerNonSuccess(
  observation: Observation,
  { responses }: Evidence,
): InferredAnswer | undefined {
  const { content, status } = observation;
  if (content?.kind === 'success') return undefined;
  if (!content?.error)
    return createUnknownAnswer(status === undefined ? 'no answer' : unreadableReason, observation);
  const isUsable = responses.includes(observation);
  if (isUsable) return createCertainAnswer(content.error.label, observation);
  return isTransient(content.kind)
    ? createUnknownAnswer('temporary error; the response may differ next time', observation)
    : createUnknownAnswer('every request was rejected for access', observation);
}

export const unreadableReason = 'the response could not be read';

function formatExchange({ exchange, blocked, content, status }: Observation): string {
  if (!content) return `${exchange}: ${blocked ?? unreadableReason}`;
  const counts = Object.entries(content.lists).map(([listName, identities]) => {
    const noun = listName.replaceAll('_', ' ').replace(/s$/, '');
    return `, ${formatCount(identities.length, noun)}`;
  });
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
