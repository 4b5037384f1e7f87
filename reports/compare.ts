import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadContract } from '../schemas/contract/contract.ts';
import { fromCaller, shownToCaller } from '../tests/configuration/caller-folder.ts';
import { type Comparison, compareRuns, sentenceOf } from './comparison/compare-runs.ts';
import { comparisonMarkdown } from './comparison/markdown.ts';
import { comparisonPage } from './pages/comparison-page.ts';
import { ReportError, readConformance } from './read-conformance.ts';

const usage = 'usage: npm run compare -- FILE FILE --output DIR   (FILE: conformance.json of a run)';

interface Command {
  files: [string, string];
  output: string;
}

/** @throws {ReportError} saying how the command is used. */
function readCommand(): Command {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { output: { type: 'string' } },
  });
  const [first, second, ...others] = positionals;
  if (!first || !second || others.length > 0 || !values.output) throw new ReportError(usage);
  return { files: [fromCaller(first), fromCaller(second)], output: fromCaller(values.output) };
}

function write(comparison: Comparison, output: string): void {
  mkdirSync(output, { recursive: true });
  writeFileSync(path.join(output, 'compare.html'), comparisonPage(comparison));
  writeFileSync(path.join(output, 'compare.md'), comparisonMarkdown(comparison));
}

try {
  const { files, output } = readCommand();
  const { questions } = loadContract();
  const comparison = compareRuns([readConformance(files[0]), readConformance(files[1])], questions);
  write(comparison, output);
  process.stdout.write(`${sentenceOf(comparison)}: ${shownToCaller(path.join(output, 'compare.html'))}\n`);
} catch (error) {
  process.stderr.write(`compare: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
