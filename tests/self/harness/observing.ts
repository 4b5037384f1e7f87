import { customers, identifiers } from '../../../mock/seed.ts';
import type { Mock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { type Behaviour, observeBehaviour } from '../../../src/questions/behaviour.ts';
import { createContentReader } from '../../../src/questions/content.ts';
import type { RecordedAnswers } from '../../../src/questions/drift.ts';
import { createKeyedHash } from '../../../src/redact/keyed-hash.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { listing } from '../proof/variants/variant.ts';
import { inTurn } from './edits.ts';
import { openClient, overrideSettings, type ProviderOptions } from './provider.ts';
import { requestAll } from './request-all.ts';

export interface Observing extends Behaviour {
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** Number of requests beyond those of a run without `PROBES` and `FUZZ`. */
  extraCount: number;
  observations: Observation[];
  probes: Observation[];
}

/**
 * Sends all requests of a run, and then those about `spec/questions.yaml`, to a provider, by default in this process. Returns the answers.
 * @param recorded answers of an earlier run, with which the new ones are compared
 */
export async function answerQuestions(
  options: ProviderOptions = {},
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<Observing> {
  const target = overrideSettings(readConfiguration({}, '/nonexistent').target, overrides);
  const contract = loadContract();
  const secrets = new Secrets(collectSecrets(target));
  const { requests, ...client } = await openClient({ network: false, ...options }, target);
  const readContent = createContentReader(contract, createKeyedHash('secret'));
  const context = { contract, target, client, secrets, readContent };
  try {
    const observations = await requestAll({ ...context, entries: [] });
    const runRequestCount = requests.length;
    const sortedObservations = sortByArrival(observations, requests);
    const { behaviour, probes } = await observeBehaviour(context, sortedObservations, recorded);
    const answers = Object.fromEntries(behaviour.observed.map(({ id, answer }) => [id, answer]));
    const extraCount = requests.length - runRequestCount;
    return { ...behaviour, answers, observations, probes, requests, extraCount };
  } finally {
    await client.close();
  }
}

/** Sorts by the arrival of requests. Those with an identifier come first, because `exchange` has a label such as `{CARD_IDS[0]}`. */
function sortByArrival(observations: Observation[], requests: Mock['requests']): Observation[] {
  const findArrival = ({ exchange }: Observation) =>
    requests.findIndex(({ path }) => `GET ${path}` === exchange);
  return observations
    .filter((observation) => observation.requests > 0)
    .sort((first, second) => findArrival(first) - findArrival(second));
}

const listedIds = new Set(customers.slice(0, 8).map(({ customer }) => customer.uuid));
export const oneOfEach = Object.fromEntries(
  Object.entries(identifiers).map(([name, values]) => [name, values.slice(0, 1)]),
);
const listEightCustomers = listing((usual) => usual.filter(({ uuid }) => listedIds.has(uuid as string)));

/** Calls `answerQuestions` with eight customers in the list and one identifier for each variable, which takes fewer requests. */
export const answerQuestionsBriefly = (
  options: ProviderOptions,
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<Observing> =>
  answerQuestions(
    { ...options, alter: options.alter ? inTurn(listEightCustomers, options.alter) : listEightCustomers },
    { identifiers: oneOfEach, ...overrides },
    recorded,
  );

export const listDrift = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
