import type { FullConfig } from '@playwright/test';

const { argv } = process;

/** Returns whether Playwright runs in UI mode (`--ui`) or for an editor (`test-server`), where one process does many runs. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' || argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument));

/** Returns whether Playwright only lists the tests (`--list`), so that nothing may be sent or written. */
export const isListing = (): boolean => argv.includes('--list');

interface UnsupportedOption {
  isSet: (project: FullConfig['projects'][number]) => boolean;
  /** Sentence that tells the user what to do instead. */
  advice: string;
}

/** Options of Playwright that would have no effect, or the wrong one. A run does not begin if one of them is set. */
const unsupportedOptions: UnsupportedOption[] = [
  {
    isSet: ({ use }) => Boolean(use.baseURL),
    advice: 'use.baseURL has no effect here: set BASE_URL',
  },
  {
    isSet: ({ use }) => Boolean(use.extraHTTPHeaders),
    advice: 'use.extraHTTPHeaders has no effect here: set API_HEADERS',
  },
  {
    isSet: ({ repeatEach }) => repeatEach > 1,
    advice:
      '--repeat-each would judge the same responses again: repeat the command, as in `for i in 1 2 3; do npx playwright test; done`',
  },
];

/** Returns advice if Playwright is configured with an unsupported option: "use.baseURL has no effect here: set BASE_URL". */
export const findRefusal = ({ projects }: Pick<FullConfig, 'projects'>): string | undefined =>
  unsupportedOptions.find(({ isSet }) => projects.some(isSet))?.advice;

/** Returns whether Playwright's `json` reporter writes to standard output, where the suite must then print nothing. */
export function writesJsonToStdout({ reporter }: Pick<FullConfig, 'reporter'>): boolean {
  const { PLAYWRIGHT_JSON_OUTPUT_FILE, PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env;
  if (PLAYWRIGHT_JSON_OUTPUT_FILE || PLAYWRIGHT_JSON_OUTPUT_NAME) return false;
  return reporter.some(([name, options]) => name === 'json' && !options?.outputFile);
}
