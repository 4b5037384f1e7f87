import type { ResponseKind } from '../../schemas/judge/classify-response.ts';
import type { Judgement } from '../../schemas/judge/judgement.ts';
import { saysNothing } from './seen-response.ts';
import type { ResponseSummary } from './session.ts';

type Outcome = Omit<ResponseSummary, 'content'>;

export const unanswered: Outcome = { answered: false, rejected: false };

/** What is kept of a response besides its content: that of an overload says as little of its request as none. */
export const outcomeOf = (
  kind: ResponseKind,
  judgement: Judgement,
  said: Omit<Outcome, 'answered'>,
): Outcome => (saysNothing(kind, judgement) ? unanswered : { answered: true, ...said });
