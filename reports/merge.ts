import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { print, printError } from '../tests/run/terminal.ts';
import { diskFailure } from '../tests/run/whole-file.ts';
import type { Conformance } from './conformance.ts';
import { type Command, clear, outputOf, readCommand } from './merge/command.ts';
import { derivedReports } from './merge/derived-reports.ts';
import { mergeShards } from './merge/merge-shards.ts';
import { hasSweeps, withSweepsMerged } from './merge/merge-sweeps.ts';
import { readShards, withUnreported } from './merge/read-shards.ts';
import { readShardResults } from './merge/shard-results.ts';
import { MergeError } from './merge/shards.ts';
import { fillOutput } from './output.ts';
import { summaryOf } from './summary.ts';
import { writeReports } from './write.ts';

/** One folder of reports, as one run leaves it. */
function write(contract: Contract, conformance: Conformance, { folders, output }: Command): void {
  for (const folder of folders)
    copy(path.join(folder, 'allure-results'), path.join(output, 'allure-results'));
  writeReports(contract, conformance, { reportsDir: output });
}

function copy(from: string, to: string): void {
  try {
    if (existsSync(from)) cpSync(from, to, { recursive: true });
  } catch (error) {
    if (diskFailure(error)) throw error;
    throw new MergeError(
      `${from} cannot be copied: it may hold only regular files and folders, and all of them must be readable`,
    );
  }
}

/** Renders the Allure report as `npm run conformance` does. */
function render({ output }: Command): void {
  if (!existsSync(path.join(output, 'allure-results'))) return;
  const env = { ...process.env, REPORTS_DIR: output };
  const { status } = spawnSync('npm', ['run', '--silent', 'render'], { env, stdio: 'ignore' });
  if (status !== 0) throw new MergeError('the Allure report could not be rendered: see npm run render');
}

/** Shards that sweep have divided what is asked: they are judged together. Of others each has judged its own share. */
async function mergedOf(contract: Contract, folders: string[], reports: Conformance[]): Promise<Conformance> {
  if (!hasSweeps(reports)) return mergeShards(contract, derivedReports(contract, folders, reports));
  const merged = mergeShards(contract, reports);
  return withSweepsMerged(contract, merged, readShardResults(contract, folders, reports), reports);
}

try {
  const command = readCommand(process.argv.slice(2));
  clear(command);
  const contract = loadContract();
  const { folders, reports, unreported } = readShards(command.folders);
  const judged = await mergedOf(contract, folders, reports);
  const conformance = withUnreported(judged, unreported);
  fillOutput(outputOf(command), () => write(contract, conformance, { ...command, folders }));
  render(command);
  print(summaryOf(conformance, command.output));
  process.exitCode = conformance.verdict === 'pass' ? 0 : 1;
} catch (error) {
  printError('merge', error);
  process.exitCode = 2;
}
