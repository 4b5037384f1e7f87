import { parseArgs } from 'node:util';
import { loadContract } from '../schemas/contract/contract.ts';
import { readConfiguration } from '../tests/configuration/target.ts';
import { requirementsFor } from '../tests/run/results.ts';
import { print, printError } from '../tests/run/terminal.ts';
import { matching, requirementJson, requirementLines } from './requirement-list.ts';

/** Prints the requirements that a run judges; those with each of the given terms, if there are any. */
function list(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const all = requirementsFor(loadContract(), readConfiguration().target);
  const found = matching(all, positionals);
  if (found.length === 0) {
    printError(
      'requirements',
      `none of ${all.length} has "${positionals.join(' ')}" in its address or sentence`,
    );
    process.exitCode = 1;
  }
  print(`${values.json ? requirementJson(found) : requirementLines(found).join('\n')}\n`.trimStart());
}

try {
  list();
} catch (error) {
  printError('requirements', error);
  process.exitCode = 2;
}
