import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Canaries } from '../redaction/canaries.ts';
import type { CanaryKind } from '../redaction/canary-kinds.ts';
import { type Common, fileOf, watch } from '../redaction/canary-run.ts';
import { breaking } from '../redaction/canary-target.ts';

/** A sweep that finds everything broken and identifiers in a file of its own. */
const sweeping: CanaryKind = {
  alter: breaking,
  env: (common: Common & { CUSTOMER_IDS?: string }, canaries) => {
    const identifiers = [...(common.CUSTOMER_IDS ?? '').split(','), canaries.of('customer id of a file')];
    return { SWEEP: 'all', CUSTOMER_IDS: `@${fileOf('identifiers.txt', identifiers.join('\n'))}` };
  },
  verdict: 'fail',
  finish: (reportsDir) => rmSync(path.join(path.dirname(reportsDir), 'identifiers.txt')),
};

test('nothing is left of what a sweep has received, requested and hashed, its journal included', async () => {
  const canaries = new Canaries();
  const { conformance, known, left } = await watch(sweeping, canaries);
  expect(left.map(({ name }) => path.basename(name))).toEqual(
    expect.arrayContaining(['listCustomers.ndjson', 'CUSTOMER_IDS.ndjson']),
  );
  expect(canaries.leaksIn(left)).toEqual([]);
  expect(conformance?.verdict).toBe('fail');
  expect(canaries.placesIn(known)).toEqual(canaries.places());
});
