import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import {
  buildContract,
  type Contract,
  readSpecTexts,
  type SpecTexts,
  specFile,
  specFiles,
} from '../schemas/contract/contract.ts';
import { sourceFromCaller } from '../src/run/caller-folder.ts';
import { missingSource, readTrafficSettings } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { standardInput } from '../src/traffic/shown-source.ts';
import { compareContracts, diffMarkdown, replay } from './contract-changes.ts';

/* `npm run contract:diff`: what a change of the contract means, as Markdown. The exit status is 0 for any change. */

const usage =
  'usage: npm run contract:diff -- REF [--judge FILE]…   (REF: commit, branch or tag; FILE: recorded traffic, or a pattern of it)';

async function diff(): Promise<string> {
  const options = { judge: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [ref, ...others] = positionals;
  if (!ref || others.length > 0) throw new Error(usage);
  const [oldTexts, texts] = [textsAt(path.dirname(specFile('openapi.yaml')), ref), readSpecTexts()];
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

/** What `redocly diff` says of two versions of `openapi.yaml`; undefined where it does not work. */
function documentChanges(before: string, now: string): string[] | undefined {
  if (before === now) return [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'contract-diff-'));
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  try {
    const config = write('redocly.yaml', 'extends: [diff-recommended]\n');
    const files = [write('before.yaml', before), write('now.yaml', now)];
    const args = ['diff', ...files, `--config=${config}`, '--format=json', '--fail-on=none'];
    const cli = 'node_modules/@redocly/cli/bin/cli.js';
    const { stdout } = spawnSync(process.execPath, [cli, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const { changes }: { changes: Record<string, unknown>[] } = JSON.parse(stdout);
    return changes.map(({ impact, kind, path: pointer, property }) => {
      const place = [pointer, property].filter((part) => typeof part === 'string').join(' · ');
      return `${impact}: ${kind} \`${place}\``;
    });
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await runCommand('contract:diff', usage, async () => print(`${await diff()}\n`));
