import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { newAjv } from '../../schemas/contract/new-ajv.ts';
import { irregularReason, readRegularFile } from '../../tests/configuration/regular-file.ts';
import { observationsDir } from '../../tests/run/results.ts';
import { MergeError } from './shards.ts';

type Kind = 'observation' | 'observed' | 'requests' | 'run';

/** What a file of observations holds, by its name; undefined for what merging does not read. */
function kindOf(name: string): Kind | undefined {
  if (/^\d/.test(name)) return 'observation';
  return (['observed', 'requests', 'run'] as const).find((kind) => name === `${kind}.json`);
}

/**
 * Looks at what a shard has left before it is read: anybody may have written it.
 * @throws {MergeError} naming the first file that no run writes so.
 */
export function checkStoredResults(reportsDir: string): void {
  const folder = observationsDir({ reportsDir });
  const names = namesIn(folder);
  if (names.length === 0) return;
  const reasonOf = checker();
  for (const name of names) {
    const kind = kindOf(name);
    const file = path.join(folder, name);
    if (name === 'used.txt' && irregularReason(file))
      throw new MergeError(`${file} is not what a run leaves there`);
    const reason = kind && reasonOf(kind, parsed(file));
    if (reason)
      throw new MergeError(
        `${file} is not what a run leaves there: ${reason}; merge needs the whole of REPORTS_DIR`,
      );
  }
}

/** Whether a shard has left any observations, be they whole or not. */
export const hasObservations = (reportsDir: string): boolean =>
  namesIn(observationsDir({ reportsDir })).length > 0;

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (statSync(folder).isDirectory()) return readdirSync(folder).sort();
  throw new MergeError(`${folder} is no folder: merge needs the whole of REPORTS_DIR`);
}

/** What a file holds; undefined where it cannot be read. A pipe or a device is not opened. */
function parsed(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What says why a value is none of its kind. */
function checker(): (kind: Kind, value: unknown) => string | undefined {
  const read = (name: string) =>
    JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
  const ajv = newAjv({ strict: true, ownProperties: true });
  ajv.addSchema(read('conformance'));
  ajv.addSchema(read('stored-results'));
  return (kind, value) => {
    if (value === undefined) return 'it cannot be read as JSON';
    const validate = ajv.getSchema(
      `https://example.com/lookup-api/stored-results.schema.json#/$defs/${kind}`,
    );
    if (!validate || validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return [error?.instancePath, error?.message].filter(Boolean).join(' ');
  };
}
