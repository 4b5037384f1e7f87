import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import {
  altering,
  answering,
  type Change,
  hasParameter,
  set,
  setContentType,
  setStatus,
} from '../harness/edits.ts';
import { judgeProvider } from '../harness/provider.ts';

const editRepeatedResponses = (edit: Change): Alter => {
  const requestedParameters = new Set<string>();
  return (response, request) => {
    if (request.operation !== 'getCard' || response.status !== 200) return response;
    const parameters = JSON.stringify(request.parameters);
    const isFirstRequest = !requestedParameters.has(parameters);
    requestedParameters.add(parameters);
    if (isFirstRequest) return response;
    return edit(response, request) ?? response;
  };
};

const createError =
  (httpStatus: number, code = httpStatus): Change =>
  (response) => ({ ...response, status: httpStatus, body: { code, message: 'no', data: null } });
const abortResponse: Change = (response) => ({ ...response, abort: 'before' });

const brokenStatus = ['getCard/http/status'];
const rows: [name: string, edit: Change, violated: string[], becomes: string][] = [
  ['has a field that is null', set('data/card/title', null), ['getCard/data/card/title'], 'judged'],
  ['has the code 0', set('code', 0), ['getCard/code'], 'judged'],
  ['has HTTP 201', setStatus(201), brokenStatus, 'judged'],
  ['is text/html', setContentType('text/html'), ['getCard/http/content-type'], 'judged'],
  // The card may have been deleted between the requests.
  ['is HTTP 404', createError(404), [], 'not exercised'],
  ['has the code 404', createError(200, 404), [], 'not exercised'],
  ['is HTTP 500', createError(500), brokenStatus, 'judged'],
  ['is HTTP 302', createError(302), brokenStatus, 'judged'],
  ['is HTTP 401', createError(401), [], 'blocked'],
  ['is HTTP 403', createError(403), brokenStatus, 'judged'],
  ['has the code 500', createError(200, 500), ['getCard/code'], 'judged'],
  ['is HTTP 429', createError(429), [], 'blocked'],
  ['is HTTP 503', createError(503), [], 'blocked'],
  ['has HTTP 429 and the code 200', createError(429, 200), [], 'blocked'],
  ['is none', abortResponse, [], 'blocked'],
];

const constantRule = 'getCard/rules/card-is-constant';

for (const [name, edit, violated, outcome] of rows)
  test(`a card whose second response ${name} is ${outcome}`, async () => {
    const { documented } = await judgeProvider({ alter: editRepeatedResponses(edit) });
    expect(documented.violated).toEqual(violated);
    expect(documented.blocked.length > 0).toBe(outcome === 'blocked');
    const rule = documented.requirementResults.find(({ address }) => address === constantRule);
    const reason = expect.stringContaining('no lookup shows a record that an earlier response shows');
    if (outcome === 'not exercised') expect(rule).toMatchObject({ verdict: outcome, reason });
  });

test('a card without a second response does not block if the next attempt has a response', async () => {
  const alterRepeated = editRepeatedResponses(abortResponse);
  let cutCount = 0;
  const alter: Alter = (response, request) => {
    const altered = alterRepeated(response, request);
    cutCount += altered === response ? 0 : 1;
    return cutCount === 1 ? altered : response;
  };
  const { documented } = await judgeProvider({ alter });
  expect(documented).toMatchObject({ violated: [], blocked: [] });
  expect(cutCount).toBeGreaterThan(0);
});

test('a violation in the first response to a card is counted once', async () => {
  const { documented } = await judgeProvider({ alter: altering('getCard', set('data/card/title', null)) });
  const title = documented.requirementResults.find(({ address }) => address === 'getCard/data/card/title');
  expect(title).toMatchObject({ affected: 3, exercised: 3 });
});

test('an overloaded page is blocked and not left open', async () => {
  const alter = answering('listCustomers', hasParameter('offset', '1'), { status: 429, body: { code: 429 } });
  expect((await judgeProvider({ alter })).documented.blocked).toContain('listCustomers/http/status');
});
