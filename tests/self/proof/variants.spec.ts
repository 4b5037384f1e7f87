import { expect, test } from '@playwright/test';
import { proveVariant } from './prove.ts';
import { variants } from './variants/index.ts';

test.describe.configure({ mode: 'parallel' });

for (const variant of variants) {
  const annotation = { type: 'variant', description: variant.name };
  test(`variant: ${variant.name}`, { annotation }, async () => {
    const { observed, documented, coverage, differs, recorded } = await proveVariant(variant);
    const expectedDeviations = (variant.deviates ?? []).toSorted();
    const { violated, deviating, blocked } = recorded.observed;
    expect({
      documented: [documented.violated.toSorted(), documented.deviating, documented.blocked],
      observed: [observed.violated, observed.deviating.toSorted(), observed.blocked],
      recorded: {
        red: [...violated, ...blocked],
        deviatesElse: deviating.filter((address) => !expectedDeviations.includes(address)),
      },
      differs,
      addsUp: [coverage.nodes, coverage.states].map(
        ({ exercised, total, missing }) => exercised > 0 && exercised + missing.length === total,
      ),
    }).toEqual({
      documented: [expectedDeviations, [], []],
      observed: [[], expectedDeviations, []],
      recorded: { red: [], deviatesElse: [] },
      differs: true,
      addsUp: [true, true],
    });
  });
}
