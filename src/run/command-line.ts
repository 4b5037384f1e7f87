import type { FullConfig } from '@playwright/test';
import { nothingSelected } from '../verdict/verdict.ts';

const { argv } = process;

/** Returns whether Playwright runs in UI mode (`--ui`). Also returns true if an editor extension runs Playwright. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' || argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument));

export const isListing = (): boolean => argv.includes('--list');

/** Returns whether this run is one of several shards (`--shard=1/2`). */
export const isShard = (): boolean => argv.some((argument) => /^--shard(=|$)/.test(argument));

/** Explains why `--project` selects nothing in a run with one project, which has no name. Without this option, returns undefined. */
export const explainProjectOption = (): string | undefined =>
  argv.some((argument) => /^--project(=|$)/.test(argument))
    ? '--project needs CUSTOM_TESTS, the folder of your tests: without it, select tests with `npx playwright test tests/contract/` or `npx playwright test tests/custom/`'
    : undefined;

/**
 * Explains why a run selects no test. If an argument such as `--last-failed` may be the cause, the message names the
 * argument. Otherwise, the message tells how to find the tests that `--grep` can select.
 */
export function explainEmptySelection(): string {
  const hasOption = (name: string) => argv.some((argument) => argument.split('=')[0] === name);
  // Matches an argument such as `getCard.spec.ts:23`.
  const place = argv.find((argument) => /\.[cm]?[jt]sx?:\d+/.test(argument));
  if (hasOption('--last-failed'))
    return `${nothingSelected}: --last-failed leaves only tests that failed in the last run`;
  if (hasOption('--only-changed'))
    return `${nothingSelected}: --only-changed leaves only tests of changed files`;
  if (place)
    return `${nothingSelected}: ${place} leaves only tests that begin at this line; --list shows the lines`;
  return `${nothingSelected}: npm run requirements lists what --grep can select; write \\* for * in it`;
}

/** Returns an error message if an unsupported Playwright option is set, such as `use.baseURL`. */
export function findRefusal({ projects }: Pick<FullConfig, 'projects'>): string | undefined {
  if (isListing()) return '--list has no effect with the conformance reporter: leave out --reporter';
  if (projects.some(({ use }) => use.baseURL)) return 'use.baseURL has no effect here: set BASE_URL';
  if (projects.some(({ use }) => use.extraHTTPHeaders))
    return 'use.extraHTTPHeaders has no effect here: set API_HEADERS';
  if (projects.some(({ repeatEach }) => repeatEach > 1))
    return '--repeat-each would judge the same responses again: repeat the command, as in `for i in 1 2 3; do npx playwright test; done`';
  return undefined;
}

export function writesJsonToStdout({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  const { PLAYWRIGHT_JSON_OUTPUT_FILE, PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env;
  if (PLAYWRIGHT_JSON_OUTPUT_FILE || PLAYWRIGHT_JSON_OUTPUT_NAME) return false;
  return reporter.some(([name, options]) => name === 'json' && !options?.outputFile);
}
