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
import { type Judged, openClient, overrideSettings } from './provider.ts';
import { requestAll } from './request-all.ts';

export interface Observing extends Behaviour {
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** Number of probes and random requests (`FUZZ`). */
  extra: number;
  observations: Observation[];
  probes: Observation[];
}

/**
 * Sends all requests of a run and then the probes to a provider, by default in this process, and answers the open questions.
 * @param recorded answers of an earlier run, with which the new ones are compared
 */
export async function answerQuestions(
  options: Judged = {},
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
    const ordinaryCount = requests.length;
    const sortedObservations = sortByArrival(observations, requests);
    const { behaviour, probes } = await observeBehaviour(context, sortedObservations, recorded);
    const answers = Object.fromEntries(behaviour.observed.map(({ id, answer }) => [id, answer]));
    const extra = requests.length - ordinaryCount;
    return { ...behaviour, answers, observations, probes, requests, extra };
  } finally {
    await client.close();
  }
}

/** Requests with an identifier come first, because `exchange` shows a label instead. */
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

/** Answers the open questions with fewer requests: eight customers in the list, one identifier for each variable. */
export const answerQuestionsBriefly = (
  options: Judged,
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
