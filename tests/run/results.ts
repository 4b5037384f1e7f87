import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { isOptional, type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import type { Target } from '../configuration/target.ts';
import type { Behaviour } from '../probes/behaviour.ts';
import type { Observation } from '../redaction/observation.ts';
import type { SweepResult } from '../sweep/results/result.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import { evaluateRequirements, type RequirementResult } from '../verdict/evaluate.ts';
import { resolveRejections } from '../verdict/rejections.ts';
import { withSwept } from '../verdict/swept.ts';
import { assertFolderHeld } from './held-folder.ts';
import type { RequestMade } from './requests-made.ts';
import { writeWhole } from './whole-file.ts';

/** What is known of a run beside its observations. */
export interface Run {
  target: string;
  /** Whether that is the embedded mock. */
  mock?: boolean;
  profile: Target['profile'];
  startedAt: string;
  /** Requests that were sent, repetitions included. */
  requests: number;
  /** How many were repeated, by reason. */
  repeated: Record<string, number>;
  contract: string;
  /** Percentage of schema nodes that it must exercise. Shards that divide what is asked do so together. */
  minCoverage?: number;
  /** Whether fields that the contract does not name are judged. */
  undeclaredFields?: Target['undeclaredFields'];
}

/** What was asked and found, redacted. */
export interface RunResults {
  run: Run | undefined;
  observations: Observation[];
  /** What was observed of that which the contract leaves open. */
  behaviour?: Behaviour | undefined;
  requests?: RequestMade[];
  /** What was looked at beyond the ordinary requests. */
  sweeps?: SweepResult[];
  /** What was read, where nothing was asked. */
  traffic?: Traffic;
  /** Why there are no results, in one sentence. */
  problem?: string;
}

/** Results with what they say of each requirement. */
export interface Results extends RunResults {
  requirementResults: RequirementResult[];
}

/** Requirements that a run judges; undeclared fields are one only where the configuration says so. */
export function requirementsFor(
  contract: Contract,
  { undeclaredFields }: Pick<Target, 'undeclaredFields'>,
): Requirement[] {
  return requirementsOf(contract).filter((one) => undeclaredFields === 'fail' || !isOptional(one));
}

/** Folder of the observations of a run. */
export const observationsDir = (target: Pick<Target, 'reportsDir'>): string =>
  path.join(target.reportsDir, 'observations');

/** What `run.json` says: the last file that is written of a run, so that what it names is there. */
interface RunFile {
  id: string;
  run?: Run;
  traffic?: Traffic;
  sweeps?: SweepResult[];
  problem?: string;
}

/**
 * Writes what was asked and found, an exchange a file, in place of what was there.
 * @throws an error for people when another run has taken over the folder.
 */
export function writeResults(target: Target, id: string, results: RunResults): void {
  const { run, observations, behaviour, requests, sweeps, traffic, problem } = results;
  assertFolderHeld(target.reportsDir);
  const folder = observationsDir(target);
  const write = (name: string, value: unknown) =>
    writeWhole(path.join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, observation] of observations.entries())
    write(`${String(index + 1).padStart(3, '0')}-${observation.operation}.json`, observation);
  if (behaviour) write('observed.json', behaviour);
  if (requests) write('requests.json', requests);
  write('run.json', { id, run, traffic, sweeps, problem });
}

const nothing: RunResults = { run: undefined, observations: [] };

/** Reads the results of a run below `REPORTS_DIR`. Those of another run are not read: a problem says so. */
export function readResults(contract: Contract, target: Target, id: string | undefined): Results {
  return evaluateResults(contract, target, readRunResults(target, id));
}

/** Results with what they say of each requirement. */
export function evaluateResults(contract: Contract, target: Target, results: RunResults): Results {
  const requirementResults = evaluateRequirements(
    requirementsFor(contract, target),
    results.observations,
    target.profile,
    results.traffic ? 'recorded' : 'asked',
  );
  const { sweeps = [], observations } = results;
  if (sweeps.length === 0) return { ...results, requirementResults };
  const swept = withSwept(requirementResults, sweeps, resolveRejections(observations));
  return { ...results, requirementResults: swept };
}

/** What the run that has written to a folder last has left there, whichever it is. */
export function readStoredResults(reportsDir: string): RunResults {
  return readRunResults({ reportsDir }, storedRun({ reportsDir }));
}

function readRunResults(target: Pick<Target, 'reportsDir'>, id: string | undefined): RunResults {
  const folder = observationsDir(target);
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  if (!files.includes('run.json')) return nothing;
  try {
    const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    const { id: found, run, traffic, sweeps, problem } = read<RunFile>('run.json');
    if (found !== id) return { ...nothing, problem: 'the results in REPORTS_DIR are of another run' };
    const observations = files.filter((file) => /^\d/.test(file)).map((file) => read<Observation>(file));
    const behaviour = files.includes('observed.json') ? read<Behaviour>('observed.json') : undefined;
    const requests = files.includes('requests.json') ? read<RequestMade[]>('requests.json') : [];
    const about = {
      ...(traffic ? { traffic } : {}),
      ...(sweeps ? { sweeps } : {}),
      ...(problem ? { problem } : {}),
    };
    return { run, observations, behaviour, requests, ...about };
  } catch {
    return { ...nothing, problem: 'the results in REPORTS_DIR cannot be read' };
  }
}

/** Id of the run whose results are there. */
export function storedRun(target: Pick<Target, 'reportsDir'>): string | undefined {
  try {
    return JSON.parse(readFileSync(path.join(observationsDir(target), 'run.json'), 'utf8')).id;
  } catch {
    return undefined;
  }
}
