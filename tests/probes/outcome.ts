import { certain, type Evidence, type Inference, type InferredAnswer, likely, unknown } from './evidence.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** Everything of an operation that was answered with a success. */
export const answersOf = ({ recorded }: Pick<Evidence, 'recorded'>, operation: string) =>
  recorded.filter((one) => one.operation === operation && one.outcome.kind === 'answered');

/** Reads the answer to the probe that is named like the question; what is no success speaks for itself. */
export function probed(
  id: string,
  read: (recorded: RecordedExchange, evidence: Evidence) => InferredAnswer,
): Inference {
  return (evidence) => {
    const recorded = evidence.probe(id);
    if (!recorded) return unknown(evidence.notAskedReason);
    return describeNonSuccess(recorded) ?? read(recorded, evidence);
  };
}

/** What there is to say of an answer that is no success. */
export function describeNonSuccess(recorded: RecordedExchange): InferredAnswer | undefined {
  const { kind, words } = recorded.outcome;
  if (kind === 'answered') return undefined;
  if (kind === 'unreadable') return unknown(words, recorded);
  return kind === 'silent' ? likely(words, recorded) : certain(words, recorded);
}
