import { expect, test } from '@playwright/test';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { Canaries } from './canaries.ts';

const loggers: [variable: string, value: string][] = [
  ['DEBUG', 'pw:api'],
  ['DEBUG', '*'],
  ['NODE_DEBUG', 'http'],
  ['PWDEBUG', '1'],
];

// What such a logger prints in a process of its own is a kind of run in `canary-kinds.ts`; `in-process-run.spec.ts` has a
// DEBUG of something else.
for (const [variable, value] of loggers) {
  test(`${variable}=${value} is rejected with a reason, before anything is sent`, async () => {
    const canaries = new Canaries();
    const headers = JSON.stringify({ 'X-Api-Key': canaries.text('key') });
    const env = { API_HEADERS: headers, USER_IDS: canaries.of('user'), [variable]: value };
    const run = await runInProcessAgainst({}, env);
    expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error' } });
    const reason = `${variable} would print addresses and headers unredacted: unset it`;
    expect(run.output).toContain(reason);
    expect(run.conformance?.notes.join()).toContain(reason);
    expect(canaries.leaksIn([...run.files(), { name: 'the terminal', text: run.output }])).toEqual([]);
  });
}
