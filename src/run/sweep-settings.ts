import path from 'node:path';
import { irregularReason } from '../client/files.ts';
import type { SweepSettings } from '../client/target.ts';
import { fromCaller } from './caller-folder.ts';
import { fileOf, identifierVariables } from './identifier-variables.ts';
import type { Environment, VariableReader } from './variables.ts';

/** Reads the variables of a sweep; what is wrong with them is added to the problems. */
export function readSweep(env: Environment, reader: VariableReader): SweepSettings {
  const { count, seed } = reader.seeded('SWEEP', ['all', 'off']);
  return {
    sweep: count || 'off',
    sweepSeed: typeof count === 'number' ? seed : undefined,
    sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
    resume: reader.isSet('RESUME'),
    identifierFiles: readIdentifierFiles(env, reader.problems),
  };
}

/** Files of any size, which are not read here. */
function readIdentifierFiles(env: Environment, problems: string[]): SweepSettings['identifierFiles'] {
  const files: Record<string, string> = {};
  for (const name of identifierVariables()) {
    const given = fileOf(env[name]);
    if (given === undefined) continue;
    const file = fromCaller(given, env);
    const reason = irregularReason(file);
    if (reason) problems.push(`${name} names ${reason}`);
    else files[name] = path.resolve(file);
  }
  return files;
}
