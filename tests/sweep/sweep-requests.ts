import type { HttpClient } from '../client/http-client.ts';

/** A client that counts what is sent through it. */
interface MeteredClient extends Pick<HttpClient, 'get'> {
  /** Requests that are done since this was called before: repetitions included. */
  take(): number;
}

/** A client that counts what is sent through it. */
export function metered(client: Pick<HttpClient, 'get'>): MeteredClient {
  let sent = 0;
  return {
    async get(...request) {
      const answer = await client.get(...request);
      if (!('notSent' in answer)) sent += 1 + (answer.repeated ?? 0);
      return answer;
    },
    take() {
      const taken = sent;
      sent = 0;
      return taken;
    },
  };
}

/**
 * Counts the requests of a sweep for its journal. What is requested beside other requests is counted when it is taken: if
 * the process ends before, it is requested anew.
 */
export class SweepRequests {
  /** For what is requested one by one. */
  readonly client: MeteredClient;
  readonly #target: Pick<HttpClient, 'get'>;
  #beside = 0;

  constructor(target: Pick<HttpClient, 'get'>) {
    this.#target = target;
    this.client = metered(target);
  }

  /** Asks for something beside other requests. @returns how many requests that took, which `takeForPage` receives */
  async beside<Answer>(ask: (client: Pick<HttpClient, 'get'>) => Promise<Answer>) {
    const client = metered(this.#target);
    const answer = await ask(client);
    const requests = client.take();
    this.#beside += requests;
    return { answer, requests };
  }

  /**
   * What a line of the journal counts: the requests of a page, and those that were sent one by one and are in no line yet.
   * @param isSettled whether what these have shown is written with this page: they are sent anew if the process ends before
   */
  takeForPage(requests: number, isSettled: boolean): number {
    this.#beside -= requests;
    return requests + (isSettled ? this.client.take() : 0);
  }

  /** Requests before the first page. @param later those of them that `takeForPage` receives later */
  takeAtStart(later: number): number {
    this.#beside += later;
    return this.client.take() - later;
  }

  /** All that no line has, when nothing is on its way. */
  takeAtEnd(): number {
    const left = this.#beside;
    this.#beside = 0;
    return left + this.client.take();
  }
}
