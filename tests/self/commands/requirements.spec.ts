import { expect, test } from '@playwright/test';
import { runScript } from '../harness/in-process-command.ts';

const listRequirements = async (...args: string[]) => (await runScript('requirements', args)).stdout;
const findAddresses = async (...terms: string[]) => (await listRequirements(...terms)).match(/^\S+/gm);

test('a word is searched in address and sentence, in any letter case', async () => {
  expect(await findAddresses('Mm/yY')).toEqual(['getCard/data/card/expiration_date']);
  expect(await findAddresses('getcard', 'period')).toEqual([
    'getCard/data/card/limits/*/period',
    'getCard/data/card/limits/*/period/values-that-occur',
  ]);
  expect(await runScript('requirements', ['.*'])).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/none of \d+ has "\.\*" in its address or sentence/),
  });
});

test('each line has address, level, section and sentence in aligned columns', async () => {
  const lines = (await listRequirements()).trim().split('\n');
  const columns = lines.map((line) => /^(\S+ +)(MUST|SHOULD) +([1-9][.1-9]*) +(?=\S)/.exec(line));
  for (const column of [0, 1]) expect(new Set(columns.map((match) => match?.[column]?.length)).size).toBe(1);
  expect(lines.some((line) => /^getCard\/data\/card\/title .* `title` is a string$/.test(line))).toBe(true);
});

test('--help prints the usage of a command', async () => {
  for (const name of ['requirements', 'accept', 'identifiers', 'contract:diff', 'render']) {
    const stdout = expect.stringMatching(`^usage: npm run ${name} `);
    expect(await runScript(name, ['--help'])).toMatchObject({ status: 0, stdout });
  }
});
