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
import { resolveCallerSource } from '../src/run/caller-folder.ts';
import { findSourceProblems, readTrafficSettings } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { standardInput } from '../src/traffic/shown-source.ts';
import {
  compareContracts,
  compareDocuments,
  compareVerdicts,
  formatContractDiff,
} from './contract-changes.ts';

/* `npm run contract:diff`: prints the effect of a contract change as Markdown. The exit status is 0 for any change. */

const usage =
  'usage: npm run contract:diff -- REF [--judge FILE]…   (REF: commit, branch or tag; FILE: recorded traffic, or a pattern of it)';

async function createDiff(): Promise<string> {
  const options = { judge: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [ref, ...furtherArguments] = positionals;
  if (!ref || furtherArguments.length > 0) throw new Error(usage);
  const specFolder = path.dirname(getSpecPath('openapi.yaml'));
  const earlierTexts = readTextsAt(specFolder, ref);
  const laterTexts = readSpecTexts();
  const earlierContract = buildContractOrExplain(earlierTexts, `the contract at ${ref}`);
  const laterContract = buildContractOrExplain(laterTexts, 'the contract');
  const changes = compareContracts(earlierContract, laterContract);
  const sources = resolveTrafficSources(values.judge ?? []);
  const verdictComparison =
    sources.length > 0
      ? await compareVerdicts([earlierContract, laterContract], sources, readTrafficSettings())
      : undefined;
  const document = compareDocuments(earlierTexts['openapi.yaml'], laterTexts['openapi.yaml']);
  return formatContractDiff({ ...changes, ref, verdictComparison, document });
}

function resolveTrafficSources(sourceNames: string[]): string[] {
  const [sourceProblem] = sourceNames.flatMap((source) => findSourceProblems('--judge', source));
  if (sourceProblem) throw new Error(sourceProblem);
  const sources = sourceNames.map(resolveCallerSource);
  if (sources.includes(standardInput))
    throw new Error('--judge reads recorded traffic for each contract: name a file, not standard input');
  return sources;
}

function readTextsAt(folder: string, ref: string): SpecTexts {
  const runGit = (args: string[], errorMessage: string) => {
    const { status, stdout } = spawnSync('git', ['--no-pager', ...args], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(errorMessage);
    return stdout;
  };
  const missingCommitText = `there is no commit, branch or tag "${ref}" here; fetch it, or name another one`;
  // After `--end-of-options`, git does not take a REF such as `--help` for an option.
  runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], missingCommitText);
  const texts: Partial<SpecTexts> = {};
  for (const name of specFiles) {
    const missingFileText = `${ref} has no ${name} of the contract: name a later commit`;
    texts[name] = runGit(['show', '--end-of-options', `${ref}:./${name}`], missingFileText);
  }
  return texts as SpecTexts;
}

function buildContractOrExplain(texts: SpecTexts, contractName: string): Contract {
  try {
    return buildContract(texts);
  } catch (error) {
    throw new Error(`${contractName} has a mistake: ${(error as Error).message}`);
  }
}

await runCommand('contract:diff', usage, async () => print(`${await createDiff()}\n`));
