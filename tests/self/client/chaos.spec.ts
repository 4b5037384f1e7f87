import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { askEverything } from '../../../src/ask/ask-everything.ts';
import { createClient } from '../../../src/client/http-client.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { requirementsFor } from '../../../src/run/results.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { altering, set } from '../harness/edits.ts';
import { overridden } from '../harness/provider.ts';
import { seed as firstSeed, randomOf, runs } from '../soak.ts';
import { drawFault, startChaos } from './chaos-proxy.ts';

const { target: usual } = readConfiguration({}, '/nonexistent');
const contract = loadContract();

/** The one fault that every other provider of these runs has. */
const fault = 'getCard/data/card/title';
const faulty = altering('getCard', set('data/card/title', 7));

/** Asks and judges through a bad network: what is violated, and how many faults the network had. */
async function judgeThroughChaos(seed: number): Promise<{ violated: string[]; faults: number }> {
  const mock = await startMock(seed % 2 === 1 ? { alter: faulty } : {});
  // From networks that are hardly disturbed to ones through which little comes.
  const chaos = await startChaos(Number(new URL(mock.url).port), seed, 0.02 + randomOf(seed)() * 0.4);
  const few = { CARD_IDS: usual.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const target = overridden(usual, { timeoutMs: 150, identifiers: few });
  const client = await createClient(target, chaos.url);
  try {
    const judging = { entries: [], secrets: new Secrets() };
    const observations = await askEverything(contract, target, client, judging);
    const run = {
      target: target.name,
      profile: target.profile,
      startedAt: '2026-01-01T00:00:00Z',
      requests: 0,
      repeated: {},
      contract: '',
    };
    const { requirementResults } = evaluate(
      requirementsFor(contract, target),
      { run, observations },
      target.profile,
    );
    const violated = requirementResults
      .filter(({ verdict }) => verdict === 'violation')
      .map(({ address }) => address);
    const { none: _, ...done } = chaos.done;
    return { violated, faults: Object.values(done).reduce((sum, count) => sum + count, 0) };
  } finally {
    await Promise.all([client.close(), chaos.close(), mock.close()]);
  }
}

test('runs through a bad network: no false alarm', async () => {
  test.setTimeout(runs(180_000));
  let faults = 0;
  // Waiting is most of what such a run does.
  const atOnce = 5;
  for (let first = 0; first < runs(25); first += atOnce) {
    const seeds = Array.from({ length: atOnce }, (_, index) => firstSeed + first + index);
    for (const [index, judged] of (await Promise.all(seeds.map(judgeThroughChaos))).entries()) {
      const seed = seeds[index] ?? 0;
      expect([[], seed % 2 === 1 ? [fault] : []], `seed ${seed}`).toContainEqual(judged.violated);
      faults += judged.faults;
    }
  }
  expect(faults).toBeGreaterThan(0);
});

test('a bad network has every fault', () => {
  const random = randomOf(7);
  const drawn = new Set(Array.from({ length: 100 }, () => drawFault(random, 0.5)));
  expect([...drawn].sort()).toEqual(['half', 'hole', 'latency', 'none', 'reset']);
});
