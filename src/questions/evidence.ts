import type { Question } from '../../schemas/contract/questions.ts';
import { formatCount } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { formatRequestLine, hasCredentials, listProbes, type ProbeContext } from './probes.ts';

/** Responses of a run, from which the answers to open questions are inferred. */
export interface Evidence {
  /**
   * Responses of a run to different requests, in the order sent. Without unreadable bodies, and without temporary errors such as
   * 429.
   */
  recorded: Observation[];
  /**
   * Returns the response to the first request of a question, by id of the question, such as `limit-zero`; undefined if it was not
   * sent.
   */
  probe(id: string): Observation | undefined;
  /** Returns the response to a request such as `listCustomers?offset=1`, sent as a probe or not; undefined if it was not sent. */
  find(request: string): Observation | undefined;
  /** Returns the last response to the repetition of a request for which an observation stands; undefined if it was not repeated. */
  again(observation: Observation): Observation | undefined;
  /** True if the configuration has credentials (`hasCredentials` in `probes.ts`), so that a request without them is a probe. */
  hasCredentials: boolean;
  /** Reason for the answer `unknown` to a question whose request was not sent, such as "not sent: PROBES is off". */
  notAskedReason: string;
}

/**
 * Collects the responses of a run to ordinary requests and probes, so that they can be found by question or request. Leaves out
 * requests that were not sent.
 */
export function collectEvidence(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  observations: Observation[],
): Evidence {
  const received = observations.filter(isSent);
  const probes = listProbes(contract, target);
  const first = received.filter(({ again }) => !again);
  const byLine = new Map(first.map((observation) => [observation.exchange, observation]));
  return {
    recorded: selectUsable(first),
    probe: (id) => byLine.get(probes.find(({ question }) => question.id === id)?.request.exchange ?? ''),
    find: (request) => byLine.get(formatRequestLine(contract, request)),
    again: ({ exchange }) =>
      received.findLast((repeated) => repeated.again && repeated.exchange === exchange),
    hasCredentials: hasCredentials(target),
    notAskedReason: target.probes
      ? 'not sent: the requests before it got no response, or a status such as HTTP 503'
      : 'not sent: PROBES is off',
  };
}

/** Returns whether a request was sent, even if it got no response. */
export const isSent = ({ notSent }: Observation): boolean => !notSent;

/** Returns whether an observation has the successful response of an operation. False for a path that belongs to no operation. */
export const isSuccess = (observation: Observation | undefined): observation is Observation =>
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/**
 * Returns whether a response says something about its request: its body is readable, and it is neither a temporary error (such as
 * 429) nor a rejection of the credentials (401, 403) or by a proxy (407).
 */
export const isLasting = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

/**
 * Selects the responses from which answers are inferred. Leaves out unreadable responses and temporary errors. Leaves out
 * rejections of the credentials, or by a proxy, if every response of the operation was one; otherwise they are answers.
 */
function selectUsable(observations: Observation[]): Observation[] {
  const read = observations.filter(({ content }) => content && !isTransient(content.kind));
  const accessible = new Set(read.filter(isLasting).map(({ operation }) => operation));
  // For a path of no operation, a response of any operation shows that the credentials are accepted.
  const isAccessible = ({ operation }: Observation) =>
    operation === '' ? accessible.size > 0 : accessible.has(operation);
  return read.filter((observation) => isLasting(observation) || isAccessible(observation));
}

/** Answer to an open question, inferred from the responses of a run. */
export interface InferredAnswer {
  /** Answer to an open question, such as `pages`, or `unknown`. */
  answer: string;
  /** Confidence in an answer. `certain`: the responses prove it; `likely`: other responses might refute it. */
  confidence: 'certain' | 'likely' | 'unknown';
  /**
   * Lines about the responses that show an answer, such as "GET /customers: HTTP 200, 2 customers". Of `unknown`, the reason first.
   */
  evidence: string[];
}

/** Function that infers the answer to an open question from the responses of a run. */
export type Inference = (evidence: Evidence, question: Question) => InferredAnswer;

/** Creates an answer that the responses of the given observations prove. */
export const certain = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: observations.map(formatExchange),
});

/** Creates an answer that the responses of the given observations show, and that other responses might refute. */
export const likely = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  ...certain(answer, ...observations),
  confidence: 'likely',
});

/** Creates the answer `unknown`, with its reason and the observations whose responses leave the question open. */
export const unknown = (reason: string, ...observations: Observation[]): InferredAnswer => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...observations.map(formatExchange)],
});

/**
 * Creates a function that answers a question by the response to its first probe. An error response is itself the answer, such as
 * `refused as 404`. The answer is `unknown` if the probe was not sent, or if its response says nothing.
 * @param read returns the answer for a successful response
 */
export const inferFromProbe =
  (read: (observation: Observation, evidence: Evidence) => InferredAnswer): Inference =>
  (evidence, { id }) => {
    const observation = evidence.probe(id);
    if (!observation) return unknown(evidence.notAskedReason);
    return answerNonSuccess(observation, evidence) ?? read(observation, evidence);
  };

/**
 * Returns the answer that an error response gives, such as `refused as 404`. Returns `unknown` if there is no response, or if it is
 * unreadable, a temporary error, or a rejection of the credentials; undefined for a success.
 */
export function answerNonSuccess(
  observation: Observation,
  { recorded }: Evidence,
): InferredAnswer | undefined {
  const { content, status } = observation;
  if (content?.kind === 'success') return undefined;
  if (!content?.error) return unknown(status === undefined ? 'no answer' : unreadable, observation);
  if (recorded.includes(observation)) return certain(content.error.label, observation);
  return isTransient(content.kind)
    ? unknown('temporary error; the response may differ next time', observation)
    : unknown('every request was rejected for access', observation);
}

/** Reason for the answer `unknown` to a question if the body of the response could not be read. */
export const unreadable = 'the response could not be read';

/**
 * Formats a request and its response in one line: "GET /customers?limit=1: HTTP 200, 1 customer". Without a readable response,
 * formats the reason: "GET /customers: no connection".
 */
function formatExchange({ exchange, blocked, content, status }: Observation): string {
  if (!content) return `${exchange}: ${blocked ?? unreadable}`;
  const counts = Object.entries(content.lists).map(
    ([name, identities]) =>
      `, ${formatCount(identities.length, name.replaceAll('_', ' ').replace(/s$/, ''))}`,
  );
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
