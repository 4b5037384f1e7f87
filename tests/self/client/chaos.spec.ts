import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { inRow } from '../harness/gateway.ts';
import { judgeProvider } from '../harness/provider.ts';
import { seed as firstSeed, randomOf, runs } from '../soak.ts';

/** The one fault that every other provider of these runs has. */
const fault = 'getCard/data/card/title';
const faulty = altering('getCard', set('data/card/title', 7));

/** What may become of an answer on a bad day: it is late, reset, cut in the middle, or never there. */
const fates = (random: () => number) =>
  [
    { delayMs: 100 * random() },
    { delayMs: 100 * random() },
    { abort: 'before' },
    { abort: 'middle' },
    { delayMs: 3_600_000 },
  ] as const;

/** Asks and judges through a bad network: what is violated, and how many answers it disturbed. */
async function judgeThroughChaos(seed: number): Promise<{ violated: string[]; disturbed: number }> {
  const random = randomOf(seed);
  // From networks that are hardly disturbed to ones through which little comes.
  const share = 0.02 + random() * 0.4;
  let disturbed = 0;
  const disturbing: Alter = (answer) => {
    if (random() >= share) return answer;
    disturbed += 1;
    const drawn = fates(random);
    return { ...answer, ...drawn[Math.floor(random() * drawn.length)] };
  };
  const alter = seed % 2 === 1 ? inRow(disturbing, faulty) : disturbing;
  const { observed } = await judgeProvider({ alter }, { timeoutMs: 150 });
  return { violated: observed.violated, disturbed };
}

test('runs through a bad network: no false alarm', async () => {
  test.setTimeout(runs(180_000));
  let disturbed = 0;
  // Waiting is most of what such a run does.
  const atOnce = 5;
  for (let first = 0; first < runs(25); first += atOnce) {
    const seeds = Array.from({ length: atOnce }, (_, index) => firstSeed + first + index);
    for (const [index, judged] of (await Promise.all(seeds.map(judgeThroughChaos))).entries()) {
      const seed = seeds[index] ?? 0;
      expect([[], seed % 2 === 1 ? [fault] : []], `seed ${seed}`).toContainEqual(judged.violated);
      disturbed += judged.disturbed;
    }
  }
  expect(disturbed).toBeGreaterThan(0);
});
