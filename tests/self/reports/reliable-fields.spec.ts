import { expect, test } from '@playwright/test';
import { formatMarkdown } from '../../../reports/markdown.ts';
import { listReliableFields } from '../../../reports/reliable-fields.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { altering, set } from '../harness/edits.ts';
import { judgeMock } from '../harness/judge-mock.ts';

const contract = loadContract();
const address = 'getCard/data/card/limits/*/status';
const sweepShare = { judged: 300, broken: 0, records: 'cards' };
const again = { operation: 'getCard', again: true } as const;

/**
 * Numbers of places in which an optional field is present and absent (`seen`), further parts of the run, and the expected upper
 * bound of the field's absence rate; `bound` is undefined if the field is not listed.
 */
const rows = [
  // Rule of three: 3 / n for n responses.
  { seen: [10, 0], requirement: { requests: 8 }, bound: 3 / 8 },
  // Repeated requests do not count.
  { seen: [10, 0], requirement: { requests: 8 }, requestsMade: [again, again], bound: 3 / 6 },
  // n is at most the number of objects with the field.
  { seen: [5, 0], requirement: { requests: 8 }, bound: 3 / 5 },
  // In a sweep, n is the number of records.
  { seen: [900, 0], requirement: { requests: 8, swept: sweepShare }, bound: 3 / 300 },
  // The sweep has a greater bound of its own.
  { seen: [900, 0], requirement: { requests: 8, swept: { ...sweepShare, upperBound: 0.2 } }, bound: 0.2 },
  // Not listed: recorded, once absent, never present, or only three responses.
  { seen: [10, 0], requirement: { requests: 8 }, traffic: {}, bound: undefined },
  { seen: [10, 1], requirement: { requests: 8 }, bound: undefined },
  { seen: [0, 9], requirement: { requests: 8 }, bound: undefined },
  { seen: [10, 0], requirement: { requests: 3 }, bound: undefined },
] as const;
test('an optional field is listed if it was never absent, with a bound by responses, or by the records of a sweep', () => {
  for (const {
    seen: [present, absent],
    requirement,
    bound,
    ...sightings
  } of rows) {
    const counts = { [`${address} present`]: present, [`${address} absent`]: absent };
    const requirements = [{ address, ...requirement }];
    const run = { coverage: { seen: counts }, requirements, requestsMade: [], ...sightings };
    expect(listReliableFields(contract, { ...run, requestsMade: [...run.requestsMade] })).toEqual(
      bound === undefined ? [] : [expect.objectContaining({ address, upperBound: bound })],
    );
  }
});

test('a run lists the optional fields that were always present in its data and its summary, and passes', async () => {
  const run = await judgeMock({ alter: altering('listCustomers', set('message', 'success')) });
  expect(run.verdict).toBe('pass');
  expect(run.optionalAlwaysPresent?.map((field) => field.address)).toEqual(['listCustomers/message']);
  expect(formatMarkdown(run)).toMatch(
    /### Optional, always present\n\n- `listCustomers\/message`: present in all \d+ places; with 95 % confidence, at most \d+ % of responses lack it \(\d+ responses seen\)/,
  );
});
