import { expect, test } from '@playwright/test';
import { behaviourOf } from '../harness/observing.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { Canaries } from './canaries.ts';
import {
  breaking,
  type Canary,
  echoing,
  headersOf,
  knowing,
  uuid,
  whispering,
  wrecked,
} from './canary-target.ts';

const targets: Record<string, Canary> = {
  'keeps the contract': knowing,
  'breaks the contract': breaking,
  'has secrets in every field': wrecked,
  'has secrets that read like words': whispering,
  'rejects by saying back what was sent': echoing(404),
};

const words = ['API key', 'own cookie', 'password', 'signature'];

/** A target whose headers and identifiers are canaries. */
function configure(canaries: Canaries) {
  const readable = words.map((name, index) => [`X-Key-${index}`, canaries.phrase(`${name} in words`)]);
  return {
    baseUrl: 'http://target.invalid',
    headers: { 'X-Api-Key': canaries.text('API key'), ...Object.fromEntries(readable) },
    identifiers: {
      CARD_IDS: [uuid(canaries, 'card id')],
      CUSTOMER_IDS: [canaries.of('customer id'), uuid(canaries, 'customer uuid')],
      USER_IDS: [canaries.of('user id'), canaries.phrase('user id in words')],
    },
    ...{ probes: true, fuzzRequests: 8, fuzzSeed: 1 },
  };
}

for (const [what, canary] of Object.entries(targets))
  test(`observations of a target that ${what} hold nothing of it in what questions read`, async () => {
    const canaries = new Canaries();
    const withHeaders = inTurn(canary(canaries), (answer) => ({
      ...answer,
      headers: { ...headersOf(canaries), ...answer.headers },
    }));
    const { observations, probes } = await behaviourOf({ alter: withHeaders }, configure(canaries));
    const all = [...observations, ...probes];
    expect(all.filter(({ content }) => content).length).toBeGreaterThan(30);
    expect(canaries.placesIn(JSON.stringify(all))).toEqual([]);
  });
