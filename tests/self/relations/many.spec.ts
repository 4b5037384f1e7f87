import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import type { Observation } from '../../redaction/observation.ts';
import { applyRelations } from '../../relations/apply-relations.ts';
import { judgeRelations } from '../../relations/judge-relations.ts';
import { Lag } from '../../relations/lag.ts';
import { relationsOf } from '../../relations/relation-rules.ts';
import { RunSightings, type Seen } from '../../relations/sightings-of-run.ts';

const contract = loadContract();

/** A run with a list of customers, none of whom any lookup finds. */
function noneFound(ids: string[]): Seen<{ observation: Observation }>[] {
  const customers = ids.map((uuid) => ({ uuid, reference_number: uuid }));
  const list = seen('listCustomers', {}, { outcome: 'success', body: { data: { customers } } });
  return [list, ...ids.map((id) => seen('getCustomer', { id }, { outcome: 'error', body: {} }))];
}

function seen(
  id: string,
  parameters: Record<string, string>,
  response: Pick<Seen<unknown>, 'outcome' | 'body'>,
): Seen<{ observation: Observation }> {
  const operation = contract.operations.find((one) => one.id === id) as Operation;
  const request = { operation: id, parameters: {}, configured: false, exchange: 'GET /', repeat: 'curl' };
  const unjudged = { expectsSuccess: true, visits: {}, states: {}, findings: [], tolerated: [] };
  return { operation, parameters, ...response, source: { observation: { ...request, ...unjudged } } };
}

/** Seconds of the processor for so many contradictions, how many were confirmed, and how many observations there are. */
async function judged(count: number) {
  const uuidOf = (n: number) => `${String(n).padStart(8, '0')}-5d0e-4a43-9d5b-0a6f2f1f9c11`;
  const all = noneFound(Array.from({ length: count }, (_, n) => uuidOf(n)));
  const sightings = new RunSightings<{ observation: Observation }>(relationsOf(contract));
  for (const one of all) sightings.add(one);
  const answers = new Map(all.map((one) => [one.source, one]));
  const begin = process.cpuUsage();
  const results = await judgeRelations(
    sightings,
    async (source) => answers.get(source) as (typeof all)[number],
    () => false,
    new Lag({ maxRps: Number.POSITIVE_INFINITY }),
  );
  const { size } = applyRelations(results, []);
  const seconds = process.cpuUsage(begin).user / 1e6;
  return { seconds, size, confirmed: results.filter(({ conclusion }) => conclusion === 'broken').length };
}

test('many contradictions of a rule cost time in proportion, and one of them is confirmed', async () => {
  // Until it has run once, nothing is compiled.
  await judged(2500);
  const fewer = await judged(2500);
  const { seconds, ...found } = await judged(20_000);
  // The list and each lookup.
  expect(found).toEqual({ size: 20_001, confirmed: 1 });
  // Eight times as many take at most sixteen times the time, whatever the machine; a square takes some forty times.
  expect(seconds).toBeLessThan(16 * fewer.seconds);
});
