import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcess } from '../harness/in-process-run.ts';
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
