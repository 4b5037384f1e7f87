import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Requirement, requirementsOf } from '../../schemas/requirements.ts';
import type { Observation } from '../client/observation.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { observationsDir } from '../exchanges/session.ts';
import { type Standing, standingOf } from './standing.ts';

/** What is known of a run beside its observations. */
export interface Run {
  target: string;
  profile: Target['profile'];
  startedAt: string;
  requests: number;
  contract: string;
}

/** Requirements that a run judges; undeclared fields are one only where that was asked for. */
export function requirementsFor({ undeclaredFields }: Target): Requirement[] {
  const optional = (address: string) => address.endsWith('/rules/declared-fields');
  return requirementsOf().filter(({ address }) => undeclaredFields === 'fail' || !optional(address));
}

const runFile = (target: Target) => path.join(observationsDir(target), 'run.json');

export function writeRun(target: Target, run: Run): void {
  writeFileSync(runFile(target), `${JSON.stringify(run, null, 2)}\n`);
}

/** What was asked and found, read once a process. */
export interface Results {
  run: Run | undefined;
  observations: Observation[];
  standing: Standing[];
}

/** Reads the observations below `REPORTS_DIR`. Empty when nothing was asked. */
export function readResults(target: Target = readConfiguration().target): Results {
  const folder = observationsDir(target);
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  const observations = files.filter((file) => /^\d/.test(file)).map((file) => read<Observation>(file));
  const run = files.includes('run.json') ? read<Run>('run.json') : undefined;
  return { run, observations, standing: standingOf(requirementsFor(target), observations, target.profile) };
}
