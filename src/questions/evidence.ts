import type { Question } from '../../schemas/contract/questions.ts';
import { formatCount } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { formatRequestLine, hasCredentials, listProbes, type ProbeContext } from './probes.ts';

/** Observations of a run that answers are inferred from. */
export interface Evidence {
  /** Responses that say something lasting, each request once, in the order sent. */
  recorded: Observation[];
  /** Returns the response to the first probe of a question, unless it was not sent. */
  probe(id: string): Observation | undefined;
  /** Returns the response to a request such as `operation?query`, ordinary or probe. */
  find(request: string): Observation | undefined;
  /** Returns the last response to a request that was sent again. */
  again(observation: Observation): Observation | undefined;
  /** Set if credentials are configured. */
  hasCredentials: boolean;
  /** Reason for an unknown answer if the probe of a question is missing. */
  notAskedReason: string;
}

/** Collects ordinary observations and those of probes, by request line. */
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
      ? 'not asked: other requests before it got no answer'
      : 'not asked: PROBES is off',
  };
}

/** Checks that a request was sent, whatever the response. */
export const isSent = ({ notSent }: Observation): boolean => !notSent;

/** Checks that an operation responded with a success. */
export const isSuccess = (observation: Observation | undefined): observation is Observation =>
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/** Checks that a response is neither transient nor about access only. */
export const isLasting = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

/** Leaves out transient errors, and rejections for access to an operation that nothing was accessible of. */
function withoutTransientErrors(observations: Observation[]): Observation[] {
  const read = observations.filter(({ content }) => content && !isTransient(content.kind));
  const accessible = new Set(read.filter(isLasting).map(({ operation }) => operation));
  // A path of no operation is as accessible as the operations are.
  const isAccessible = ({ operation }: Observation) =>
    operation === '' ? accessible.size > 0 : accessible.has(operation);
  return read.filter((observation) => isLasting(observation) || isAccessible(observation));
}

/** Answer to an open question, inferred from responses. */
export interface InferredAnswer {
  answer: string;
  confidence: 'certain' | 'likely' | 'unknown';
  evidence: string[];
}

/** Answers one open question from evidence. */
export type Inference = (evidence: Evidence, question: Question) => InferredAnswer;

/** Returns an answer that its responses prove. */
export const certain = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: observations.map(formatExchange),
});

/** Returns an answer that other responses might refute. */
export const likely = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  ...certain(answer, ...observations),
  confidence: 'likely',
});

/** Returns no answer, with the reason. */
export const unknown = (reason: string, ...observations: Observation[]): InferredAnswer => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...observations.map(formatExchange)],
});

/** Reads the response to the probe of a question; the label of any other response is the answer. */
export const probed =
  (read: (observation: Observation, evidence: Evidence) => InferredAnswer): Inference =>
  (evidence, { id }) => {
    const observation = evidence.probe(id);
    if (!observation) return unknown(evidence.notAskedReason);
    return answerNonSuccess(observation, evidence) ?? read(observation, evidence);
  };

/** Returns the answer that a response gives by being no success; undefined for a success. */
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

/** Reason for an unknown answer if a body could not be read. */
export const unreadable = 'the answer could not be read';

/** Formats an exchange in one line: the request, the status, and the length of each list of the response. */
function formatExchange({ exchange, blocked, content, status }: Observation): string {
  if (!content) return `${exchange}: ${blocked ?? unreadable}`;
  const counts = Object.entries(content.lists).map(
    ([name, identities]) =>
      `, ${formatCount(identities.length, name.replaceAll('_', ' ').replace(/s$/, ''))}`,
  );
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
