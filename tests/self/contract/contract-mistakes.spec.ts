import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readSpecText, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { runSuite, shortLived } from '../harness/whole-run.ts';

test.setTimeout(120_000);

/** A mistake in a file of `spec/`, and the sentence on it. */
interface Mistake {
  file: keyof SpecTexts;
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

const folder = new URL('../../../', import.meta.url);

/** The report of an earlier run. */
function reportedBefore(): string {
  const reportsDir = test.info().outputPath('out');
  mkdirSync(reportsDir);
  for (const name of ['conformance.json', 'contract.html'])
    writeFileSync(path.join(reportsDir, name), '{"verdict":"pass"}');
  return reportsDir;
}

/** How UI mode and editors load the tests: nothing is checked before. */
function bareConfig(): string {
  const file = test.info().outputPath('bare.config.ts');
  const testDir = fileURLToPath(new URL('tests/contract', folder));
  const outputDir = test.info().outputPath('test-results');
  writeFileSync(file, `export default ${JSON.stringify({ testDir, outputDir, reporter: 'line' })};\n`);
  return file;
}

/** Makes a process read a file of `spec/` with a mistake in it: a copy of the suite would be compiled anew. */
function withMistake({ file, edit }: Mistake): string {
  const mistaken = edit(readSpecText(file));
  const preload = test.info().outputPath('mistake.mjs');
  writeFileSync(
    preload,
    `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const read = fs.readFileSync;
    const isMistaken = (from) => String(from).endsWith(${JSON.stringify(`/spec/${file}`)});
    fs.readFileSync = (from, ...rest) => isMistaken(from) ? ${JSON.stringify(mistaken)} : read(from, ...rest);
    syncBuiltinESMExports();`,
  );
  return `${shortLived} --import=${preload}`;
}

const own = '--reporter=./reports/reporter.ts';

interface Way {
  mistake: Mistake;
  args(): string[];
  /** Whether it is a run, which replaces the report of an earlier one. */
  isRun?: true;
}

const ways: Record<string, Way> = {
  'a run': { mistake: incompleteEntry, args: () => [own], isRun: true },
  'a run with another reporter': { mistake: unknownKey, args: () => ['--reporter=line'], isRun: true },
  'a list of the tests': { mistake: unknownKey, args: () => ['--list'] },
  'UI mode, as a test that fails': { mistake: unknownKey, args: () => ['--config', bareConfig()] },
};

for (const [name, { mistake, args, isRun }] of Object.entries(ways))
  test(`a mistake in the contract is one sentence: ${name}`, async () => {
    const given = args();
    const REPORTS_DIR = isRun ? reportedBefore() : test.info().outputPath('out');
    const run = await runSuite({ REPORTS_DIR, NODE_OPTIONS: withMistake(mistake) }, given);
    expect(run.code).toBe(1);
    expect(run.output).toMatch(mistake.says);
    expect(run.output).not.toMatch(/^ +at |TypeError|ContractError/m);
    expect(run.conformance?.verdict ?? 'error').toBe('error');
    if (!given.includes(own)) return;
    // The report and the page of the earlier run are replaced by ones that say why.
    expect(run.conformance?.verdict).toBe('error');
    expect(run.files().find((one) => one.name === 'contract.html')?.text).toMatch(mistake.says);
  });
