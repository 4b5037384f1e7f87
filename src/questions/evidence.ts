import type { Question } from '../../schemas/contract/questions.ts';
import { counted } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { hasCredentials, type ProbeContext, type QuestionProbe, requestLineOf } from './probes.ts';

/** Observations of a run that answers are inferred from. */
export interface Evidence {
  /** Responses that say something lasting, each request once, in the order sent. */
  recorded: Observation[];
  /** Returns the response to the first probe of a question, unless it was not sent. */
  probe(id: string): Observation | undefined;
  /** Returns the response to a request, written as `operation?query`, ordinary or probe. */
  asked(request: string): Observation | undefined;
  /** Returns the last response to a request that was sent again. */
  again(observation: Observation): Observation | undefined;
  /** Whether credentials are configured. */
  credentials: boolean;
  /** Why a probe may be missing. */
  notAskedReason: string;
}

/** Collects ordinary observations and those of probes, by request line. */
export function collectEvidence(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  observations: Observation[],
  probes: QuestionProbe[],
  notAskedReason: string,
): Evidence {
  const first = observations.filter(({ again, notSent }) => !again && !notSent);
  const byLine = new Map(first.map((observation) => [observation.exchange, observation]));
  return {
    recorded: lasting(first),
    probe: (id) => byLine.get(probes.find(({ question }) => question.id === id)?.request.exchange ?? ''),
    asked: (request) => byLine.get(requestLineOf(contract, request)),
    again: ({ exchange }) => observations.findLast((other) => other.again && other.exchange === exchange),
    credentials: hasCredentials(target),
    notAskedReason,
  };
}

/** Whether the response of an operation is a success. */
export const isSuccess = (observation: Observation | undefined): boolean =>
  observation !== undefined && observation.operation !== '' && observation.content?.kind === 'success';

/** Whether a response says something lasting, of more than access. */
export const isLasting = ({ content }: Observation): boolean =>
  content !== undefined && !isTransient(content.kind) && !isAccessDenied(content.kind);

/** Leaves out transient errors, and rejections for access to an operation that nothing was accessible of. */
function lasting(observations: Observation[]): Observation[] {
  const read = observations.filter(({ content }) => content && !isTransient(content.kind));
  const accessible = new Set(read.filter(isLasting).map(({ operation }) => operation));
  // A path of no operation is as accessible as the operations are.
  const isAccessible = ({ operation }: Observation) =>
    operation === '' ? accessible.size > 0 : accessible.has(operation);
  return read.filter((observation) => isLasting(observation) || isAccessible(observation));
}

/** What is known of one open question. */
export interface InferredAnswer {
  answer: string;
  confidence: 'certain' | 'likely' | 'unknown';
  evidence: string[];
}

/** Answers one open question from what was recorded. */
export type Inference = (evidence: Evidence, question: Question) => InferredAnswer;

/** An answer that the responses it rests on leave no doubt of. */
export const certain = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: observations.map(formatExchange),
});

/** An answer that other responses might refute. */
export const likely = (answer: string, ...observations: Observation[]): InferredAnswer => ({
  ...certain(answer, ...observations),
  confidence: 'likely',
});

/** No answer, and why there is none. */
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
    return nonSuccess(observation, evidence) ?? read(observation, evidence);
  };

/** Returns the answer that a response gives by being no success; undefined for a success. */
export function nonSuccess(observation: Observation, { recorded }: Evidence): InferredAnswer | undefined {
  const { content, status } = observation;
  if (content?.kind === 'success') return undefined;
  if (!content?.error) return unknown(status === undefined ? 'no answer' : unreadable, observation);
  if (recorded.includes(observation)) return certain(content.error.label, observation);
  return isTransient(content.kind)
    ? unknown('the response is one of a bad moment: it may be another one later', observation)
    : unknown('every request was rejected for access', observation);
}

/** Reason for an unknown answer if a body could not be read. */
export const unreadable = 'the answer could not be read';

/** Formats an exchange in one line: the request, the status, and the length of each list of the response. */
function formatExchange({ exchange, blocked, content, status }: Observation): string {
  if (!content) return `${exchange}: ${blocked ?? unreadable}`;
  const counts = Object.entries(content.lists).map(
    ([name, identities]) => `, ${counted(identities.length, name.replaceAll('_', ' ').replace(/s$/, ''))}`,
  );
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
