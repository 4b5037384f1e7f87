import path from 'node:path';
import { parseArgs } from 'node:util';
import { specFile } from '../schemas/contract/contract.ts';
import { readTrafficSettings } from '../tests/configuration/target.ts';
import { print, printError } from '../tests/run/terminal.ts';
import { sourceFromCaller } from '../tests/traffic/source-name.ts';
import { CommandError } from './command-error.ts';
import { compareWith, type Order } from './contract-diff/compare.ts';
import { diffMarkdown } from './contract-diff/markdown.ts';

/* `npm run contract:diff`: what a change of the contract means, as Markdown. The exit status is 0 for any change. */

const usage =
  'usage: npm run contract:diff -- REF [--judge FILE]…   (REF: commit, branch or tag; FILE: recorded traffic, - for standard input, or a folder with that or with conformance.json)';

function readOrder(): Order {
  const { ref, judge } = parsed();
  if (!ref) throw new CommandError(usage);
  const folder = path.dirname(specFile('openapi.yaml'));
  return { folder, ref, judge, target: readTrafficSettings() };
}

function parsed(): { ref: string | undefined; judge: string[] } {
  try {
    const options = { judge: { type: 'string', multiple: true } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    return {
      ref: positionals.length === 1 ? positionals[0] : undefined,
      judge: (values.judge ?? []).map(sourceFromCaller),
    };
  } catch {
    throw new CommandError(usage);
  }
}

try {
  print(`${diffMarkdown(await compareWith(readOrder()))}\n`);
} catch (error) {
  printError('contract:diff', error);
  process.exitCode = 2;
}
