import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Requirement, requirementsOf } from '../../schemas/requirements.ts';
import type { Observation } from '../client/observation.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import type { Behaviour } from '../probes/behaviour.ts';
import { type Standing, standingOf } from './standing.ts';

/** What is known of a run beside its observations. */
export interface Run {
  target: string;
  profile: Target['profile'];
  startedAt: string;
  /** Requests that were sent, repetitions included. */
  requests: number;
  /** How many were repeated, by reason. */
  repeated: Record<string, number>;
  contract: string;
}

/** Requirements that a run judges; undeclared fields are one only where that was asked for. */
export function requirementsFor({ undeclaredFields }: Pick<Target, 'undeclaredFields'>): Requirement[] {
  const optional = (address: string) => address.endsWith('/rules/declared-fields');
  return requirementsOf().filter(({ address }) => undeclaredFields === 'fail' || !optional(address));
}

/** Folder of the observations of a run. */
const observationsDir = (target: Target) => path.join(target.reportsDir, 'observations');

/** Writes what was asked and found, an exchange a file. */
export function writeResults(
  target: Target,
  run: Run,
  observations: Observation[],
  behaviour?: Behaviour,
): void {
  const folder = observationsDir(target);
  const write = (name: string, value: unknown) =>
    writeFileSync(path.join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  mkdirSync(folder, { recursive: true });
  for (const [index, observation] of observations.entries())
    write(`${String(index + 1).padStart(3, '0')}-${observation.operation}.json`, observation);
  if (behaviour) write('observed.json', behaviour);
  write('run.json', run);
}

/** What was asked and found, read once a process. */
export interface Results {
  run: Run | undefined;
  observations: Observation[];
  standing: Standing[];
  /** What was observed of that which the contract leaves open. */
  behaviour?: Behaviour | undefined;
}

/** Reads the observations below `REPORTS_DIR`. Empty when nothing was asked. */
export function readResults(target: Target = readConfiguration().target): Results {
  const folder = observationsDir(target);
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  const observations = files.filter((file) => /^\d/.test(file)).map((file) => read<Observation>(file));
  const run = files.includes('run.json') ? read<Run>('run.json') : undefined;
  const behaviour = files.includes('observed.json') ? read<Behaviour>('observed.json') : undefined;
  const standing = standingOf(requirementsFor(target), observations, target.profile);
  return { run, observations, standing, behaviour };
}
