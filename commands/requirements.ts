import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import { loadContract } from '../schemas/contract/contract.ts';
import type { Requirement } from '../schemas/contract/requirements.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print, printError } from '../src/run/terminal.ts';
import { selectRequirements } from '../src/verdict/evaluate.ts';

/* `npm run requirements`: lists the requirements that a run judges, or those that contain each given word. */

function formatRequirements(requirements: Requirement[]): string {
  const paddedColumns = ['address', 'level', 'source'] as const;
  const widths = paddedColumns.map((column) =>
    Math.max(...requirements.map((requirement) => requirement[column].length)),
  );
  const formatLine = (requirement: Requirement) => {
    const cells = paddedColumns.map((column, index) => requirement[column].padEnd(widths[index] ?? 0));
    return [...cells, requirement.statement].join('  ');
  };
  return requirements.map(formatLine).join('\n');
}

const help = `usage: npm run requirements -- [WORD…]
Lists the requirements that a run judges: address, level, section of the contract, sentence. With words, those that have each of
them in address or sentence.`;

await runCommand('requirements', help, () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const allRequirements = selectRequirements(loadContract(), readConfiguration().target);
  const terms = positionals.map((word) => word.toLowerCase());
  const matches = allRequirements.filter(({ address, statement }) => {
    const text = `${address} ${statement}`.toLowerCase();
    return terms.every((word) => text.includes(word));
  });
  if (matches.length === 0) {
    const searchText = positionals.join(' ');
    printError(
      'requirements',
      `none of ${allRequirements.length} has "${searchText}" in its address or sentence`,
    );
    process.exitCode = 1;
  }
  // Without matches, trims the line break that would be left.
  print(`${formatRequirements(matches)}\n`.trimStart());
});
