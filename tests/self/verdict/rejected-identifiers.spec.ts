import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { extentText } from '../../../src/verdict/failure-text.ts';
import { dataNotes } from '../../../src/verdict/verdict.ts';
import { exampleTarget, json, of, rejecting, replying, resultsOf } from '../harness/examples.ts';

const [firstCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];

test('a rejected request is one that a parameter was judged in', async () => {
  const unknown = of('getCard', ({ parameters }) => parameters.id === firstCard);
  const { requirementResults } = await resultsOf(rejecting(404, unknown));
  const [rejected] = requirementResults.filter(({ verdict }) => verdict === 'violation');
  expect(rejected && extentText(rejected.findings, rejected)).toBe('in 1 of 2 places, in 1 of 2 requests');
  const { reason, cause } = rejected ?? {};
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

test('the contract leaves open what is answered to a configured identifier of another form', async () => {
  const identifiers = { ...exampleTarget().identifiers, CARD_IDS: [firstCard, 'card-1'] };
  const other = of('getCard', ({ parameters }) => parameters.id === 'card-1');
  const brokenBy = async (reply: Parameters<typeof resultsOf>[0]) => {
    const { requirementResults } = await resultsOf(reply, { identifiers });
    return requirementResults.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'not exercised');
  };
  const results = await resultsOf(rejecting(404, other), { identifiers });
  expect(dataNotes(loadContract(), exampleTarget(), results)).toEqual([
    expect.stringMatching(/^HTTP 404 to GET \S+\{CARD_IDS\[1\]\} is not judged/),
  ]);
  for (const status of [400, 404, 500]) expect(await brokenBy(rejecting(status, other))).toEqual([]);
  expect(await brokenBy(replying(json(200, { code: 404, message: 'no', data: null }), other))).toEqual([]);
  const [unknown] = await brokenBy(rejecting(404, of('getCard')));
  expect(unknown).toMatchObject({
    verdict: 'blocked',
    reason: expect.stringContaining('which it may not know'),
  });
  // What is answered with a success is judged like any other.
  const wrong = await brokenBy(replying(json(200, { code: 200, message: 7, data: {} }), other));
  expect(wrong.map(({ address }) => address)).toEqual(['getCard/message', 'getCard/data/card']);
});
