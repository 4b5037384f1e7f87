import { setImmediate } from 'node:timers/promises';
import { type HttpClient, maxConcurrency } from '../client/http-client.ts';
import type { ListClient, PageAnswer } from './paging/list-client.ts';
import type { ListEnd } from './paging/list-end.ts';
import { type ListPlan, requestsOf } from './paging/list-plan.ts';
import { inOrder, type PageRequest, type Part } from './paging/paging.ts';
import type { SweepRequests } from './sweep-requests.ts';

/** A page that was requested, and how many requests that took. */
export interface AskedPage {
  request: PageRequest;
  answer: PageAnswer;
  requests: number;
}

/** The pages of a list, or of a part of it, requested some at a time. */
export class AskedPages {
  readonly #plan: ListPlan;
  readonly #part: Part | undefined;
  readonly #requests: SweepRequests;
  readonly #clientOver: (client: Pick<HttpClient, 'get'>) => ListClient;
  #isAnew = false;

  constructor(
    plan: ListPlan,
    part: Part | undefined,
    requests: SweepRequests,
    clientOver: (client: Pick<HttpClient, 'get'>) => ListClient,
  ) {
    this.#plan = plan;
    this.#part = part;
    this.#requests = requests;
    this.#clientOver = clientOver;
  }

  /** In their order, from the next one on. @param first the first page, where it was requested before */
  async *inOrder(next: () => number, first: PageAnswer | undefined, end: ListEnd): AsyncGenerator<AskedPage> {
    // After the lookups of what the first page shows: these would have to wait.
    const behindFirst = first ? setImmediate() : undefined;
    const ask = (request: PageRequest) => {
      if (first && request.number === 0) return Promise.resolve({ request, answer: first, requests: 1 });
      return end.pages.noteAsked(request.number, this.#ask(request, behindFirst));
    };
    do {
      this.#isAnew = false;
      for await (const page of inOrder(requestsOf(this.#plan, next(), this.#part), ask, maxConcurrency)) {
        yield page;
        if (this.#isAnew) break;
      }
    } while (this.#isAnew);
  }

  /** Requests anew what follows the last page that was kept. */
  requestAnew(): void {
    this.#isAnew = true;
  }

  async #ask(request: PageRequest, behind: Promise<void> | undefined): Promise<AskedPage> {
    const { limit, offset } = request;
    await behind;
    const asked = await this.#requests.beside((client) => this.#clientOver(client).page(limit, offset));
    return { request, ...asked };
  }
}
