import type { ListeningDoor } from './heard.ts';
import { keyOf, type Probe } from './requests.ts';

const mostSilence = 3;

/** A count of requests that got no answer: beyond some, nothing more is sent. */
export class Breaker {
  #silent = 0;

  readonly givenUp = () =>
    this.#silent < mostSilence ? undefined : `not sent, since ${this.#silent} probes before it got no answer`;

  /** Sends a request unless it was heard before, or too many have got no answer. */
  async get(door: ListeningDoor, { path, unusual = {}, shown }: Omit<Probe, 'id'>): Promise<void> {
    if (door.heard.has(keyOf(path, unusual))) return;
    const answer = await door.get(path, this.givenUp, unusual, shown);
    if ('blocked' in answer && !answer.blocked.startsWith('not sent')) this.#silent += 1;
  }
}

/** Sends each probe once, what was heard already excepted. Never throws; ends when a target stops answering. */
export async function askProbes(door: ListeningDoor, probes: Probe[]): Promise<void> {
  const breaker = new Breaker();
  await Promise.all(probes.map((probe) => breaker.get(door, probe)));
}
