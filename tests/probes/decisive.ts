import { type Evidence, type InferredAnswer, unknown } from './evidence.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** Whether a response, or that there is none, is due to the moment. */
export const isMomentary = ({ outcome }: RecordedExchange): boolean =>
  outcome.kind === 'transient' || outcome.kind === 'unanswered';

/** Thrown where an inference needs a response that says nothing lasting of the target. */
export class IndecisiveError extends Error {
  readonly answer: InferredAnswer;

  constructor(reason: string, ...recorded: RecordedExchange[]) {
    super(reason);
    this.answer = unknown(reason, ...recorded);
  }
}

/**
 * The evidence without what says nothing lasting of a target: responses of a moment, and rejections for access where
 * nothing of an operation was accessible. An inference that asks for one of them throws.
 */
export function decisive(evidence: Evidence): Evidence {
  const reasonOf = reasons(evidence.recorded);
  const check = (recorded: RecordedExchange | undefined) => {
    const reason = recorded && reasonOf(recorded);
    if (reason) throw new IndecisiveError(reason, recorded);
    return recorded;
  };
  return {
    ...evidence,
    recorded: evidence.recorded.filter((one) => reasonOf(one) === undefined),
    probe: (id) => check(evidence.probe(id)),
    asked: (operation, query) => check(evidence.asked(operation, query)),
    again: (recorded) => check(evidence.again(recorded)),
  };
}

/** Why nothing follows from a response, if that is so. */
function reasons(recorded: RecordedExchange[]): (one: RecordedExchange) => string | undefined {
  const lasting = recorded.filter((one) => !isMomentary(one) && !one.outcome.accessDenied);
  const accessible = new Set(lasting.map(({ operation }) => operation));
  // A path of no operation is as accessible as the operations are.
  const isAccessible = ({ operation }: RecordedExchange) =>
    operation === undefined ? accessible.size > 0 : accessible.has(operation);
  return (one) => {
    if (isMomentary(one)) return 'the response is one of a bad moment: it may be another one later';
    return one.outcome.accessDenied && !isAccessible(one)
      ? 'every request was rejected for access'
      : undefined;
  };
}
