import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Names of the specs of this folder whose text matches. */
export function specsWith(pattern: RegExp): string[] {
  const specs = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.spec.ts'));
  return specs.filter((name) => pattern.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')));
}

/** Those whose inputs are random, or look for random marks. */
export const randomSpecs = () => specsWith(/from '\.\/(soak|canaries)\.ts'/);
