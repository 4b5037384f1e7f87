import { type Mock, type MockOptions, startMock } from '../../mock/server.ts';
import { Disclosure } from '../client/disclosure.ts';
import type { Observation } from '../client/observation.ts';
import { openDoor } from '../client/send.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { askEverything } from '../exchanges/ask.ts';
import { type Behaviour, observeBehaviour } from '../probes/behaviour.ts';
import type { Recorded } from '../probes/drift.ts';
import { listening } from '../probes/heard.ts';

/** What a run observes of a provider, and what it took. */
export interface Observing extends Behaviour {
  /** Answers by question. */
  answers: Recorded;
  requests: Mock['requests'];
  /** How many requests were sent beyond the ordinary ones. */
  extra: number;
  /** What was judged, as it would be written. */
  observations: Observation[];
}

/** Observes a provider as a run does, in this process: real mock, real HTTP, same asking. */
export async function behaviourOf(
  options: MockOptions = {},
  wishes: Partial<Target> = {},
  recorded: Recorded = {},
): Promise<Observing> {
  const mock = await startMock(options);
  const target = { ...readConfiguration({}, '/nonexistent').target, ...wishes };
  const disclosure = new Disclosure(target);
  const door = listening(await openDoor(target, mock.url, disclosure.addSecret), disclosure);
  try {
    const judged = await askEverything(target, door, []);
    const ordinary = mock.requests.length;
    const behaviour = await observeBehaviour(target, door, recorded);
    const answers = Object.fromEntries(behaviour.observed.map(({ id, answer }) => [id, answer]));
    const observations = judged.map(disclosure.settle);
    const { requests } = mock;
    return { ...behaviour, answers, observations, requests, extra: requests.length - ordinary };
  } finally {
    await door.close();
    await mock.close();
  }
}

/** Ids of the questions whose answer is not the recorded one. */
export const drifted = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
