import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { fromCaller } from '../tests/configuration/caller-folder.ts';
import { complain, print } from '../tests/run/terminal.ts';
import { diskFailure } from '../tests/run/whole-file.ts';
import type { Conformance } from './conformance.ts';
import { mergeShards } from './merge/merge-shards.ts';
import { hasSweeps, readLeft, withSweepsMerged } from './merge/merge-sweeps.ts';
import { MergeError } from './merge/shards.ts';
import { clearOutput, fillOutput, type Output } from './output.ts';
import { readConformance } from './read-conformance.ts';
import { summaryOf } from './summary.ts';
import { reportFiles, writeReports } from './write.ts';

const usage = 'usage: npm run merge -- DIR... --output DIR   (DIR: REPORTS_DIR of a shard)';

interface Command {
  folders: string[];
  output: string;
}

function readCommand(): Command {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { output: { type: 'string' } },
  });
  const folders = positionals.map((folder) => path.resolve(fromCaller(folder)));
  const output = path.resolve(fromCaller(values.output ?? ''));
  if (!values.output || folders.length === 0) throw new MergeError(usage);
  if (folders.includes(output))
    throw new MergeError('--output must be another folder than those of the shards');
  return { folders, output };
}

function readShard(folder: string): Conformance {
  const file = path.join(folder, 'conformance.json');
  if (!existsSync(file))
    throw new MergeError(`${folder} holds no conformance.json: is it REPORTS_DIR of a shard?`);
  return readConformance(file);
}

/** One folder of reports, as one run leaves it. */
function write(contract: Contract, conformance: Conformance, { folders, output }: Command): void {
  for (const name of ['allure-results', 'allure-report'])
    rmSync(path.join(output, name), { recursive: true, force: true });
  for (const folder of folders)
    copy(path.join(folder, 'allure-results'), path.join(output, 'allure-results'));
  writeReports(contract, conformance, { reportsDir: output });
}

function copy(from: string, to: string): void {
  try {
    if (existsSync(from)) cpSync(from, to, { recursive: true });
  } catch (error) {
    if (diskFailure(error)) throw error;
    throw new MergeError(`${from} cannot be copied: only files and folders that may be read can be in it`);
  }
}

/** Renders the Allure report as `npm run conformance` does. */
function render({ output }: Command): void {
  if (!existsSync(path.join(output, 'allure-results'))) return;
  const env = { ...process.env, REPORTS_DIR: output };
  const { status } = spawnSync('npm', ['run', '--silent', 'render'], { env, stdio: 'ignore' });
  if (status !== 0) throw new MergeError('the Allure report could not be rendered: see npm run render');
}

/** A verdict of an earlier merge would be taken for this one's, above all if this one is rejected. */
const clear = (command: Command): void => clearOutput(outputOf(command), reportFiles);

const outputOf = ({ output }: Command): Output => ({ option: '--output', folder: output });

try {
  const command = readCommand();
  clear(command);
  const contract = loadContract();
  const reports = command.folders.map(readShard);
  const merged = mergeShards(contract, reports);
  const conformance = hasSweeps(reports)
    ? await withSweepsMerged(contract, merged, command.folders.map(readLeft), reports)
    : merged;
  fillOutput(outputOf(command), () => write(contract, conformance, command));
  render(command);
  print(summaryOf(conformance, command.output));
  process.exitCode = conformance.verdict === 'pass' ? 0 : 1;
} catch (error) {
  complain('merge', error);
  process.exitCode = 2;
}
