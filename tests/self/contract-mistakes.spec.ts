import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { copyProject } from './project-copy.ts';
import { runSuite } from './whole-run.ts';

test.setTimeout(120_000);

/** A mistake in a file of `spec/`, and the sentence on it. */
interface Mistake {
  file: string;
  edit(text: string): string;
  says: RegExp;
}

const unknownKey: Mistake = {
  file: 'openapi.yaml',
  edit: (text) => text.replace('      parameters:', '      parametrs:'),
  says: /spec\/openapi\.yaml, line \d+: .*unknown key (&quot;|")parametrs(&quot;|"); correct or remove it/,
};
const incompleteEntry: Mistake = {
  file: 'ledger.yaml',
  edit: (text) => `${text}\n- requirement: getCard/code\n`,
  says: /spec\/ledger\.yaml, line \d+: .*accepts(&quot;|") is missing; add it/,
};

/** A copy of the suite, which has the report of an earlier run. */
function copyOfSuite(): string {
  const copy = copyProject(test.info().outputPath('copy'), (file) => !file.startsWith('tests/self/'));
  mkdirSync(path.join(copy, 'out'));
  for (const name of ['conformance.json', 'contract.html'])
    writeFileSync(path.join(copy, 'out', name), '{"verdict":"pass"}');
  // As UI mode and editors load the tests: nothing is checked before.
  const bare = "export default { testDir: 'tests/contract', reporter: 'line' };\n";
  writeFileSync(path.join(copy, 'bare.config.ts'), bare);
  return copy;
}

const own = '--reporter=./reports/reporter.ts';

const ways: [name: string, mistake: Mistake, args: string[]][] = [
  ['a run', incompleteEntry, [own]],
  ['a run with another reporter', unknownKey, ['--reporter=line']],
  ['a list of the tests', unknownKey, ['--list']],
  ['UI mode, as a test that fails', unknownKey, ['--config', 'bare.config.ts']],
];

test('a mistake in the contract is one sentence, however the suite is started', async () => {
  const copy = copyOfSuite();
  for (const [name, { file, edit, says }, args] of ways) {
    const spec = path.join(copy, `spec/${file}`);
    const text = readFileSync(spec, 'utf8');
    writeFileSync(spec, edit(text));
    const run = await runSuite({ REPORTS_DIR: path.join(copy, 'out') }, args, copy);
    writeFileSync(spec, text);
    expect(run.code, name).toBe(1);
    expect(run.output, name).toMatch(says);
    expect(run.output, name).not.toMatch(/^ +at |TypeError|ContractError/m);
    expect(run.conformance?.verdict ?? 'error', name).toBe('error');
    // The report and the page of the earlier run are replaced by ones that say why.
    if (!args.includes(own)) continue;
    expect(run.conformance?.verdict, name).toBe('error');
    expect(run.files().find((one) => one.name === 'contract.html')?.text, name).toMatch(says);
  }
});
