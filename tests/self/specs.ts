import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export function findSpecs(pattern: RegExp): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const specs = files.filter((name) => name.endsWith('.spec.ts'));
  return specs.filter((name) => pattern.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')));
}

export const findRandomSpecs = () => findSpecs(/from '[./a-z]+\/(soak|canaries)\.ts'/);
