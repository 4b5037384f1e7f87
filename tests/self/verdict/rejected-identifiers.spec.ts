import { expect, test } from '@playwright/test';
import { extentText } from '../../verdict/extent.ts';
import { exampleTarget, json, of, rejecting, replying, resultsOf } from '../harness/examples.ts';

const [firstCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];

test('a rejected request is one that a parameter was judged in', async () => {
  const unknown = of('getCard', ({ parameters }) => parameters.id === firstCard);
  const { requirementResults } = await resultsOf(rejecting(404, unknown));
  const rejected = requirementResults.find(({ verdict }) => verdict === 'violation');
  const { findings = [], exercised = 0, reason, cause, ...counts } = rejected ?? {};
  expect(extentText(findings, { ...counts, exercised })).toBe('in 1 of 2 places, in 1 of 2 requests');
  expect(reason).toMatch(/^1 of 2 configured identifiers were rejected/);
  expect(cause).toBe('configured identifiers');
});

test('an identifier that a body rejects with HTTP 200 is named, and what a target breaks by itself names none', async () => {
  const unknown = of('getCard', ({ parameters }) => parameters.id === firstCard);
  const [missing, error] = [{ code: 404, message: 'no', data: null }, { error: 'no' }];
  const failure = { code: 500, message: 'no' };
  const ofFirst = async (body: unknown, when = unknown) => {
    const { requirementResults } = await resultsOf(replying(json(200, body), when));
    return requirementResults.filter(({ verdict }) => verdict === 'violation');
  };
  for (const body of [missing, error]) {
    const broken = await ofFirst(body);
    expect(broken.length).toBeGreaterThan(0);
    for (const { reason, cause } of broken) {
      expect(reason).toMatch(/^1 of 2 configured identifiers were rejected: \{CARD_IDS\[0\]\}; /);
      expect(cause).toBe('configured identifiers');
    }
  }
  const others = [...(await ofFirst(failure)), ...(await ofFirst(missing, of('getCard')))];
  expect(others.map(({ address, reason }) => [address, reason])).toEqual([
    ['getCard/code', undefined],
    ['getCard/code', undefined],
  ]);
});
