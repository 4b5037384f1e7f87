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
  #taken = 0;

  constructor(target: Pick<HttpClient, 'get'>) {
    this.#target = target;
    this.client = metered(target);
  }

  /** Asks for something beside other requests. @returns how many requests that took, which `taken` receives */
  async beside<Answer>(ask: (client: Pick<HttpClient, 'get'>) => Promise<Answer>) {
    const client = metered(this.#target);
    const answer = await ask(client);
    const requests = client.take();
    this.#beside += requests;
    return { answer, requests };
  }

  taken(requests: number): void {
    this.#beside -= requests;
    this.#taken += requests;
  }

  /** Requests that are done, and in no line of the journal yet. @param later those of them that `taken` receives later: they are requested anew if the process ends before */
  counted(later = 0): number {
    const counted = this.#taken + this.client.take() - later;
    this.#taken = 0;
    this.#beside += later;
    return counted;
  }

  /** The same at the end, when nothing is on its way. */
  countedAtEnd(): number {
    return this.#beside + this.counted();
  }
}
