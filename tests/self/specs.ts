import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Lists spec files of `tests/self` whose text matches: `['questions/answers.spec.ts']`. */
export function findSpecs(pattern: RegExp): string[] {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const specs = files.filter((name) => name.endsWith('.spec.ts'));
  const readSpec = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  return specs.filter((name) => pattern.test(readSpec(name)));
}

export const findRandomSpecs = () => findSpecs(/from '[./a-z]+\/(soak|canaries)\.ts'/);
