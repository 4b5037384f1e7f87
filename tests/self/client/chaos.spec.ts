import { existsSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { type Alter, startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { buildReport } from '../../../reports/conformance.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { entriesFor } from '../../../schemas/contract/ledger.ts';
import { askEverything } from '../../../src/ask/ask-everything.ts';
import { createClient } from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { requirementsFor } from '../../../src/run/results.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { overridden } from '../harness/overridden.ts';
import { seed as firstSeed, randomOf, runs } from '../soak.ts';
import { type Chaos, drawFault, startChaos } from './chaos-proxy.ts';

const { target: usual } = readConfiguration({}, '/nonexistent');

/** The one fault that a provider of these runs may have. */
const fault = 'getCard/data/card/title';
const faulty = altering('getCard', set('data/card/title', 7));

interface RunResult {
  conformance: Conformance;
  done: Chaos['done'];
}

/** A run through a bad network, as it is made, judged and written. */
async function runThroughChaos(seed: number, alter?: Alter): Promise<RunResult> {
  const mock = await startMock(alter ? { alter } : {});
  // From networks that are hardly disturbed to ones through which little comes.
  const chaos = await startChaos(Number(new URL(mock.url).port), seed, 0.02 + randomOf(seed)() * 0.4);
  const reportsDir = test.info().outputPath(`run-${seed}`);
  const few = { CARD_IDS: usual.identifiers.CARD_IDS?.slice(0, 3) ?? [] };
  const target = overridden(usual, { minCoverage: 0, timeoutMs: 150, identifiers: few, reportsDir });
  const startedAt = new Date();
  const client = await createClient(target, chaos.url);
  try {
    const observations = await askEverything(loadContract(), target, client, {
      entries: entriesFor(loadContract().ledger, target.name, '2026-01-01'),
      secrets: new Secrets(),
    });
    const conformance = concluded(target, startedAt, observations);
    writeReports(loadContract(), conformance, target);
    return { conformance, done: chaos.done };
  } finally {
    await Promise.all([client.close(), chaos.close(), mock.close()]);
  }
}

function concluded(target: Target, startedAt: Date, observations: Awaited<ReturnType<typeof askEverything>>) {
  const { name, profile } = target;
  const about = { requests: observations.length, repeated: {}, contract: loadContract().hash };
  const run = { target: name, profile, startedAt: startedAt.toISOString(), ...about };
  const results = evaluate(requirementsFor(loadContract(), target), { run, observations }, profile);
  const input = {
    contract: loadContract(),
    target,
    results,
    addresses: results.requirementResults.map(({ address }) => address),
    failed: new Set<string>(),
    problems: [],
    startedAt,
  };
  return buildReport(input, new Date());
}

/** What a run may not say, for the provider has not done it. */
function falseAlarms({ requirements, findings }: Conformance, mayFail: boolean): string[] {
  const violated = [...findings.filter(({ kind }) => kind === 'violation'), ...requirements].flatMap((one) =>
    'verdict' in one ? (one.verdict === 'violation' ? one.address : []) : one.requirement,
  );
  return violated.filter((address) => !mayFail || address !== fault);
}

/** Every other provider has a fault. */
async function expectNoFalseAlarm(seed: number): Promise<Chaos['done']> {
  const mayFail = seed % 2 === 1;
  const { conformance, done } = await runThroughChaos(seed, mayFail ? faulty : undefined);
  const blocked = conformance.requirements.some(({ verdict }) => verdict === 'blocked');
  expect(falseAlarms(conformance, mayFail), `seed ${seed}`).toEqual([]);
  if (!mayFail) expect(conformance.verdict, `seed ${seed}`).toBe(blocked ? 'error' : 'pass');
  expect(existsSync(test.info().outputPath(`run-${seed}/conformance.json`))).toBe(true);
  return done;
}

/** Waiting is most of what a run through a bad network does. */
const atOnce = 5;

for (const group of [0, 1, 2, 3, 4]) {
  test(`runs through a bad network, ${group + 1} of 5: no false alarm`, async () => {
    test.setTimeout(runs(120_000));
    let faults = 0;
    const count = runs(5);
    const from = firstSeed + count * group;
    for (let seed = from; seed < from + count; seed += atOnce) {
      const seeds = Array.from({ length: atOnce }, (_, index) => seed + index);
      for (const { none: _, ...done } of await Promise.all(seeds.map(expectNoFalseAlarm)))
        faults += Object.values(done).reduce((sum, count) => sum + count, 0);
    }
    expect(faults).toBeGreaterThan(0);
  });
}

test('a bad network has every fault', () => {
  const random = randomOf(7);
  const drawn = new Set(Array.from({ length: 100 }, () => drawFault(random, 0.5)));
  expect([...drawn].sort()).toEqual(['half', 'hole', 'latency', 'none', 'reset']);
});

test('the same seed gives the same network', () => {
  const [one, other, another] = [7, 7, 8].map(randomOf);
  const numbers = (random = () => 0) => Array.from({ length: 5 }, random);
  const first = numbers(one);
  expect(numbers(other)).toEqual(first);
  expect(numbers(another)).not.toEqual(first);
});
