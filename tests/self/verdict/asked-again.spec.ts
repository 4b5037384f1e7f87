import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { altering, answering, type Change, contentType, has, set, status } from '../harness/edits.ts';
import { judgeProvider } from '../harness/provider.ts';

const fromTheSecondOn = (edit: Change): Alter => {
  const seen = new Set<string>();
  return (answer, request) => {
    if (request.operation !== 'getCard' || answer.status !== 200) return answer;
    const path = JSON.stringify(request.parameters);
    const isFirst = !seen.has(path);
    seen.add(path);
    return (!isFirst && edit(answer, request)) || answer;
  };
};

const error =
  (httpStatus: number, code = httpStatus): Change =>
  (answer) => ({ ...answer, status: httpStatus, body: { code, message: 'no', data: null } });
const dead: Change = (answer) => ({ ...answer, abort: 'before' });

const brokenStatus = ['getCard/http/status'];
const rows: [name: string, edit: Change, violated: string[], becomes: string][] = [
  ['has a field that is null', set('data/card/title', null), ['getCard/data/card/title'], 'judged'],
  ['has the code 0', set('code', 0), ['getCard/code'], 'judged'],
  ['has HTTP 201', status(201), brokenStatus, 'judged'],
  ['is text/html', contentType('text/html'), ['getCard/http/content-type'], 'judged'],
  // It may be gone.
  ['is HTTP 404', error(404), [], 'not exercised'],
  ['has the code 404', error(200, 404), [], 'not exercised'],
  ['is HTTP 500', error(500), brokenStatus, 'judged'],
  ['is HTTP 302', error(302), brokenStatus, 'judged'],
  ['is HTTP 401', error(401), brokenStatus, 'judged'],
  ['has the code 500', error(200, 500), ['getCard/code'], 'judged'],
  ['is HTTP 429', error(429), [], 'blocked'],
  ['is HTTP 503', error(503), [], 'blocked'],
  ['has HTTP 429 and the code 200', error(429, 200), [], 'blocked'],
  ['is none', dead, [], 'blocked'],
];

const constant = 'getCard/rules/card-is-constant';

for (const [name, edit, violated, becomes] of rows)
  test(`where the second response to a card ${name}, the card is ${becomes}`, async () => {
    const { documented } = await judgeProvider({ alter: fromTheSecondOn(edit) });
    expect(documented.violated).toEqual(violated);
    expect(documented.blocked.length > 0).toBe(becomes === 'blocked');
    const rule = documented.requirementResults.find(({ address }) => address === constant);
    const reason = expect.stringContaining('no two responses held the same record');
    if (becomes === 'not exercised') expect(rule).toMatchObject({ verdict: becomes, reason });
  });

test('a card without a second response does not block where the next attempt has one', async () => {
  const isSecond = fromTheSecondOn(dead);
  let cut = 0;
  const alter: Alter = (answer, request) => {
    const altered = isSecond(answer, request);
    cut += altered === answer ? 0 : 1;
    return cut === 1 ? altered : answer;
  };
  const { documented } = await judgeProvider({ alter });
  expect(documented).toMatchObject({ violated: [], blocked: [] });
  expect(cut).toBeGreaterThan(0);
});

test('what the first response to a card breaks is counted once', async () => {
  const { documented } = await judgeProvider({ alter: altering('getCard', set('data/card/title', null)) });
  const title = documented.requirementResults.find(({ address }) => address === 'getCard/data/card/title');
  expect(title).toMatchObject({ affected: 3, exercised: 3 });
});

test('of a page that is overloaded the contract leaves nothing open', async () => {
  const alter = answering('listCustomers', has('offset', '1'), { status: 429, body: { code: 429 } });
  expect((await judgeProvider({ alter })).documented.blocked).toContain('listCustomers/http/status');
});
