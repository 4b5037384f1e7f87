import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ownValue } from '../../schemas/own-value.ts';
import { fromCaller } from '../../tests/configuration/caller-folder.ts';
import { readRegularFile } from '../../tests/configuration/regular-file.ts';
import { clearOutput, type Output } from '../output.ts';
import { reportFiles } from '../write.ts';
import { MergeError } from './shards.ts';

const usage = 'usage: npm run merge -- DIR... --output DIR   (DIR: REPORTS_DIR of a shard)';

/** What `npm run merge` was asked for; the paths are absolute. */
export interface Command {
  folders: string[];
  output: string;
}

/** Reads the command line. @throws {MergeError} when it is none; nothing old is left in the folder that it names. */
export function readCommand(args: string[]): Command {
  try {
    const command = parse(args, true);
    if (!command.output || command.folders.length === 0) throw new MergeError(usage);
    return command;
  } catch (error) {
    const meant = parse(args, false);
    if (meant.output) clear(meant);
    throw error;
  }
}

function parse(args: string[], strict: boolean): Command {
  const options = { output: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, strict, allowPositionals: true, options });
  const { output } = values;
  return {
    folders: positionals.map((folder) => path.resolve(fromCaller(folder))),
    output: typeof output === 'string' && output !== '' ? path.resolve(fromCaller(output)) : '',
  };
}

/**
 * Removes what an earlier merge has left: its verdict would be taken for this one's, above all if this one is rejected.
 * @throws {MergeError} before anything is removed, when a shard would be.
 */
export function clear(command: Command): void {
  if (command.folders.map(placeOf).includes(placeOf(command.output)))
    throw new MergeError('--output must be another folder than those of the shards');
  if (holdsShard(command.output))
    throw new MergeError('--output holds the report of a shard, which is not replaced: name another folder');
  clearOutput(outputOf(command), [...reportFiles, 'allure-results', 'allure-report']);
}

/** The folder that is written to, as it is called. */
export const outputOf = ({ output }: Command): Output => ({ option: '--output', folder: output });

/** Where a folder is, with all links resolved; one that is not there yet is none of the others. */
const placeOf = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

function holdsShard(folder: string): boolean {
  try {
    const report: unknown = JSON.parse(
      readRegularFile(path.join(folder, 'conformance.json')).toString('utf8'),
    );
    return ownValue(report, 'shard') !== undefined;
  } catch {
    return false;
  }
}
