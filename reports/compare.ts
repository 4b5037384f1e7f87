import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadContract } from '../schemas/contract/contract.ts';
import { formatCallerPath, resolveCallerPath } from '../src/run/caller-folder.ts';
import { print } from '../src/run/terminal.ts';
import { fillOutput, runCommand } from './command.ts';
import { compareRuns, renderComparisonMarkdown, renderComparisonPage } from './comparison.ts';
import { readConformance } from './read-conformance.ts';
import { writeText } from './write.ts';

/* `npm run compare`: compares two runs, as Markdown and as a page. */

const usage = 'usage: npm run compare -- FILE FILE --output DIR   (FILE: conformance.json of a run)';

await runCommand('compare', usage, () => {
  const options = { output: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [first, second, ...moreFiles] = positionals.map((file) => resolveCallerPath(file));
  if (!values.output || !first || !second || moreFiles.length > 0) throw new Error(usage);
  const folder = resolveCallerPath(values.output);
  const runs = [readConformance(first), readConformance(second)] as const;
  const comparison = compareRuns(runs, loadContract().questions);
  fillOutput('--output', folder, () => {
    writeText(path.join(folder, 'compare.html'), renderComparisonPage(comparison));
    writeText(path.join(folder, 'compare.md'), renderComparisonMarkdown(comparison));
  });
  print(`${comparison.sentence}: ${formatCallerPath(path.join(folder, 'compare.html'))}\n`);
});
