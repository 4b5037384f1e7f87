import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Finds the specs below this folder whose text matches, as paths relative to the folder. */
export function findSpecs(pattern: RegExp): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const specs = files.filter((name) => name.endsWith('.spec.ts'));
  return specs.filter((name) => pattern.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')));
}

/** Finds the specs with random inputs or random canaries. */
export const findRandomSpecs = () => findSpecs(/from '[./a-z]+\/(soak|canaries)\.ts'/);
