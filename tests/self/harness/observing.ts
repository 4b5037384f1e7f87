import { customers } from '../../../mock/customers.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';
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
import { replaceListedCustomers } from '../proof/variants/variant.ts';
import { applyInOrder } from './edits.ts';
import { noDotenv } from './project-files.ts';
import { openClient, overrideSettings, type ProviderOptions } from './provider.ts';
import { requestAll } from './request-all.ts';

export interface ObservedRun extends Behaviour {
  answers: RecordedAnswers;
  requests: Mock['requests'];
  /** Number of additional requests, sent as probes. */
  extraCount: number;
  observations: Observation[];
  probes: Observation[];
}

/**
 * Sends requests and probes to a mock, and answers the questions of `spec/questions.yaml`.
 * @param recorded answers of an earlier run; entries of `observed` whose answer has changed have the earlier one as `recorded`
 *   (but not with `recordsAnswers`)
 */
export async function answerQuestions(
  options: ProviderOptions = {},
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<ObservedRun> {
  const target = overrideSettings(readConfiguration({}, noDotenv).target, overrides);
  const contract = loadContract();
  const secrets = new Secrets(collectSecrets(target));
  const { requests, ...client } = await openClient({ network: false, ...options }, target);
  // Extracts from each response what the questions need, such as hashes of records.
  const readContent = createContentReader(contract, createKeyedHash('secret'));
  const context = { contract, target, client, entries: [], secrets, readContent };
  try {
    const observations = await requestAll(context);
    const countWithoutProbes = requests.length;
    const sortedObservations = sortByArrival(observations, requests);
    const { behaviour, probes } = await observeBehaviour(context, sortedObservations, recorded);
    const extraCount = requests.length - countWithoutProbes;
    const answers: RecordedAnswers = {};
    for (const { id, answer } of behaviour.observed) answers[id] = answer;
    return { ...behaviour, answers, observations, probes, requests, extraCount };
  } finally {
    await client.close();
  }
}

function sortByArrival(observations: Observation[], requests: Mock['requests']): Observation[] {
  const requestLines = requests.map(({ path }) => `GET ${path}`);
  // A request line such as `GET …/{CARD_IDS[0]}` hides the identifier, so that its request cannot be found.
  const beforeAll = -1;
  const findArrival = ({ requestText: requestLine }: Observation) =>
    requestLine.includes('{') ? beforeAll : requestLines.indexOf(requestLine);
  return observations
    .filter((observation) => observation.requests > 0)
    .sort((first, second) => findArrival(first) - findArrival(second));
}

const listedIds = new Set(customers.slice(0, 8).map(({ customer }) => customer.uuid));
export const oneOfEach = Object.fromEntries(
  Object.entries(knownIdentifiers).map(([name, values]) => [name, values.slice(0, 1)]),
);
const listEightCustomers = replaceListedCustomers((usual) =>
  usual.filter(({ uuid }) => listedIds.has(uuid as string)),
);

/** Calls `answerQuestions` with few customers and identifiers, to keep the run short. */
export function answerQuestionsBriefly(
  options: ProviderOptions,
  overrides: Partial<Target> = {},
  recorded: RecordedAnswers = {},
): Promise<ObservedRun> {
  const { alter: alterFurther } = options;
  const alter = alterFurther ? applyInOrder(listEightCustomers, alterFurther) : listEightCustomers;
  const briefOverrides = { identifiers: oneOfEach, ...overrides };
  return answerQuestions({ ...options, alter }, briefOverrides, recorded);
}

export const listDrift = ({ observed }: Behaviour) =>
  observed.filter(({ recorded }) => recorded !== undefined).map(({ id }) => id);
