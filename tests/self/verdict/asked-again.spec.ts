import { expect, test } from '@playwright/test';
import { altering, type Change, contentType, set, status } from '../../../mock/edits.ts';
import type { Alter } from '../../../mock/server.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { Recorder } from '../../exchanges/recorder.ts';
import { judgeProvider } from '../harness/provider.ts';
import { all, response } from '../sweep/odd-list.ts';
import { sweepMock } from '../sweep/sweep-run.ts';

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

test('a card that is gone, or cannot be read, when it is requested again breaks nothing', async () => {
  const gone = { code: 404, message: 'no', data: null };
  const answers: Change[] = [
    (answer) => ({ ...answer, status: 404, body: gone }),
    (answer) => ({ ...answer, body: gone }),
    (answer) => ({ ...answer, status: 500, body: gone }),
  ];
  for (const answer of answers) {
    const { documented } = await judgeProvider({ alter: fromTheSecondOn(answer) });
    expect(documented).toMatchObject({ violated: [], blocked: [] });
  }
});

test('a page that is behind the end of its list by now, when it is requested again, breaks nothing', async () => {
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
  const gone = { code: 40401, message: 'none', data: { customers: [] } };
  const shown = { code: 200, message: 'ok', data: { customers: all(2) } };
  for (const again of [
    { body: gone, violated: [] },
    { body: { ...shown, code: 0 }, violated: ['listCustomers/code'] },
  ]) {
    const bodies: unknown[] = [shown, again.body];
    const get = async () => ({ ...response({}), body: Buffer.from(JSON.stringify(bodies.shift())) });
    const recorder = new Recorder(operation, {
      ...{ client: { get }, entries: [], curl: 'curl' },
      onResponse: () => {},
    });
    await recorder.askAgain();
    const findings = recorder.observations().flatMap((one) => one.findings);
    expect(findings.map(({ requirement }) => requirement)).toEqual(again.violated);
  }
});

test('a customer at the edge of two pages who is broken on the second alone is counted once', async () => {
  const alter = altering(
    'listCustomers',
    set('data/customers/0/dial_code', 7),
    ({ parameters }) => Number(parameters.offset) > 0,
  );
  const choices = { maxLimit: 100 };
  const { result } = await sweepMock({ population: { customers: 400 }, choices, alter });
  expect(result).toMatchObject({ judged: 400, moved: { repeated: 0, gaps: 0 } });
  expect(result.broken['listCustomers/data/customers/*/dial_code']?.records).toBeGreaterThan(2);
});
