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
import { inTurn, listing } from '../proof/variants/variant.ts';
import { type Judged, openClient, overridden } from './provider.ts';
import { requestAll } from './request-all.ts';

/** Observed behaviour of a provider, with the requests that were sent. */
export interface Observing extends Behaviour {
  /** Answers, keyed by question id. */
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** Number of requests beyond the ordinary ones. */
  extra: number;
  /** Redacted observations of the ordinary requests. */
  observations: Observation[];
  /** Observations of probes and fuzz. */
  probes: Observation[];
}

/** Observes the behaviour of a provider as a run does, in this process: the same mock and the same requests. */
export async function behaviourOf(
  options: Judged = {},
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<Observing> {
  const target = overridden(readConfiguration({}, '/nonexistent').target, overrides);
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
      observations: observations,
      probes,
      requests,
      extra: requests.length - ordinaryCount,
    };
  } finally {
    await client.close();
  }
}

/** Sorts observations by the arrival of their requests. Requests with an identifier come first, since their order does not matter. */
function sortByArrival(observations: Observation[], requests: Mock['requests']): Observation[] {
  const findArrival = ({ exchange }: Observation) =>
    requests.findIndex(({ path }) => `GET ${path}` === exchange);
  return observations
    .filter((observation) => observation.requests > 0)
    .sort((first, second) => findArrival(first) - findArrival(second));
}

const listedIds = new Set(customers.slice(0, 8).map(({ customer }) => customer.uuid));
/** Identifiers with one value for each variable, for tests that do not depend on their number. */
export const oneOfEach = Object.fromEntries(
  Object.entries(identifiers).map(([name, values]) => [name, values.slice(0, 1)]),
);
const listEightCustomers = listing((usual) => usual.filter(({ uuid }) => listedIds.has(uuid as string)));

/** Observes a provider whose list holds eight customers, with one identifier of each kind, to save requests. */
export const briefBehaviourOf = (
  options: Judged,
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<Observing> =>
  behaviourOf(
    { ...options, alter: options.alter ? inTurn(listEightCustomers, options.alter) : listEightCustomers },
    { identifiers: oneOfEach, ...overrides },
    recorded,
  );

/** Lists the ids of questions whose recorded answer has changed. */
export const drifted = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
