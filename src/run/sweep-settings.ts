import path from 'node:path';
import { irregularReason } from '../client/files.ts';
import type { SweepSettings } from '../client/target.ts';
import { fileVariableOf } from '../client/target.ts';
import { fromCaller } from './caller-folder.ts';
import { identifierVariables } from './identifier-variables.ts';
import type { Environment, VariableReader } from './variables.ts';

/** Reads the variables of a sweep; what is wrong with them is added to the problems. */
export const readSweep = (env: Environment, reader: VariableReader): SweepSettings => ({
  sweep: readExtent(reader),
  sweepSeed: reader.text('SWEEP_SEED') ? Math.floor(reader.number('SWEEP_SEED')) : undefined,
  sweepOffset: reader.text('SWEEP_OFFSET') ? reader.choice('SWEEP_OFFSET') : undefined,
  resume: reader.isSet('RESUME'),
  identifierFiles: readIdentifierFiles(env, reader.problems),
});

function readExtent(reader: VariableReader): SweepSettings['sweep'] {
  const text = reader.text('SWEEP')?.trim() ?? 'off';
  if (text === 'off' || text === 'all') return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  reader.problems.push('SWEEP must be all, off, or how many records to judge, such as 5000');
  return 'off';
}

/** Files of any size, which are not read here. */
function readIdentifierFiles(env: Environment, problems: string[]): SweepSettings['identifierFiles'] {
  const files: Record<string, string> = {};
  for (const name of identifierVariables()) {
    const variable = fileVariableOf(name);
    const file = env[variable] && fromCaller(env[variable], env);
    if (!file) continue;
    const reason = irregularReason(file);
    if (reason) problems.push(`${variable} names ${reason}`);
    else files[name] = path.resolve(file);
  }
  return files;
}
