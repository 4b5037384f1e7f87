import type { Question } from '../../schemas/contract/questions.ts';
import { formatCount } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { formatRequestLine, hasCredentials, listProbes, type ProbeContext } from './probes.ts';

/** Responses of a run, from which answers to open questions are inferred. */
export interface Evidence {
  /** Readable responses that are no temporary error, the first to each request, in the order sent. */
  recorded: Observation[];
  /** Returns the response to the first probe of a question, by id of the question; undefined if the probe was not sent. */
  probe(id: string): Observation | undefined;
  /** Returns the response to a request such as `listCustomers?offset=1`, ordinary or probe; undefined if it was not sent. */
  find(request: string): Observation | undefined;
  /** Returns the last response to a repetition of a request; undefined if it was not repeated. */
  again(observation: Observation): Observation | undefined;
  /** True if credentials are configured. */
  hasCredentials: boolean;
  /** Reason for the answer `unknown` if the probe of a question was not sent. */
  notAskedReason: string;
}

/** Indexes the observations of ordinary requests and probes by request line. Requests that were not sent are left out. */
export function collectEvidence(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  observations: Observation[],
): Evidence {
  const received = observations.filter(isSent);
  const probes = listProbes(contract, target);
  const first = received.filter(({ again }) => !again);
  const byLine = new Map(first.map((observation) => [observation.exchange, observation]));
  return {
    recorded: withoutTransientErrors(first),
    probe: (id) => byLine.get(probes.find(({ question }) => question.id === id)?.request.exchange ?? ''),
    find: (request) => byLine.get(formatRequestLine(contract, request)),
    again: ({ exchange }) =>
      received.findLast((repeated) => repeated.again && repeated.exchange === exchange),
    hasCredentials: hasCredentials(target),
    notAskedReason: target.probes
      ? 'not asked: requests before it got no answer, or a status such as HTTP 503'
      : 'not asked: PROBES is off',
  };
}

/** Checks that a request was sent, even if it got no response. */
export const isSent = ({ notSent }: Observation): boolean => !notSent;

/** Checks for a success of an operation, rather than of a path that belongs to no operation. */
export const isSuccess = (observation: Observation | undefined): observation is Observation =>
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/** Checks for a readable response that is no temporary error (such as 429), and no rejection of credentials or by a proxy. */
export const isLasting = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

/**
 * Leaves out unreadable responses and temporary errors. Also leaves out rejections of credentials, or by a proxy, if every
 * response of the operation was one.
 */
function withoutTransientErrors(observations: Observation[]): Observation[] {
  const read = observations.filter(({ content }) => content && !isTransient(content.kind));
  const accessible = new Set(read.filter(isLasting).map(({ operation }) => operation));
  // For a path of no operation, a response of any operation shows that the credentials are accepted.
  const isAccessible = ({ operation }: Observation) =>
    operation === '' ? accessible.size > 0 : accessible.has(operation);
  return read.filter((observation) => isLasting(observation) || isAccessible(observation));
}

/** Answer to an open question, inferred from responses. */
export interface InferredAnswer {
  /** Answer such as `pages`, or `unknown`. */
  answer: string;
  /** `certain`: the responses prove the answer; `likely`: other responses might refute it. */
  confidence: 'certain' | 'likely' | 'unknown';
  /** Responses that show the answer, one line each, after the reason of an unknown answer. */
  evidence: string[];
}

/** Infers the answer to an open question from the responses of a run. */
export type Inference = (evidence: Evidence, question: Question) => InferredAnswer;

/** Creates an answer that the given observations prove. */
export const certain = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: observations.map(formatExchange),
});

/** Creates an answer that the given observations show, but that other responses might refute. */
export const likely = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  ...certain(answer, ...observations),
  confidence: 'likely',
});

/** Creates the answer `unknown`, with the reason and the observations that leave the question open. */
export const unknown = (reason: string, ...observations: Observation[]): InferredAnswer => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...observations.map(formatExchange)],
});

/**
 * Creates an inference from the response to the first probe of a question. @param read answers by that response if it is a
 * success; any other response is itself the answer, such as `refused as 404`
 */
export const probed =
  (read: (observation: Observation, evidence: Evidence) => InferredAnswer): Inference =>
  (evidence, { id }) => {
    const observation = evidence.probe(id);
    if (!observation) return unknown(evidence.notAskedReason);
    return answerNonSuccess(observation, evidence) ?? read(observation, evidence);
  };

/** Returns the answer that an error response gives, such as `refused as 404`, or `unknown`; undefined for a success. */
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

/** Reason for the answer `unknown` if a body could not be read. */
export const unreadable = 'the answer could not be read';

/** Formats an exchange in one line: "GET /customers?limit=1: HTTP 200, 1 customer"; the reason if there is no response. */
function formatExchange({ exchange, blocked, content, status }: Observation): string {
  if (!content) return `${exchange}: ${blocked ?? unreadable}`;
  const counts = Object.entries(content.lists).map(
    ([name, identities]) =>
      `, ${formatCount(identities.length, name.replaceAll('_', ' ').replace(/s$/, ''))}`,
  );
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
