import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Specs below this folder whose text matches, as paths from it. */
export function specsWith(pattern: RegExp): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const specs = files.filter((name) => name.endsWith('.spec.ts'));
  return specs.filter((name) => pattern.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')));
}

/** Those whose inputs are random, or look for random marks. */
export const randomSpecs = () => specsWith(/from '[./a-z]+\/(soak|canaries)\.ts'/);
