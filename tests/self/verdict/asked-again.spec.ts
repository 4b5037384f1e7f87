import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { type Change, contentType, set, status } from '../harness/edits.ts';
import { judgeProvider } from '../harness/provider.ts';

/** Edits each response to a card but the first. */
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

test('a rule that only the second response to a card breaks is violated', async () => {
  const edits: [Change, string][] = [
    [set('data/card/title', null), 'getCard/data/card/title'],
    [set('code', 0), 'getCard/code'],
    [status(201), 'getCard/http/status'],
    [contentType('text/html'), 'getCard/http/content-type'],
  ];
  for (const [edit, requirement] of edits) {
    const { documented } = await judgeProvider({ alter: fromTheSecondOn(edit) });
    expect(documented.violated).toEqual([requirement]);
  }
});

const answeredAgain = (httpStatus: number, code: number): Alter =>
  fromTheSecondOn((answer) => ({ ...answer, status: httpStatus, body: { code, message: 'no', data: null } }));

const constant = 'getCard/rules/card-is-constant';

test('a card that may be gone when it is requested again breaks nothing, and the rule that needs it says so', async () => {
  for (const [httpStatus, code] of [
    [404, 404],
    [410, 410],
    [400, 400],
    [200, 404],
  ] as const) {
    const { documented } = await judgeProvider({ alter: answeredAgain(httpStatus, code) });
    expect(documented).toMatchObject({ violated: [], blocked: [] });
    const rule = documented.requirementResults.find(({ address }) => address === constant);
    const reason = expect.stringContaining('no two responses held the requested record');
    expect(rule).toMatchObject({ verdict: 'not exercised', reason });
  }
});

test('a card that fails when it is requested again is judged as when it is requested first', async () => {
  const cases = [
    { httpStatus: 500, code: 500, violated: ['getCard/http/status'] },
    { httpStatus: 302, code: 302, violated: ['getCard/http/status'] },
    { httpStatus: 401, code: 401, violated: ['getCard/http/status'] },
    { httpStatus: 403, code: 403, violated: ['getCard/http/status'] },
    { httpStatus: 200, code: 500, violated: ['getCard/code'] },
    ...[429, 503].flatMap((code) => [code, 200].map((httpStatus) => ({ httpStatus, code, violated: [] }))),
  ];
  for (const { httpStatus, code, violated } of cases) {
    const { documented } = await judgeProvider({ alter: answeredAgain(httpStatus, code) });
    expect({ httpStatus, code, violated: documented.violated }).toEqual({ httpStatus, code, violated });
    expect(documented.blocked.length > 0).toBe(violated.length === 0);
  }
});

test('a card without a response when it is requested again blocks, unless the next attempt has one', async () => {
  const dead = fromTheSecondOn((answer) => ({ ...answer, abort: 'before' }));
  const isSecond = fromTheSecondOn((answer) => ({ ...answer, abort: 'before' }));
  let cut = 0;
  const cutOnce: Alter = (answer, request) => {
    const altered = isSecond(answer, request);
    cut += altered === answer ? 0 : 1;
    return cut === 1 ? altered : answer;
  };
  for (const { alter, blocked } of [
    { alter: dead, blocked: [expect.any(String), constant] },
    { alter: cutOnce, blocked: [] },
  ]) {
    const { documented } = await judgeProvider({ alter });
    expect(documented).toMatchObject({ violated: [], blocked });
  }
  expect(cut).toBeGreaterThan(0);
});
