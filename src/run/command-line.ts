import type { FullConfig } from '@playwright/test';

const { argv } = process;

/** Checks for UI mode or an editor: Playwright stays open, and each click is a run. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' || argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument));

/** Checks for `playwright test --list`, which sends and writes nothing. */
export const isListing = (): boolean => argv.includes('--list');

/** Settings of Playwright that cannot work here, each with a sentence that names the alternative. */
const refusals: [isSet: (project: FullConfig['projects'][number]) => unknown, sentence: string][] = [
  [({ use }) => use.baseURL, 'use.baseURL has no effect here: set BASE_URL'],
  [({ use }) => use.extraHTTPHeaders, 'use.extraHTTPHeaders has no effect here: set API_HEADERS'],
  [
    ({ repeatEach }) => repeatEach > 1,
    '--repeat-each would judge the same responses again: repeat the command, as in `for i in 1 2 3; do npx playwright test; done`',
  ],
];

/** Returns the reason for refusing a run, in one sentence; undefined for a run that can begin. */
export const findRefusal = ({ projects }: Pick<FullConfig, 'projects'>): string | undefined =>
  refusals.find(([isSet]) => projects.some(isSet))?.[1];

/** Checks for Playwright's `json` reporter on standard output, which must then hold nothing but JSON. */
export function writesJsonToStdout({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  const { PLAYWRIGHT_JSON_OUTPUT_FILE, PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env;
  if (PLAYWRIGHT_JSON_OUTPUT_FILE || PLAYWRIGHT_JSON_OUTPUT_NAME) return false;
  return reporter.some(([name, options]) => name === 'json' && !options?.outputFile);
}
