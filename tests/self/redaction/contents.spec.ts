import { expect, test } from '@playwright/test';
import { applyInOrder } from '../harness/edits.ts';
import { answerQuestions } from '../harness/observing.ts';
import { Canaries } from './canaries.ts';
import {
  breaking,
  type CreateTarget,
  conforming,
  createHeaders,
  createUuid,
  rejectingUnknown,
  replacingEveryValue,
  whispering,
} from './canary-target.ts';

const targets: Record<string, CreateTarget> = {
  'conforms to the contract': conforming,
  'breaks the contract': breaking,
  'has secrets in every field': replacingEveryValue,
  'has secrets that read like words': whispering,
  'echoes each request that it rejects': rejectingUnknown(404),
};

const secretNames = ['API key', 'own cookie', 'password', 'signature'];

function createSettings(canaries: Canaries) {
  const headers: Record<string, string> = { 'X-Api-Key': canaries.getTextToEncode('API key') };
  for (const [index, name] of secretNames.entries())
    headers[`X-Key-${index}`] = canaries.getWords(`${name} in words`);
  return {
    baseUrl: 'http://target.invalid',
    headers,
    identifiers: {
      CARD_IDS: [createUuid(canaries, 'card id')],
      CUSTOMER_IDS: [canaries.getCode('customer id'), createUuid(canaries, 'customer uuid')],
      USER_IDS: [canaries.getCode('user id'), canaries.getWords('user id in words')],
    },
    probes: true,
    fuzzRequests: 8,
    fuzzSeed: 1,
  };
}

for (const [behaviour, canary] of Object.entries(targets))
  test(`observations of a target that ${behaviour} hold no text of the target`, async () => {
    const canaries = new Canaries();
    const withHeaders = applyInOrder(canary(canaries), (response) => ({
      ...response,
      headers: { ...createHeaders(canaries), ...response.headers },
    }));
    const { observations, probes } = await answerQuestions({ alter: withHeaders }, createSettings(canaries));
    const observed = [...observations, ...probes];
    expect(observed.filter(({ content }) => content).length).toBeGreaterThan(30);
    expect(canaries.findLabels(JSON.stringify(observed))).toEqual([]);
  });
