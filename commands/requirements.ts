import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import { loadContract } from '../schemas/contract/contract.ts';
import type { Requirement } from '../schemas/contract/requirements.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print, printError } from '../src/run/terminal.ts';
import { requirementsFor } from '../src/verdict/evaluate.ts';

/* `npm run requirements`: the requirements that a run judges; those with each of the given terms, if there are any. */

/** Address, level, section and sentence of each, in columns. */
function linesOf(found: Requirement[]): string {
  const width = (key: 'address' | 'level' | 'source') => Math.max(...found.map((one) => one[key].length));
  const [address, level, source] = [width('address'), width('level'), width('source')];
  const lineOf = (one: Requirement) =>
    [one.address.padEnd(address), one.level.padEnd(level), one.source.padEnd(source), one.statement].join(
      '  ',
    );
  return found.map(lineOf).join('\n');
}

const help = `usage: npm run requirements -- [WORD…]
Lists the requirements that a run judges: address, level, section of the contract, sentence. With words, those that have each of
them in address or sentence.`;

await runCommand('requirements', help, () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const all = requirementsFor(loadContract(), readConfiguration().target);
  const terms = positionals.map((word) => word.toLowerCase());
  const found = all.filter(({ address, statement }) => {
    const text = `${address} ${statement}`.toLowerCase();
    return terms.every((word) => text.includes(word));
  });
  if (found.length === 0) {
    const sought = positionals.join(' ');
    printError('requirements', `none of ${all.length} has "${sought}" in its address or sentence`);
    process.exitCode = 1;
  }
  print(`${linesOf(found)}\n`.trimStart());
});
