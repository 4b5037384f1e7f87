import { expect, test } from '@playwright/test';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { addressesWith, json, replying, resultsOf, type When } from '../harness/examples.ts';

const unnamed: When = ({ parameters }) => parameters.type === 'user' && parameters.user_id === undefined;
const rule = 'getFeeRules/rules/user-id-required';
const page: HttpResponse = { status: 400, contentType: 'text/html', body: Buffer.from('<html></html>') };
const errorResponses: [name: string, answer: HttpResponse][] = [
  ...[400, 401, 403, 404, 409, 422, 500, 302].map(
    (status) => [`HTTP ${status}`, json(status, { code: status })] as [string, HttpResponse],
  ),
  ['a page of HTML', page],
  ['a page of HTML with HTTP 200', { ...page, status: 200 }],
  ['an empty body', { ...page, body: Buffer.from('') }],
  ['HTTP 200 with another code', json(200, { code: 400, message: 'rejected', data: null })],
  ['HTTP 200 with another code and an empty list', json(200, { code: 400, data: { fee_rules: [] } })],
  ['HTTP 200 without rules', json(200, { error: 'rejected' })],
  ['HTTP 200 without rules, with the code of a success', json(200, { code: 200, data: null })],
];

for (const [name, answer] of errorResponses) {
  test(`${name} rejects a user lookup without user_id`, async () => {
    const { requirementResults } = await resultsOf(replying(answer, unnamed));
    expect(addressesWith(requirementResults, 'violation')).toEqual([]);
    expect(addressesWith(requirementResults, 'blocked')).toEqual([]);
    expect(addressesWith(requirementResults, 'pass')).toContain(rule);
  });
}

const successes: [name: string, answer: HttpResponse][] = [
  ['rules', json(200, { code: 200, message: 'success', data: { fee_rules: [{}] } })],
  ['an empty list', json(200, { code: 200, message: 'success', data: { fee_rules: [] } })],
  ['rules without a code', json(201, { data: { fee_rules: [] } })],
];

for (const [name, answer] of successes) {
  test(`a user lookup without user_id that is answered with ${name} breaks its rule`, async () => {
    const { requirementResults } = await resultsOf(replying(answer, unnamed));
    expect(addressesWith(requirementResults, 'violation')).toEqual([rule]);
  });
}

const ofTheMoment: [name: string, answer: HttpResponse][] = [
  ...[407, 429, 502, 503, 504].map(
    (status) => [`HTTP ${status}`, json(status, {})] as [string, HttpResponse],
  ),
  ['HTTP 200 with code 503', json(200, { code: 503, message: 'busy', data: null })],
];

for (const [name, answer] of ofTheMoment) {
  test(`${name} says nothing of a user lookup without user_id`, async () => {
    const { requirementResults } = await resultsOf(replying(answer, unnamed));
    expect(addressesWith(requirementResults, 'violation')).toEqual([]);
    expect(addressesWith(requirementResults, 'blocked')).toEqual([rule]);
    const { reason } = requirementResults.find(({ address }) => address === rule) ?? {};
    expect(reason).toContain(name);
  });
}
