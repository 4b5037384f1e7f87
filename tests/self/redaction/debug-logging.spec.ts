import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { MockOptions } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { requirementCount } from '../harness/requirement-count.ts';
import { type MockedRun, runAgainst, type WholeRun } from '../harness/whole-run.ts';
import { Canaries } from './canaries.ts';

test.setTimeout(120_000);

/** An API key and an identifier that nobody may see, and a violation, so that there is much to say. */
function loudRun(canaries: Canaries, env: Record<string, string>, run: Run): Promise<MockedRun> {
  const alter = altering('getCard', set('data/card/title', 7));
  const headers = JSON.stringify({ 'X-Api-Key': canaries.text('key') });
  return run({ alter }, { API_HEADERS: headers, USER_IDS: canaries.of('user'), ...env });
}

type Run = (options: MockOptions, env: Record<string, string>) => Promise<MockedRun>;

/** Everything that a run has left; an archive would hide what is in it. */
function everythingOf({ files, output }: WholeRun) {
  expect(files().filter(({ name }) => name.endsWith('.zip'))).toEqual([]);
  return [...files(), { name: 'the terminal', text: output }];
}

const loggers: [variable: string, value: string][] = [
  ['DEBUG', 'pw:api'],
  ['DEBUG', '*'],
  ['NODE_DEBUG', 'http'],
  ['PWDEBUG', '1'],
];

/** What such a logger prints in a process of its own is a kind of run in `canary-kinds.ts`. */
for (const [variable, value] of loggers) {
  test(`${variable}=${value} is rejected with a reason, before anything is sent`, async () => {
    const canaries = new Canaries();
    const run = await loudRun(canaries, { [variable]: value }, runInProcessAgainst);
    expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error' } });
    const reason = `${variable} would print addresses and headers unredacted: unset it`;
    expect(run.output).toContain(reason);
    expect(run.conformance?.notes.join()).toContain(reason);
    expect(canaries.leaksIn(everythingOf(run))).toEqual([]);
  });
}

test('with -x, --trace, DEBUG of something else and annotations: nothing leaks, and all requirements are judged', async () => {
  const canaries = new Canaries();
  const env = { DEBUG: 'my:thing', GITHUB_ACTIONS: 'true' };
  const run = await loudRun(canaries, env, (options, all) =>
    runAgainst(options, all, ['-x', '--trace', 'on']),
  );
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  expect(canaries.leaksIn(everythingOf(run))).toEqual([]);
  const errors = run.output.split('\n').filter((line) => line.startsWith('::error'));
  expect(errors).toEqual([
    expect.stringMatching(/`title` is a string .*\/data\/card\/title/),
    expect.stringContaining('Testing stopped early'),
  ]);
  // Playwright attaches a prompt to each failed test.
  expect(run.output).toContain('BrokenRequirement');
  expect(run.output).not.toContain('error-context');
  // The verdict is that of all requirements, though -x has stopped at the first failed test. Nobody knows this user.
  const requirements = run.conformance?.requirements ?? [];
  const others = requirements.filter(({ verdict }) => verdict !== 'pass');
  expect(others.map(({ address, verdict }) => `${address} ${verdict}`)).toEqual([
    'getCard/data/card/title violation',
    'getFeeRules/http/status blocked',
    'getFeeRules/parameters/user_id blocked',
    'getFeeRules/rules/user-is-requested blocked',
    'getFeeRules/data/fee_rules/*/user_id blocked',
  ]);
  expect(requirements).toHaveLength(requirementCount);
});
