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

interface SpecMistake {
  file: keyof SpecTexts;
  /** Returns the text of the file with the mistake, or undefined if the mistake is that the file is missing. */
  edit(text: string): string | undefined;
  messagePattern: RegExp;
}

const missingDocument: SpecMistake = {
  file: 'openapi.yaml',
  edit: () => undefined,
  messagePattern: /line 1: the file cannot be read; restore it/,
};
const incompleteEntry: SpecMistake = {
  file: 'ledger.yaml',
  edit: (text) => `${text}\n- requirement: getCard/code\n`,
  messagePattern: /spec\/ledger\.yaml, line \d+: .*accepts(&quot;|") is missing; add it/,
};

function writeBareConfig(): string {
  const testDir = fileURLToPath(new URL('../../contract', import.meta.url));
  const outputDir = test.info().outputPath('test-results');
  // Lacks the reporter and the `globalSetup` of the suite, which would find a mistake in the contract before the tests do.
  const config = JSON.stringify({ testDir, outputDir, reporter: 'line' });
  return writeTestFile('bare.config.ts', `export default ${config};\n`);
}

/** Returns `NODE_OPTIONS` that make a process read the edited text instead of the file; if undefined, reading throws ENOENT. */
function preloadMistake({ file, edit }: SpecMistake): string {
  const editedText = edit(readSpecText(file));
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const editedText = ${JSON.stringify(editedText)};
    const originalRead = fs.readFileSync;
    fs.readFileSync = (path, ...options) => {
      if (!String(path).endsWith('/spec/${file}')) return originalRead(path, ...options);
      // Reading a file that does not exist throws ENOENT.
      return editedText ?? originalRead('/missing file');
    };
    // Also changes what \`import { readFileSync } from 'node:fs'\` gives.
    syncBuiltinESMExports();`;
  return `${nodeOptionsForShortRuns} --import=${writeTestFile('mistake.mjs', script)}`;
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

function expectOnlyMessage({ code, output }: WholeRun, { messagePattern }: SpecMistake): void {
  expect(code).toBe(1);
  expect(output).toMatch(messagePattern);
  expect(output).not.toMatch(/^ +at |TypeError|ContractError/m);
}
