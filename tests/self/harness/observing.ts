import { customers, identifiers } from '../../../mock/seed.ts';
import type { Mock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { type Behaviour, observeBehaviour } from '../../../src/questions/behaviour.ts';
import { createContentReader } from '../../../src/questions/content.ts';
import type { RecordedAnswers } from '../../../src/questions/drift.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { createKeyedHash } from '../../../src/relations/keyed-hash.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { listing } from '../proof/variants/variant.ts';
import { inTurn } from './edits.ts';
import { type Judged, openClient, overrideSettings } from './provider.ts';
import { requestAll } from './request-all.ts';

export interface Observing extends Behaviour {
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** Number of requests that were sent only for the open questions: probes and random requests (`FUZZ`). */
  extra: number;
  /** Redacted observations of the requests that every run sends, without probes. */
  observations: Observation[];
  probes: Observation[];
}

/**
 * Sends all requests of a run and then the probes to a provider, and answers the open questions. By default calls the mock in this process,
 * without a network.
 * @param overrides settings that differ from the defaults; identifiers are merged by variable
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
    const { behaviour, probes } = await observeBehaviour(
      context,
      sortByArrival(observations, requests),
      recorded,
    );
    const answers = Object.fromEntries(behaviour.observed.map(({ id, answer }) => [id, answer]));
    return {
      ...behaviour,
      answers,
      observations,
      probes,
      requests,
      extra: requests.length - ordinaryCount,
    };
  } finally {
    await client.close();
  }
}

/** Sorts observations by the arrival of their requests. Requests with an identifier come first, because `exchange` shows only its label. */
function sortByArrival(observations: Observation[], requests: Mock['requests']): Observation[] {
  const findArrival = ({ exchange }: Observation) =>
    requests.findIndex(({ path }) => `GET ${path}` === exchange);
  return observations
    .filter((observation) => observation.requests > 0)
    .sort((first, second) => findArrival(first) - findArrival(second));
}

const listedIds = new Set(customers.slice(0, 8).map(({ customer }) => customer.uuid));
/** One identifier of the mock for each variable such as `CARD_IDS`, for tests that do not depend on the number of lookups. */
export const oneOfEach = Object.fromEntries(
  Object.entries(identifiers).map(([name, values]) => [name, values.slice(0, 1)]),
);
const listEightCustomers = listing((usual) => usual.filter(({ uuid }) => listedIds.has(uuid as string)));

/** Answers the open questions as `answerQuestions` does, with fewer requests: eight customers in the list, one identifier per variable. */
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

/** Lists the ids of the questions whose answer differs from the recorded one. Only those answers have the key `recorded`. */
export const listDrift = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
