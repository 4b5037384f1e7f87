import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readSpecText, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { fileOf, passedBefore, runSuite, shortLived, type WholeRun } from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** A mistake in a file of `spec/`, which is not there where nothing is left of it, and the sentence on it. */
interface Mistake {
  file: keyof SpecTexts;
  edit(text: string): string;
  says: RegExp;
}

const noDocument: Mistake = {
  file: 'openapi.yaml',
  edit: () => '',
  says: /line 1: the file cannot be read; restore it/,
};
const incompleteEntry: Mistake = {
  file: 'ledger.yaml',
  edit: (text) => `${text}\n- requirement: getCard/code\n`,
  says: /spec\/ledger\.yaml, line \d+: .*accepts(&quot;|") is missing; add it/,
};

/** How UI mode and editors load the tests: nothing is checked before. */
function bareConfig(): string {
  const testDir = fileURLToPath(new URL('../../contract', import.meta.url));
  const outputDir = test.info().outputPath('test-results');
  const config = JSON.stringify({ testDir, outputDir, reporter: 'line' });
  return fileOf('bare.config.ts', `export default ${config};\n`);
}

/** Makes a process read a file of `spec/` with a mistake in it: a copy of the suite would be compiled anew. */
function withMistake({ file, edit }: Mistake): string {
  const mistaken = JSON.stringify(edit(readSpecText(file)));
  const preload = fileOf(
    'mistake.mjs',
    `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const read = fs.readFileSync;
    const isMistaken = (from) => String(from).endsWith(${JSON.stringify(`/spec/${file}`)});
    fs.readFileSync = (from, ...rest) => !isMistaken(from) ? read(from, ...rest) : ${mistaken} || read('/nonexistent');
    syncBuiltinESMExports();`,
  );
  return `${shortLived} --import=${preload}`;
}

test('a mistake in the contract is one sentence of a run, and of its report in place of an earlier one', async () => {
  const env = { REPORTS_DIR: passedBefore(), NODE_OPTIONS: withMistake(noDocument) };
  const run = await runSuite(env, ['--reporter=line,./reports/reporter.ts']);
  expectSentence(run, noDocument);
  expect(run.conformance?.verdict).toBe('error');
  expect(run.files().find(({ name }) => name === 'contract.html')?.text).toMatch(noDocument.says);
});

test('a mistake in the contract is one sentence in UI mode, as a test that fails', async () => {
  const CONFORMANCE_RUN = JSON.stringify({ id: 'mistaken', key: '', startedAt: '' });
  const env = { REPORTS_DIR: test.info().outputPath('out'), NODE_OPTIONS: withMistake(incompleteEntry) };
  expectSentence(
    await runSuite({ ...env, CONFORMANCE_RUN }, ['--config', bareConfig(), '-x']),
    incompleteEntry,
  );
});

function expectSentence({ code, output }: WholeRun, { says }: Mistake): void {
  expect(code).toBe(1);
  expect(output).toMatch(says);
  expect(output).not.toMatch(/^ +at |TypeError|ContractError/m);
}
