import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import type { Blocked } from './http-client.ts';

const maxUnanswered = 3;

/** Counts requests without a response: after some of them, those that share the breaker are not sent any more. */
export class CircuitBreaker {
  #unanswered = 0;
  readonly #inARow: boolean;

  /** @param inARow whether a response sets the count back */
  constructor({ inARow }: { inARow: boolean }) {
    this.#inARow = inARow;
  }

  /** What takes the place of a response where nothing more is sent. */
  open(): Blocked | undefined {
    if (this.#unanswered < maxUnanswered) return undefined;
    const blocked = `not sent, since ${this.#unanswered} requests before it got no answer`;
    return { blocked, notSent: true };
  }

  note(response: HttpResponse | Blocked): void {
    if ('blocked' in response) this.#unanswered += 1;
    else if (this.#inARow) this.#unanswered = 0;
  }
}
