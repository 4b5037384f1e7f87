import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { writeWhole } from '../client/files.ts';
import type { Target } from '../client/target.ts';
import type { Secrets } from '../redact/secrets.ts';
import type { RunResults } from '../verdict/results.ts';

/** What a run says of itself, however it has its responses. */
export const aboutRun = (
  contract: Contract,
  { name, profile, minCoverage, failOn }: Target,
  { mask }: Secrets,
  startedAt: string,
) => ({
  ...{ target: mask(name), profile, startedAt, contract: contract.hash },
  ...{ minCoverage, failOn },
});

/** What was asked and found in a run, and its id. */
const fileOf = (reportsDir: string) => path.join(reportsDir, 'observations', 'run.json');

/** Writes what was asked and found, in place of what was there. */
export function writeResults({ reportsDir }: Target, id: string, results: RunResults): void {
  writeWhole(fileOf(reportsDir), JSON.stringify({ id, ...results }));
}

/** Where nothing was asked. */
export const nothing: RunResults = { run: undefined, observations: [] };

/** What the run that has written to a folder last has left there. Those of a run that is not one's own are not read: a problem says so. */
export function readResults(reportsDir: string, isOwn = (_: string) => true): RunResults {
  const file = fileOf(reportsDir);
  if (!existsSync(file)) return nothing;
  try {
    const { id, ...results }: RunResults & { id: string } = JSON.parse(readFileSync(file, 'utf8'));
    return isOwn(id) ? results : { ...nothing, problem: 'the results in REPORTS_DIR are of another run' };
  } catch {
    return { ...nothing, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}
