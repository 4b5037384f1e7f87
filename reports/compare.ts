import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadContract } from '../schemas/contract/contract.ts';
import { fromCaller, shownToCaller } from '../tests/configuration/caller-folder.ts';
import { print, printError } from '../tests/run/terminal.ts';
import { type Comparison, compareRuns, sentenceOf } from './comparison/compare-runs.ts';
import { comparisonMarkdown } from './comparison/markdown.ts';
import { clearOutput, fillOutput, type Output, writeText } from './output.ts';
import { comparisonPage } from './pages/comparison-page.ts';
import { ReportError, readConformance } from './read-conformance.ts';

const usage = 'usage: npm run compare -- FILE FILE --output DIR   (FILE: conformance.json of a run)';

const options = { output: { type: 'string' } } as const;

/** The folder to write to, also where something else of the command is wrong: nothing old stays in it. */
function readOutput(): Output | undefined {
  const { output } = parseArgs({ strict: false, allowPositionals: true, options }).values;
  return typeof output === 'string' && output !== ''
    ? { option: '--output', folder: fromCaller(output) }
    : undefined;
}

/** @throws an error saying how the command is used. */
function readFiles(): [string, string] {
  const [first, second, ...others] = parseArgs({ allowPositionals: true, options }).positionals;
  if (!first || !second || others.length > 0) throw new ReportError(usage);
  return [fromCaller(first), fromCaller(second)];
}

const [page, summary] = ['compare.html', 'compare.md'] as const;

function write(comparison: Comparison, folder: string): void {
  writeText(path.join(folder, page), comparisonPage(comparison));
  writeText(path.join(folder, summary), comparisonMarkdown(comparison));
}

try {
  const output = readOutput();
  if (!output) throw new ReportError(usage);
  clearOutput(output, [page, summary]);
  const files = readFiles();
  const { questions } = loadContract();
  const comparison = compareRuns([readConformance(files[0]), readConformance(files[1])], questions);
  fillOutput(output, () => write(comparison, output.folder));
  print(`${sentenceOf(comparison)}: ${shownToCaller(path.join(output.folder, page))}\n`);
} catch (error) {
  printError('compare', error);
  process.exitCode = 2;
}
