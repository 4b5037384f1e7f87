import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, targetOf } from '../harness/whole-run.ts';

test('secrets that are words of the contract or of a report change no verdict', async () => {
  const broken = altering('listCustomers', set('data/customers/0/dial_code', 'none'));
  const mock = await startMock({ alter: broken, choices: { rejection: 'http-500' } });
  const run = await runInProcess({
    ...targetOf(mock.url),
    BASE_URL: mock.url.replace('//', '//dial_code:customers@'),
    API_HEADERS: JSON.stringify({ a: 'listCustomers', b: 'violation', c: 'server error', d: 'getCard/data' }),
    PROBES: 'on',
    FAIL_ON: 'server-errors',
  }).finally(mock.close);
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  expect(addressesOf(run, 'violation')).toEqual(['listCustomers/data/customers/*/dial_code']);
  const kinds = new Set(run.conformance?.findings.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['violation', 'server error']));
});

test('an error has a secret for its code, and an identifier that was found for a field: both are withheld', async () => {
  const [code, uuid] = [654_321, 'umbrella-penguin'];
  const found = altering('listCustomers', set('data/customers/0/uuid', uuid));
  const echoing: Alter = (answer, request) => {
    const { path } = request;
    if (path.endsWith('type=user')) return { ...answer, status: 429, body: { code } };
    if (path.includes('offset=0')) return { ...answer, status: 404, body: { code } };
    return path.endsWith(uuid) ? { ...answer, body: { code: 404, [uuid]: 1 } } : found(answer, request);
  };
  const env = { API_HEADERS: `{"a":"${code}"}`, SWEEP: 'all', PROBES: 'on' };
  const { output, files } = await runInProcessAgainst({ alter: echoing }, env);
  for (const said of ['HTTP 429: it is overloaded', 'HTTP 404 with the code (code withheld)'])
    expect(output).toContain(said);
  for (const { text } of [...files(), { text: output }]) expect(text).not.toMatch(/code\W+654321|penguin/);
});
