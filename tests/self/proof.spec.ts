import { expect, test } from '@playwright/test';
import { faults } from '../../mock/faults/index.ts';
import { requirementsOf } from '../../schemas/requirements.ts';
import { derivedFaults } from './derived.ts';
import { judgeProvider } from './provider.ts';

const all = [...faults, ...derivedFaults()];

test('every requirement has a fault, and every fault a requirement', () => {
  const addresses = requirementsOf().map(({ address }) => address);
  const broken = new Set(all.map(({ breaks }) => breaks));
  expect(
    [...broken].filter((address) => !addresses.includes(address)),
    'faults without a requirement',
  ).toEqual([]);
  expect(
    addresses.filter((address) => !broken.has(address)),
    'requirements without a fault',
  ).toEqual([]);
});

test('names of faults are unique', () => {
  const names = all.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

for (const { name, breaks, alter, observed, undeclared } of all) {
  test(`fault: ${name}`, async () => {
    const outcome = await judgeProvider({ alter }, undeclared ? { undeclaredFields: 'fail' } : {});
    expect(outcome.documented.violated, 'documented profile').toEqual([breaks]);
    const { violated, deviating } = outcome.observed;
    expect({ violated, deviating }, 'observed profile').toEqual(
      observed ? { violated: [], deviating: [breaks] } : { violated: [breaks], deviating: [] },
    );
  });
}
