import { otherReason, type ResponseKind } from '../../schemas/judge/classify-response.ts';
import type { Judgement } from '../../schemas/judge/judgement.ts';
import type { ResponseSummary } from './session.ts';

/** What is kept of a response besides its content. */
export type Outcome = Omit<ResponseSummary, 'content'>;

export const unanswered: Outcome = { answered: false, rejected: false };

/** The response of a target that is overloaded says as little of its request as none. */
export const outcomeOf = (
  response: ResponseKind,
  judgement: Judgement,
  said: Omit<Outcome, 'answered'>,
): Outcome => (saysNothing(response, judgement) ? unanswered : { answered: true, ...said });

/** Whether a response says nothing of its request. */
export const saysNothing = (response: ResponseKind, { blocked }: Judgement): boolean =>
  blocked !== undefined || otherReason(response, '') !== undefined;
