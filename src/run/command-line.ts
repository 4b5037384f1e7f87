import type { FullConfig } from '@playwright/test';

const { argv } = process;

/** Checks for UI mode (`--ui`) or an editor (`test-server`): the process stays open, and each click begins another run. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' || argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument));

/** Checks for `playwright test --list`, which sends and writes nothing. */
export const isListing = (): boolean => argv.includes('--list');

/** Settings of Playwright that a run refuses: a check for the setting in a project, and the message with the alternative. */
const refusals: [isSet: (project: FullConfig['projects'][number]) => unknown, sentence: string][] = [
  [({ use }) => use.baseURL, 'use.baseURL has no effect here: set BASE_URL'],
  [({ use }) => use.extraHTTPHeaders, 'use.extraHTTPHeaders has no effect here: set API_HEADERS'],
  [
    ({ repeatEach }) => repeatEach > 1,
    '--repeat-each would judge the same responses again: repeat the command, as in `for i in 1 2 3; do npx playwright test; done`',
  ],
];

/** Returns the message for the first refused setting of any project; undefined if the run can begin. */
export const findRefusal = ({ projects }: Pick<FullConfig, 'projects'>): string | undefined =>
  refusals.find(([isSet]) => projects.some(isSet))?.[1];

/** Checks that Playwright's `json` reporter writes to standard output, so that nothing else may be printed there. */
export function writesJsonToStdout({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  const { PLAYWRIGHT_JSON_OUTPUT_FILE, PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env;
  if (PLAYWRIGHT_JSON_OUTPUT_FILE || PLAYWRIGHT_JSON_OUTPUT_NAME) return false;
  return reporter.some(([name, options]) => name === 'json' && !options?.outputFile);
}
