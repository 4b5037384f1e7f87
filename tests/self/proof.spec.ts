import { expect, test } from '@playwright/test';
import type { Fault } from '../../mock/faults/fault.ts';
import { requirementsOf } from '../../schemas/requirements.ts';
import { allFaults, batches, together } from './batches.ts';
import { judgeProvider, type Reading } from './provider.ts';

test('every requirement has a fault, and every fault a requirement', () => {
  const addresses = requirementsOf().map(({ address }) => address);
  const broken = new Set(allFaults.map(({ breaks }) => breaks));
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
  const names = allFaults.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

// Most faults are derived from the contract: a line that is lost there would take its faults along, unnoticed.
test('the contract rules out all that it did: a fault that is missing here would survive', () => {
  expect(`${allFaults.map(({ name, breaks }) => `${name} → ${breaks}`).join('\n')}\n`).toMatchSnapshot(
    'faults.txt',
  );
});

for (const batch of batches()) {
  test(`faults: ${batch.map(({ name }) => name).join(' · ')}`, async () => {
    const wishes = batch.some(({ undeclared }) => undeclared) ? { undeclaredFields: 'fail' as const } : {};
    const { observed, documented } = await judgeProvider({ alter: together(batch) }, wishes);
    for (const fault of batch) record(fault, observed, documented);
    const all = batch.map(({ breaks }) => breaks).sort();
    expect([...documented.violated].sort(), 'red in the documented profile').toEqual(all);
    expect(readingOf(observed), 'red and deviating in the observed profile').toEqual({
      violated: batch
        .filter((fault) => !fault.observed)
        .map(({ breaks }) => breaks)
        .sort(),
      deviating: batch
        .filter((fault) => fault.observed)
        .map(({ breaks }) => breaks)
        .sort(),
    });
  });
}

const readingOf = ({ violated, deviating }: Reading) => ({
  violated: [...violated].sort(),
  deviating: [...deviating].sort(),
});

/** A row of the matrix, for the report of the proof. */
function record({ name, breaks }: Fault, observed: Reading, documented: Reading): void {
  const own = (address: string) => address.startsWith(`${breaks.split('/')[0]}/`);
  const row = {
    fault: name,
    breaks,
    documented: documented.violated.filter(own),
    observed: [
      ...observed.violated.filter(own),
      ...observed.deviating.filter(own).map((one) => `${one} (deviation)`),
    ],
  };
  test.info().annotations.push({ type: 'fault', description: JSON.stringify(row) });
}
