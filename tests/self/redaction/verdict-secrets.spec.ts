import { expect, test } from '@playwright/test';
import type { Alter } from '../../../mock/server.ts';
import { altering, set } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';

test('a secret as error code and a found identifier as field name are both withheld', async () => {
  const [code, uuid] = [654_321, 'umbrella-penguin'];
  const alterList = altering('listCustomers', set('data/customers/0/uuid', uuid));
  const alter: Alter = (response, request) => {
    const { path } = request;
    if (path.endsWith('type=user')) return { ...response, status: 429, body: { code } };
    if (path.includes('offset=0')) return { ...response, status: 404, body: { code } };
    return path.endsWith(uuid)
      ? { ...response, body: { code: 404, [uuid]: 1 } }
      : alterList(response, request);
  };
  const env = { API_HEADERS: `{"a":"${code}"}`, SWEEP: 'all', PROBES: 'on' };
  const { output, files } = await runInProcessAgainst({ alter }, env);
  for (const message of ['HTTP 429: it may be overloaded', 'HTTP 404 with the code (code withheld)'])
    expect(output).toContain(message);
  for (const { text } of [...files(), { text: output }]) expect(text).not.toMatch(/code\W+654321|penguin/);
});
