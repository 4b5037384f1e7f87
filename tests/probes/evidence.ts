import type { Contract } from '../../schemas/contract/contract.ts';
import { requestKey } from '../client/http-client.ts';
import type { Disclosure } from '../redaction/disclosure.ts';
import { type Probe, pathTo } from './probes.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** All that was recorded in a run, as what answers are inferred from. */
export interface Evidence {
  /** In the order in which the requests were begun: that of the responses may be another one each time. */
  recorded: RecordedExchange[];
  /** Response to the probe of a name, unless it was not sent. */
  probe(id: string): RecordedExchange | undefined;
  /** Response to an operation with a query, whoever asked. */
  asked(operation: string, query?: string): RecordedExchange | undefined;
  /** Response to the same request when it was sent again. */
  again(recorded: RecordedExchange): RecordedExchange | undefined;
  /** Whether credentials are configured. */
  credentials: boolean;
  /** Why a probe may be missing. */
  notAskedReason: string;
  disclosure: Disclosure;
  contract: Contract;
}

/** What evidence is beside what was recorded. */
export type ProbeContext = Pick<Evidence, 'credentials' | 'notAskedReason' | 'disclosure' | 'contract'>;

/** What was recorded, by probe and by request. */
export function evidenceOf(
  recorded: Map<string, RecordedExchange>,
  probes: Probe[],
  context: ProbeContext,
): Evidence {
  const keys = new Map(probes.map(({ id, path, overrides }) => [id, requestKey(path, overrides)]));
  return {
    recorded: [...recorded.values()]
      .filter(({ again }) => !again)
      .sort((one, other) => one.ordinal - other.ordinal),
    probe: (id) => recorded.get(keys.get(id) ?? ''),
    asked: (operation, query) => recorded.get(requestKey(pathTo(context.contract, operation, query))),
    again: ({ path }) => recorded.get(requestKey(path, { again: true })),
    ...context,
  };
}

/** What is known of one open question. */
export interface InferredAnswer {
  answer: string;
  confidence: 'certain' | 'likely' | 'unknown';
  evidence: string[];
}

/** Answers one open question from what was recorded. */
export type Inference = (evidence: Evidence) => InferredAnswer;

/** An answer that the exchanges it rests on leave no doubt of. */
export const certain = (answer: string, ...recorded: RecordedExchange[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: recorded.map(seen),
});

/** An answer that other exchanges might refute. */
export const likely = (answer: string, ...recorded: RecordedExchange[]): InferredAnswer => ({
  ...certain(answer, ...recorded),
  confidence: 'likely',
});

/** No answer, and why there is none. */
export const unknown = (reason: string, ...recorded: RecordedExchange[]): InferredAnswer => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...recorded.map(seen)],
});

/** What is shown where a list is too short to answer. */
export const notReached = 'not reached by this list';

/** No answer, since the list is too short for one. */
export const shortList = (...recorded: RecordedExchange[]): InferredAnswer => ({
  ...certain(notReached, ...recorded),
  confidence: 'unknown',
});

/** One of two answers: the records that were seen do not show which. */
export const either = (one: string, other: string, ...recorded: RecordedExchange[]): InferredAnswer =>
  likely(`${one}, or ${other}`, ...recorded);

/** The answers that one leaves open. */
export const leftOpen = (answer: string): string[] => answer.split(', or ');

/** Whether the records alone may make the difference between two answers. */
export function mayBeSame(one: string, other: string): boolean {
  const open = leftOpen(other);
  return leftOpen(one).some((answer) => open.includes(answer));
}

/** Evidence of an answer that lists what values were seen: how many of them. */
export const sampleEvidence = (count: number, values: string): string => `${count} ${values}`;

/** How many values an answer rests on, as its evidence says; reports hold no more than that. */
export const sampleSizeOf = ({ evidence }: Pick<InferredAnswer, 'evidence'>): number =>
  Number(/\d+/.exec(evidence[0] ?? '')?.[0] ?? 0);

/** One exchange in a line: what was asked, and what there is to count in the answer. */
function seen({ exchange, blocked, digest }: RecordedExchange): string {
  if (blocked) return `${exchange}: ${blocked.shown}`;
  if (!digest) return `${exchange}: an answer that could not be read`;
  const counts = Object.entries(digest.lists).map(
    ([name, { count }]) => `, ${count} ${name.replaceAll('_', ' ')}`,
  );
  return `${exchange}: HTTP ${digest.status}${counts.join('')}`;
}
