import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import {
  buildContract,
  type Contract,
  getSpecPath,
  readSpecTexts,
  type SpecTexts,
  specFiles,
} from '../schemas/contract/contract.ts';
import { sourceFromCaller } from '../src/run/caller-folder.ts';
import { missingSource, readTrafficSettings } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { standardInput } from '../src/traffic/shown-source.ts';
import { compareContracts, diffMarkdown, documentChanges, replay } from './contract-changes.ts';

/* `npm run contract:diff`: what a change of the contract means, as Markdown. The exit status is 0 for any change. */

const usage =
  'usage: npm run contract:diff -- REF [--judge FILE]…   (REF: commit, branch or tag; FILE: recorded traffic, or a pattern of it)';

async function diff(): Promise<string> {
  const options = { judge: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [ref, ...others] = positionals;
  if (!ref || others.length > 0) throw new Error(usage);
  const [oldTexts, texts] = [textsAt(path.dirname(getSpecPath('openapi.yaml')), ref), readSpecTexts()];
  const contracts = [contractOf(oldTexts, ` at ${ref}`), contractOf(texts, '')] as const;
  const changes = compareContracts(...contracts);
  const named = values.judge ?? [];
  const [missing] = named.flatMap((source) => missingSource('--judge', source));
  if (missing) throw new Error(missing);
  const sources = named.map(sourceFromCaller);
  if (sources.includes(standardInput))
    throw new Error('--judge reads recorded traffic for each contract: name a file, not standard input');
  const replayed = sources.length > 0 ? await replay(contracts, sources, readTrafficSettings()) : undefined;
  const document = documentChanges(oldTexts['openapi.yaml'], texts['openapi.yaml']);
  return diffMarkdown({ ...changes, ref, replayed, document });
}

/** The files of the contract as they were at a commit, branch or tag of the work tree that they are in; nothing is checked out. */
function textsAt(folder: string, ref: string): SpecTexts {
  const git = (args: string[], problem: string) => {
    const { status, stdout } = spawnSync('git', ['--no-pager', ...args], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(problem);
    return stdout;
  };
  const noCommit = `there is no commit, branch or tag "${ref}" here; fetch it, or name another one`;
  git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], noCommit);
  const texts = specFiles.map((name) => {
    const missing = `${name} of the contract is not there at ${ref}: name a later commit`;
    return [name, git(['show', '--end-of-options', `${ref}:./${name}`], missing)];
  });
  return Object.fromEntries(texts);
}

function contractOf(texts: SpecTexts, where: string): Contract {
  try {
    return buildContract(texts);
  } catch (error) {
    throw new Error(`the contract${where} has a mistake: ${(error as Error).message}`);
  }
}

await runCommand('contract:diff', usage, async () => print(`${await diff()}\n`));
