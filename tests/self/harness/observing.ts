import { customers, identifiers } from '../../../mock/seed.ts';
import type { Mock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { type Behaviour, observeBehaviour } from '../../../src/questions/behaviour.ts';
import { createContentReader } from '../../../src/questions/content.ts';
import type { RecordedAnswers } from '../../../src/questions/drift.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { keyedHash } from '../../../src/relations/keyed-hash.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { inTurn, listing } from '../proof/variants/variant.ts';
import { type Judged, openClient, overridden } from './provider.ts';
import { requestAll } from './request-all.ts';

/** What a run observes of a provider, and what it took. */
export interface Observing extends Behaviour {
  /** Answers by question. */
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** How many requests were sent beyond the ordinary ones. */
  extra: number;
  /** What was judged, as it would be written. */
  observations: Observation[];
  /** Observations of probes and fuzz. */
  probes: Observation[];
}

/** Observes a provider as a run does, in this process: same mock, same asking. */
export async function behaviourOf(
  options: Judged = {},
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<Observing> {
  const target = overridden(readConfiguration({}, '/nonexistent').target, overrides);
  const contract = loadContract();
  const secrets = new Secrets(secretsOf(target));
  const { requests, ...client } = await openClient({ network: false, ...options }, target);
  const readContent = createContentReader(contract, keyedHash('secret'));
  const context = { contract, target, client, secrets, readContent };
  try {
    const judged = await requestAll({ ...context, entries: [] });
    const ordinary = requests.length;
    const { behaviour, probes } = await observeBehaviour(context, inOrderSent(judged, requests), recorded);
    const answers = Object.fromEntries(behaviour.observed.map(({ id, answer }) => [id, answer]));
    return {
      ...behaviour,
      answers,
      observations: judged,
      probes,
      requests,
      extra: requests.length - ordinary,
    };
  } finally {
    await client.close();
  }
}

/** Sorts observations by the order in which their requests arrived; those with an identifier, which no order matters of, come first. */
function inOrderSent(observations: Observation[], requests: Mock['requests']): Observation[] {
  const placeOf = ({ exchange }: Observation) => requests.findIndex(({ path }) => `GET ${path}` === exchange);
  return observations
    .filter((observation) => observation.requests > 0)
    .sort((one, other) => placeOf(one) - placeOf(other));
}

const listed = new Set(customers.slice(0, 8).map(({ customer }) => customer.uuid));
/** One identifier of a kind: for what does not depend on how many there are. */
export const oneOfEach = Object.fromEntries(
  Object.entries(identifiers).map(([name, all]) => [name, all.slice(0, 1)]),
);
const eightListed = listing((usual) => usual.filter(({ uuid }) => listed.has(uuid as string)));

/** The same of eight customers, and one identifier of a kind: for what does not depend on how many there are. */
export const briefBehaviourOf = (
  options: Judged,
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<Observing> =>
  behaviourOf(
    { ...options, alter: options.alter ? inTurn(eightListed, options.alter) : eightListed },
    { identifiers: oneOfEach, maxPages: 1, ...overrides },
    recorded,
  );

/** Ids of the questions whose answer is not the recorded one. */
export const drifted = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
