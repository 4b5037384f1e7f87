import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import type { Coverage } from '../../../src/verdict/coverage.ts';
import { variantBatches } from './batches.ts';
import { type AddressesByVerdict, proveVariants } from './prove.ts';
import { variants } from './variants/index.ts';

test.describe.configure({ mode: 'parallel' });

test('names of variants are unique', () => {
  const names = variants.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

for (const variantBatch of variantBatches()) {
  const names = variantBatch.map(({ name }) => name);
  const annotation = names.map((description) => ({ type: 'variant', description }));
  test(`variants: ${names.join(' · ')}`, { annotation }, async () => {
    const { observed, documented, coverage, alike, recorded } = await proveVariants(variantBatch);
    const known = variantBatch.flatMap(({ deviates = [] }) => deviates).sort();
    expect({ documented: sorted(documented), observed: sorted(observed) }).toEqual({
      documented: { violated: known, deviating: [], blocked: [] },
      observed: { violated: [], deviating: known, blocked: [] },
    });
    const { violated, deviating, blocked } = recorded.observed;
    expect([...violated, ...blocked], 'recorded').toEqual([]);
    expect(known, 'deviates as known, recorded').toEqual(expect.arrayContaining(deviating));
    expectSense(coverage);
    expect(alike, 'differ in nothing from the usual provider').toEqual([]);
  });
}

const sorted = ({ violated, deviating, blocked }: AddressesByVerdict): AddressesByVerdict => ({
  violated: violated.toSorted(),
  deviating: deviating.toSorted(),
  blocked: blocked.toSorted(),
});

function expectSense({ nodes, states }: Coverage): void {
  for (const { exercised, total, missing } of [nodes, states]) {
    assert.ok(exercised > 0, 'something is exercised');
    assert.equal(exercised + missing.length, total, 'coverage adds up');
  }
}
