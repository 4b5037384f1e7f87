import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import type { MockedRun } from '../harness/whole-run.ts';

const isCard = (requestPath: string) => requestPath.includes('/cards/');
const replyUnavailable = (isAffected: (requestPath: string) => boolean, retryAfter?: string): Alter => {
  const headers: Record<string, string> = { 'content-type': 'text/html' };
  if (retryAfter) headers['retry-after'] = retryAfter;
  return (response, request) => {
    if (!isAffected(request.path)) return response;
    return { status: 503, headers, body: null, raw: '<html>Maintenance</html>' };
  };
};

const countRequests = ({ requests }: MockedRun) => {
  const cardCount = requests.filter(({ path: requestPath }) => isCard(requestPath)).length;
  return { cards: cardCount, others: requests.length - cardCount };
};

const rows: [name: string, alter: Alter, requests: ReturnType<typeof countRequests>, cardVerdict: string][] =
  [
    // Each of the four operations is given up after three requests: 3 of `getCard`, and 9 of the three others.
    ['each response is HTTP 503', replyUnavailable(() => true), { cards: 3, others: 9 }, 'blocked'],
    // The first two requests, which check the API (`isApiCheck`), are among these 9. Only they are retried, three times each.
    [
      'each response is HTTP 503 with Retry-After',
      replyUnavailable(() => true, '0'),
      { cards: 3, others: 15 },
      'blocked',
    ],
    [
      'each response but those about cards is HTTP 503',
      replyUnavailable((requestPath) => !isCard(requestPath)),
      { cards: 16, others: 9 },
      'pass',
    ],
  ];

for (const [name, alter, requests, cardVerdict] of rows)
  test(`each operation is given up after three requests, and cards are judged if they can be, if ${name}`, async () => {
    const run = await runInProcessAgainst({ alter }, { PROBES: 'off', MAX_RPS: '1000' });
    expect(countRequests(run)).toEqual(requests);
    const { conformance } = run;
    expect(conformance?.verdict).toBe('error');
    expect(conformance?.requirements.find(({ address }) => address === 'getCard/code')?.verdict).toBe(
      cardVerdict,
    );
  });

test('an operation is given up after three responses with HTTP 503 in a row, beside those in parallel', async () => {
  const run = await runInProcessAgainst({ alter: replyUnavailable(isCard) }, { PROBES: 'off' });
  expect(countRequests(run).cards).toBeLessThanOrEqual(6);
  const verdicts = new Set(
    run.conformance?.requirements.map(({ operation, verdict }) => `${operation} ${verdict}`),
  );
  expect([...verdicts].filter((verdict) => verdict.startsWith('getCard '))).toEqual(['getCard blocked']);
  expect(verdicts).toContain('getFeeRules pass');
});
