import type { Entry } from '../../schemas/contract/ledger.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { Exchange, Judged } from '../../schemas/judge/judged.ts';
import { type Blocked, type Effort, effortOf } from '../client/http-client.ts';
import { nothingJudged, type Observation, type Request, requestSent } from './observation.ts';
import { redact } from './redact.ts';
import type { Secrets } from './secrets.ts';

/** What exchanges are judged by beside the contract, and what must not be shown of them. */
export interface Judging {
  entries: Entry[];
  secrets: Secrets;
}

/** An exchange that was judged, and all that is kept of it. */
export interface Taken {
  judged: Judged;
  observation: Observation;
}

/**
 * Judges an exchange and redacts what is kept of it: the one way for whatever brings it in, an ordinary request, a sweep or a
 * recording. What holds it against others (`Relations`) and what adds it up (`Totals`) follow.
 */
export function take(exchange: Exchange, request: Request, { entries, secrets }: Judging): Taken {
  const judged = judge(exchange, entries);
  return { judged, observation: redact(exchange, request, judged, secrets) };
}

/** What is kept of a request without a response that could be judged. */
export const blockedObservation = (
  request: Request,
  answer: Blocked & Effort,
  expectsSuccess: boolean,
): Observation => ({
  ...requestSent(request),
  expectsSuccess,
  ...nothingJudged(),
  blocked: answer.blocked,
  ...(answer.notSent ? { notSent: true } : {}),
  ...effortOf(answer),
});
