import { expect, test } from '@playwright/test';
import { altering, set } from '../../mock/edits.ts';
import { Canaries } from './canaries.ts';
import { runAgainst, type WholeRun } from './whole-run.ts';

test.setTimeout(120_000);

/** Runs with every reporter, an API key that nobody may see, and a violation, so that there is much to say. */
async function runLoud(canaries: Canaries, env: Record<string, string>, args: string[] = []) {
  const alter = altering('getCard', set('data/card/title', 7));
  const headers = JSON.stringify({ 'X-Api-Key': canaries.text('key') });
  const userinfo = { API_HEADERS: headers, USER_IDS: canaries.of('user') };
  return runAgainst({ alter }, { ...userinfo, ...env }, args);
}

/** Everything that a run has left; an archive would hide what is in it. */
function everythingOf({ files, output }: WholeRun) {
  expect(files().filter(({ name }) => name.endsWith('.zip'))).toEqual([]);
  return [...files(), { name: 'the terminal', text: output }];
}

const refused: [variable: string, value: string][] = [
  ['DEBUG', 'pw:api'],
  ['DEBUG', '*'],
  ['NODE_DEBUG', 'http'],
  ['PWDEBUG', '1'],
];

for (const [variable, value] of refused) {
  test(`${variable}=${value} is refused with a reason, before anything is sent`, async () => {
    const canaries = new Canaries();
    const run = await runLoud(canaries, { [variable]: value });
    expect(run).toMatchObject({ code: 1, requests: [], conformance: { verdict: 'error' } });
    const reason = `${variable} would print addresses and headers unredacted: unset it`;
    expect(run.output).toContain(reason);
    expect(run.conformance?.notes.join()).toContain(reason);
    expect(canaries.leaksIn(everythingOf(run))).toEqual([]);
  });
}

const loud: [name: string, env: Record<string, string>, args: string[]][] = [
  ['--trace on', {}, ['--trace', 'on']],
  ['DEBUG of something else', { DEBUG: 'my:thing' }, []],
  ['annotations of a workflow', { GITHUB_ACTIONS: 'true' }, []],
];

for (const [name, env, args] of loud) {
  test(`${name}: red, and nothing is leaked`, async () => {
    const canaries = new Canaries();
    const run = await runLoud(canaries, env, args);
    expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
    expect(canaries.leaksIn(everythingOf(run))).toEqual([]);
  });
}

test('a violation is annotated on the page of a workflow run', async () => {
  const alter = altering('getCard', set('data/card/title', 7));
  const { output } = await runAgainst({ alter }, { GITHUB_ACTIONS: 'true' }, []);
  const errors = output.split('\n').filter((line) => line.startsWith('::error'));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('`title` is a string');
  expect(errors[0]).toContain('/data/card/title');
});
