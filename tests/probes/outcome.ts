import { type Answered, certain, type Evidence, type Inference, likely, unknown } from './evidence.ts';
import type { Heard } from './heard.ts';

/** Everything of an operation that was answered with a success. */
export const answersOf = ({ heard }: Pick<Evidence, 'heard'>, operation: string) =>
  heard.filter((one) => one.operation === operation && one.outcome.kind === 'answered');

/** Reads the answer to the probe that is named like the question; what is no success speaks for itself. */
export function probed(id: string, read: (heard: Heard, evidence: Evidence) => Answered): Inference {
  return (evidence) => {
    const heard = evidence.probe(id);
    if (!heard) return unknown(evidence.gap);
    return plainly(heard) ?? read(heard, evidence);
  };
}

/** What there is to say of an answer that is no success. */
export function plainly(heard: Heard): Answered | undefined {
  const { kind, words } = heard.outcome;
  if (kind === 'answered') return undefined;
  if (kind === 'unreadable') return unknown(words, heard);
  return kind === 'silent' ? likely(words, heard) : certain(words, heard);
}
