import { expect, test } from '@playwright/test';
import { formatMarkdown } from '../../../reports/markdown.ts';
import { listReliableFields } from '../../../reports/reliable-fields.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { SweptShare } from '../../../src/sweep/summary.ts';
import { altering, readData, set } from '../harness/edits.ts';
import { judgeMock } from '../harness/judge-mock.ts';

const contract = loadContract();
const address = 'getCard/data/card/limits/*/status';
const sweepShare = { judged: 300, broken: 0, records: 'cards' };

interface ReliabilityRow {
  seen: [present: number, absent: number];
  responses: number;
  repetitions?: number;
  requirement?: { swept: SweptShare };
  traffic?: object;
  bound: number | undefined;
}

/**
 * Numbers of places in which an optional field is present and absent (`seen`), further parts of the run, and the expected upper
 * bound of the field's absence rate; `bound` is undefined if the field is not listed.
 */
const rows: ReliabilityRow[] = [
  // Rule of three: 3 / n for n responses.
  { seen: [10, 0], responses: 8, bound: 3 / 8 },
  // Repeated requests do not count.
  { seen: [10, 0], responses: 6, repetitions: 2, bound: 3 / 6 },
  // n is at most the number of objects with the field.
  { seen: [5, 0], responses: 8, bound: 3 / 5 },
  // In a sweep, n is the number of records.
  { seen: [900, 0], responses: 8, requirement: { swept: sweepShare }, bound: 3 / 300 },
  // The sweep has a greater bound of its own.
  { seen: [900, 0], responses: 8, requirement: { swept: { ...sweepShare, upperBound: 0.2 } }, bound: 0.2 },
  // Not listed: recorded, once absent, never present, or only three responses.
  { seen: [10, 0], responses: 8, traffic: {}, bound: undefined },
  { seen: [10, 1], responses: 8, bound: undefined },
  { seen: [0, 9], responses: 8, bound: undefined },
  { seen: [10, 0], responses: 3, bound: undefined },
];
test('an optional field is listed if it was never absent, with a bound by responses, or by the records of a sweep', () => {
  for (const row of rows) {
    const { seen, responses, repetitions = 0, requirement, traffic, bound } = row;
    const [present, absent] = seen;
    const counts = { [`${address} present`]: present, [`${address} absent`]: absent };
    const observe = (requests: number) => ({ exercised: { [address]: { places: present, requests } } });
    const observations = [observe(responses), { ...observe(repetitions), again: true as const }];
    const requirements = [{ address, ...requirement }];
    const run = { coverage: { seen: counts }, requirements, observations, traffic };
    expect(listReliableFields(contract, run)).toEqual(
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

test('each card counts once, although it is requested twice', async () => {
  const addStatus = altering('getCard', (response) => {
    for (const limit of readData<{ card: { limits: object[] } }>(response).card.limits)
      Object.assign(limit, { status: 'Active' });
    return response;
  });
  const { optionalAlwaysPresent, requestsMade } = await judgeMock({ alter: addStatus });
  const cardRequests = requestsMade.filter(
    ({ operation, status, again }) => operation === 'getCard' && status === 200 && !again,
  );
  // One of the cards has no limits.
  expect(optionalAlwaysPresent).toContainEqual(
    expect.objectContaining({ address, samples: cardRequests.length - 1, sampled: 'responses' }),
  );
});
