import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readSpecText, type SpecTexts } from '../../../schemas/contract/contract.ts';
import {
  nodeOptionsForShortRuns,
  runSuite,
  type WholeRun,
  writePassedReports,
  writeTestFile,
} from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** Mistake in a file of `spec/`, and the expected message. If `edit` returns an empty text, the file is missing. */
interface SpecMistake {
  file: keyof SpecTexts;
  edit(text: string): string;
  messagePattern: RegExp;
}

const missingDocument: SpecMistake = {
  file: 'openapi.yaml',
  edit: () => '',
  messagePattern: /line 1: the file cannot be read; restore it/,
};
const incompleteEntry: SpecMistake = {
  file: 'ledger.yaml',
  edit: (text) => `${text}\n- requirement: getCard/code\n`,
  messagePattern: /spec\/ledger\.yaml, line \d+: .*accepts(&quot;|") is missing; add it/,
};

/** Writes a Playwright configuration without the suite's reporter and `globalSetup`, which would check the contract. Returns the path. */
function writeBareConfig(): string {
  const testDir = fileURLToPath(new URL('../../contract', import.meta.url));
  const outputDir = test.info().outputPath('test-results');
  const config = JSON.stringify({ testDir, outputDir, reporter: 'line' });
  return writeTestFile('bare.config.ts', `export default ${config};\n`);
}

/** Returns a value of `NODE_OPTIONS` that preloads a script. With the script, a process reads the edited text of `file` in `spec/`. */
function preloadMistake({ file, edit }: SpecMistake): string {
  const editedText = edit(readSpecText(file));
  const readEdited = editedText === '' ? `read('/missing file')` : JSON.stringify(editedText);
  const preload = writeTestFile(
    'mistake.mjs',
    `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const read = fs.readFileSync;
    const isEdited = (from) => String(from).endsWith(${JSON.stringify(`/spec/${file}`)});
    fs.readFileSync = (from, ...rest) => isEdited(from) ? ${readEdited} : read(from, ...rest);
    syncBuiltinESMExports();`,
  );
  return `${nodeOptionsForShortRuns} --import=${preload}`;
}

test('a mistake in the contract is one sentence in the output of a run and in its report, which replaces an earlier report', async () => {
  const env = { REPORTS_DIR: writePassedReports(), NODE_OPTIONS: preloadMistake(missingDocument) };
  const run = await runSuite(env, ['--reporter=line,./reports/reporter.ts']);
  expectOnlyMessage(run, missingDocument);
  expect(run.conformance?.verdict).toBe('error');
  expect(run.files().find(({ name }) => name === 'contract.html')?.text).toMatch(
    missingDocument.messagePattern,
  );
});

test('a mistake in the contract is one sentence in UI mode, in a failed test', async () => {
  const CONFORMANCE_RUN = JSON.stringify({ id: 'mistaken', key: '', startedAt: '' });
  const env = { REPORTS_DIR: test.info().outputPath('out'), NODE_OPTIONS: preloadMistake(incompleteEntry) };
  const run = await runSuite({ ...env, CONFORMANCE_RUN }, ['--config', writeBareConfig(), '-x']);
  expectOnlyMessage(run, incompleteEntry);
});

/** Expects that a run failed, and that it printed the message of a mistake in `spec/` without a stack trace or the name of an error class. */
function expectOnlyMessage({ code, output }: WholeRun, { messagePattern }: SpecMistake): void {
  expect(code).toBe(1);
  expect(output).toMatch(messagePattern);
  expect(output).not.toMatch(/^ +at |TypeError|ContractError/m);
}
