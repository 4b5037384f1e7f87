import type { RecordingClient } from './recorded-exchange.ts';
import { keyOf, type Probe } from './requests.ts';

const maxUnanswered = 3;

/** A count of requests that got no answer: beyond some, nothing more is sent. */
export class Breaker {
  #silent = 0;

  readonly givenUp = () =>
    this.#silent < maxUnanswered
      ? undefined
      : `not sent, since ${this.#silent} probes before it got no answer`;

  /** Sends a request unless it was recorded before, or too many have got no answer. */
  async get(client: RecordingClient, { path, overrides = {}, shown }: Omit<Probe, 'id'>): Promise<void> {
    if (client.recorded.has(keyOf(path, overrides))) return;
    const answer = await client.get(path, this.givenUp, overrides, shown);
    if ('blocked' in answer && !answer.blocked.startsWith('not sent')) this.#silent += 1;
  }
}

/** Sends each probe once, what was recorded already excepted. Never throws; ends when a target stops answering. */
export async function askProbes(client: RecordingClient, probes: Probe[]): Promise<void> {
  const breaker = new Breaker();
  await Promise.all(probes.map((probe) => breaker.get(client, probe)));
}
