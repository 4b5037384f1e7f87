import { expect, test } from '@playwright/test';
import { variants } from '../../mock/variants/index.ts';
import type { Coverage } from '../contract/coverage.ts';
import { proveVariant } from './proving.ts';

test('names of variants are unique', () => {
  const names = variants.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

for (const { name, deviates = [] } of variants) {
  test(`variant: ${name}`, async () => {
    const { observed, documented, coverage, differs } = await proveVariant(name);
    expect(documented, 'documented profile').toEqual({ violated: deviates, deviating: [], blocked: [] });
    expect(observed, 'observed profile').toEqual({ violated: [], deviating: deviates, blocked: [] });
    expectSense(coverage);
    expect(differs, 'differs from the usual provider').toBe(true);
  });
}

function expectSense({ nodes, states }: Coverage): void {
  for (const { exercised, total, missing } of [nodes, states]) {
    expect(exercised, 'something is exercised').toBeGreaterThan(0);
    expect(exercised + missing.length, 'coverage adds up').toBe(total);
  }
}
