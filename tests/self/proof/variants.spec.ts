import { expect, test } from '@playwright/test';
import { proveVariant } from './prove.ts';
import { variants } from './variants/index.ts';

test.describe.configure({ mode: 'parallel' });

for (const variant of variants) {
  const annotation = { type: 'variant', description: variant.name };
  test(`variant: ${variant.name}`, { annotation }, async () => {
    const { observed, documented, coverage, differs, recorded } = await proveVariant(variant);
    const known = (variant.deviates ?? []).toSorted();
    expect({
      documented: [documented.violated.toSorted(), documented.deviating, documented.blocked],
      observed: [observed.violated, observed.deviating.toSorted(), observed.blocked],
    }).toEqual({ documented: [known, [], []], observed: [[], known, []] });
    const { violated, deviating, blocked } = recorded.observed;
    expect([...violated, ...blocked], 'recorded').toEqual([]);
    expect(known, 'deviates as known, recorded').toEqual(expect.arrayContaining(deviating));
    expect(differs, 'differs from the usual provider').toBe(true);
    for (const { exercised, total, missing } of [coverage.nodes, coverage.states]) {
      expect(exercised, 'something is exercised').toBeGreaterThan(0);
      expect(exercised + missing.length, 'coverage adds up').toBe(total);
    }
  });
}
