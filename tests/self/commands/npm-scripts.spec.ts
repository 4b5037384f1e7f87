import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { cleanEnvironment } from '../harness/whole-run.ts';

/** What `npm run` says that the script did. */
const npmRun = (...args: string[]) =>
  promisify(execFile)('npm', ['run', '--silent', ...args], { env: cleanEnvironment() }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }) => ({ code, text: stderr }),
  );

test('npm starts the mock, a merge and the list of requirements with their arguments', async () => {
  const ended = (code: number, text: string) => ({ code, text: expect.stringContaining(text) });
  expect(
    await Promise.all([
      npmRun('mock', '--', '--help'),
      npmRun('merge', '--', 'docs'),
      npmRun('requirements', 'getFeeRules/code'),
    ]),
  ).toEqual([
    ended(0, 'Usage: npm run mock'),
    ended(2, 'usage: npm run merge'),
    ended(0, 'getFeeRules/code '),
  ]);
});
