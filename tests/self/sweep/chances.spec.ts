import { expect, test } from '@playwright/test';
import { binomialBound, hypergeometric } from '../../../src/sweep/chances.ts';
import { randomOf, runs, seed } from '../soak.ts';

/** n over k, exactly. */
function choices(n: number, k: number): bigint {
  let product = 1n;
  for (let i = 0; i < k; i += 1) product = (product * BigInt(n - i)) / BigInt(i + 1);
  return product;
}

function exactChance(k: number, of: number, broken: number, drawn: number): number {
  let sum = 0n;
  for (let at = Math.max(0, drawn - (of - broken)); at <= k; at += 1)
    sum += choices(broken, at) * choices(of - broken, drawn - at);
  return Number((sum * 10n ** 30n) / choices(of, drawn)) / 1e30;
}

test('the chance to draw at most so many broken ones is exact', () => {
  const random = randomOf(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let run = 0; run < runs(300); run += 1) {
    const of = 2 + below(200);
    const [broken, drawn] = [below(of + 1), 1 + below(of)];
    const k = below(Math.min(broken, drawn) + 1);
    const found = hypergeometric(k, of, broken, drawn);
    expect(Math.abs(found - exactChance(k, of, broken, drawn)), `${[k, of, broken, drawn]}`).toBeLessThan(
      1e-12,
    );
  }
  // One that is drawn of millions.
  expect(hypergeometric(0, 1_567_049, 209_547, 1)).toBeCloseTo(1 - 209_547 / 1_567_049, 14);
});

/** Bounds of Clopper and Pearson at 95 %, as other programs compute them. */
const bounds: [broken: number, drawn: number, bound: number][] = [
  [9313, 17600, 0.5353609810163429],
  [1, 2, 0.9746794344808963],
  [5, 10, 0.7775588989918742],
];

test('the bound of what was drawn with putting back is exact', () => {
  for (const drawn of [1, 20, 5000, 1_000_000])
    expect(Math.abs(binomialBound(0, drawn, 0.05) - -Math.expm1(Math.log(0.05) / drawn))).toBeLessThan(1e-14);
  for (const [broken, drawn, bound] of bounds)
    expect(Math.abs(binomialBound(broken, drawn, 0.05) - bound), `${broken} of ${drawn}`).toBeLessThan(1e-12);
});
