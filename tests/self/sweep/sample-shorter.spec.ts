import { expect, test } from '@playwright/test';
import type { MockAnswer } from '../../../mock/answers.ts';
import type { Alter } from '../../../mock/server.ts';
import { upperBound } from '../../sweep/results/bounds.ts';
import { sweepMock } from './sweep-run.ts';

/* Customers that were drawn, and are gone when they are requested. */

/** Answers in some way in place of each page without a customer, and of each page at all from a number on. */
const nothingAs = (way: Partial<MockAnswer>, pages = Number.POSITIVE_INFINITY): Alter => {
  let asked = 0;
  return (answer, { operation }) => {
    if (operation !== 'listCustomers') return answer;
    asked += 1;
    const { data } = (answer.body ?? {}) as { data?: { customers?: unknown[] } };
    return asked > pages || data?.customers?.length === 0 ? { ...answer, ...way } : answer;
  };
};

const ends: Partial<MockAnswer>[] = [
  {},
  ...[400, 404, 416].map((status) => ({ status, body: { code: status, message: 'no such page' } })),
  { body: { code: 404, message: 'no such page', data: { customers: [] } } },
];

test('a list that becomes shorter below a sample has moved, and the bound is that of an unknown number', async () => {
  const env = { SWEEP: '120', SWEEP_SEED: '3' };
  for (const end of ends) {
    const options = { population: { customers: 150, removeEvery: 3 }, alter: nothingAs(end) };
    const { result } = await sweepMock(options, { env });
    expect(result.moved.gaps).toBeGreaterThan(5);
    expect(result).toMatchObject({ blocked: [] });
    expect(result.stopped).toBeUndefined();
    expect(result.shares[`listCustomers/data/customers/*/uuid`]?.upperBound).toBe(
      upperBound({ drawn: result.judged, broken: 0 }),
    );
  }
});

test('a target that shows nothing at all any more below a sample has no shorter list', async () => {
  for (const end of ends.slice(1)) {
    const options = { population: { customers: 150 }, alter: nothingAs(end, 150) };
    const { result } = await sweepMock(options, { env: { SWEEP: '120', SWEEP_SEED: '3' } });
    expect(result.judged).toBeLessThan(100);
    expect(result.blocked.length).toBeGreaterThan(0);
  }
});

test('a target that rejects what is far behind has no shorter list where a long page shows more', async () => {
  for (const end of ends.slice(1)) {
    const isFar = ({ offset = 0 }: Record<string, unknown>) => Number(offset) > 60;
    const far: Alter = (answer, { operation, parameters }) =>
      operation === 'listCustomers' && isFar(parameters) ? { ...answer, ...end } : answer;
    const options = { population: { customers: 150 }, choices: { maxLimit: 1000 }, alter: far };
    const { result } = await sweepMock(options, { env: { SWEEP: '25', SWEEP_SEED: '3' } });
    expect(result.judged).toBeLessThan(25);
    expect(result.blocked.length).toBeGreaterThan(0);
  }
});
