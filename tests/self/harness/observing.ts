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

export interface ObservedRun extends Behaviour {
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** Number of requests beyond those of a run without `PROBES` and `FUZZ`. */
  extraCount: number;
  observations: Observation[];
  probes: Observation[];
}

/**
 * Sends all requests of a run, and the probes (requests that answer the open questions of `spec/questions.yaml`). Returns the answers,
 * such as `{ 'offset-unit': 'records' }`, and what was observed.
 * @param recorded answers of an earlier run, with which the suite compares the new ones
 */
export async function answerQuestions(
  options: ProviderOptions = {},
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<ObservedRun> {
  const target = overrideSettings(readConfiguration({}, '/nonexistent').target, overrides);
  const contract = loadContract();
  const secrets = new Secrets(collectSecrets(target));
  const { requests, ...client } = await openClient({ network: false, ...options }, target);
  const readContent = createContentReader(contract, createKeyedHash('secret'));
  const context = { contract, target, client, entries: [], secrets, readContent };
  try {
    const observations = await requestAll(context);
    const countWithoutProbes = requests.length;
    const sortedObservations = sortByArrival(observations, requests);
    const { behaviour, probes } = await observeBehaviour(context, sortedObservations, recorded);
    const extraCount = requests.length - countWithoutProbes;
    const answers = Object.fromEntries(behaviour.observed.map(({ id, answer }) => [id, answer]));
    return { ...behaviour, answers, observations, probes, requests, extraCount };
  } finally {
    await client.close();
  }
}

/** Sorts observations by the arrival of their requests. If `exchange` hides an identifier, as in `GET …/{CARD_IDS[0]}`, it comes first. */
function sortByArrival(observations: Observation[], requests: Mock['requests']): Observation[] {
  const requestLines = requests.map(({ path }) => `GET ${path}`);
  const beforeAll = -1;
  const findArrival = ({ exchange }: Observation) =>
    exchange.includes('{') ? beforeAll : requestLines.indexOf(exchange);
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
): Promise<ObservedRun> =>
  answerQuestions(
    { ...options, alter: options.alter ? inTurn(listEightCustomers, options.alter) : listEightCustomers },
    { identifiers: oneOfEach, ...overrides },
    recorded,
  );

export const listDrift = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
