import { readFileSync } from 'node:fs';

/** Rows of the table of questions in docs/maintainers.md: question, run, place, answer. */
export const questions = readFileSync(new URL('../../../docs/maintainers.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => /^\| (.*\?) \| (\w+) \| `contract\.html#(.*)` \| (.*) \|$/.exec(line)?.slice(1) ?? [])
  .filter(([question]) => question);
