import { IndecisiveError, isMomentary } from './decisive.ts';
import { certain, type Evidence, type Inference, type InferredAnswer, unknown } from './evidence.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** Everything of an operation that was answered with a success. */
export const answersOf = ({ recorded }: Pick<Evidence, 'recorded'>, operation: string) =>
  recorded.filter((one) => one.operation === operation && one.outcome.kind === 'answered');

/** Reads the answer to the probe that is named like the question; the label of any other outcome is the answer. */
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
  const { kind, label } = recorded.outcome;
  if (kind === 'answered') return undefined;
  return kind === 'unreadable' || isMomentary(recorded) ? unknown(label, recorded) : certain(label, recorded);
}

/** Prints of what identifies the elements of a list, in its order, as far as they are kept; empty where nothing does. */
export const printsIn = (name: string, recorded: RecordedExchange | undefined): string[] =>
  listIn(name, recorded)?.ids ?? [];

/** Prints of the first elements of a list. @throws IndecisiveError where one of them has nothing that identifies it */
export function idsIn(name: string, recorded: RecordedExchange | undefined, count = Infinity): string[] {
  const ids = printsIn(name, recorded).slice(0, count);
  if (recorded && ids.includes(''))
    throw new IndecisiveError('a record has nothing to identify it by', recorded);
  return ids;
}

/** How many elements a list of an answer has. */
export const countIn = (name: string, recorded: RecordedExchange | undefined): number =>
  listIn(name, recorded)?.count ?? 0;

/** A print of a list in an answer, equal where the lists are; none where it is empty. */
export const printIn = (name: string, recorded: RecordedExchange | undefined): string =>
  countIn(name, recorded) === 0 ? 'none' : (listIn(name, recorded)?.print ?? 'none');

const listIn = (name: string, recorded: RecordedExchange | undefined) => {
  const lists = recorded?.digest?.lists ?? {};
  return Object.hasOwn(lists, name) ? lists[name] : undefined;
};

/** How the look-up of a record that does not exist was answered. */
export const recordAnswer = (id: string, name: string): Inference =>
  probed(id, (recorded) =>
    certain(recorded.digest?.records.includes(name) ? 'a record' : 'a success without a record', recorded),
  );
