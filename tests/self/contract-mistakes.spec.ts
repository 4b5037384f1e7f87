import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { runSuite } from './whole-run.ts';

test.setTimeout(120_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const sentence = /spec\/openapi\.yaml, line \d+: .*unknown key "parametrs"; correct or remove it/;

/** A copy of the suite whose contract has a mistake, and which has the report of an earlier run. */
function brokenCopy(): string {
  const copy = test.info().outputPath('copy');
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const own = listed.split('\n').filter((file) => file && !/^tests\/self\//.test(file));
  for (const file of own.filter((name) => existsSync(path.join(root, name))))
    cpSync(path.join(root, file), path.join(copy, file));
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const spec = path.join(copy, 'spec/openapi.yaml');
  writeFileSync(spec, readFileSync(spec, 'utf8').replace('      parameters:', '      parametrs:'));
  mkdirSync(path.join(copy, 'out'));
  writeFileSync(path.join(copy, 'out/conformance.json'), '{"verdict":"pass"}');
  // As UI mode and editors load the tests: nothing is checked before.
  const bare = "export default { testDir: 'tests/contract', reporter: 'line' };\n";
  writeFileSync(path.join(copy, 'bare.config.ts'), bare);
  return copy;
}

const ways: [name: string, args: string[]][] = [
  ['a run', []],
  ['a run with another reporter', ['--reporter=line']],
  ['a list of the tests', ['--list']],
  ['UI mode, as a test that fails', ['--config', 'bare.config.ts']],
];

test('a mistake in the contract is one sentence, however the suite is started', async () => {
  const copy = brokenCopy();
  for (const [name, args] of ways) {
    const run = await runSuite({ REPORTS_DIR: path.join(copy, 'out') }, args, copy);
    expect(run.code, name).toBe(1);
    expect(run.output, name).toMatch(sentence);
    expect(run.output, name).not.toMatch(/^ +at |TypeError|ContractError/m);
    expect(run.conformance?.verdict ?? 'error', name).toBe('error');
  }
});
