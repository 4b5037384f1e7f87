import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import { loadContract } from '../schemas/contract/contract.ts';
import { requirementsFor } from '../src/run/results.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print, printError } from '../src/run/terminal.ts';

/* `npm run requirements`: the requirements that a run judges; those with each of the given terms, if there are any. */

type Cells = [address: string, level: string, source: string, statement: string];

/** Address, level, section and sentence of each, in columns. */
function linesOf(rows: Cells[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
}

/** The same for programs. */
const jsonOf = (rows: Cells[]) =>
  JSON.stringify(
    rows.map(([address, level, source, statement]) => ({ address, level, source, statement })),
    null,
    2,
  );

const help = `usage: npm run requirements -- [WORD…] [--json]
Lists the requirements that a run judges: address, level, section of the contract, sentence. With words, those that have each of
them in address or sentence.`;

await runCommand('requirements', help, () => {
  const options = { json: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const all = requirementsFor(loadContract(), readConfiguration().target);
  const terms = positionals.map((word) => word.toLowerCase());
  const found = all.flatMap(({ address, level, source, statement }): Cells[] => {
    const text = `${address} ${statement}`.toLowerCase();
    return terms.every((word) => text.includes(word)) ? [[address, level, source, statement]] : [];
  });
  if (found.length === 0) {
    const sought = positionals.join(' ');
    printError('requirements', `none of ${all.length} has "${sought}" in its address or sentence`);
    process.exitCode = 1;
  }
  print(`${values.json ? jsonOf(found) : linesOf(found)}\n`.trimStart());
});
