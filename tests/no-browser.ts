import type { FullConfig, FullProject, PlaywrightTestOptions } from '@playwright/test';

const nothing: never[] = [];
const options =
  'acceptDownloads baseURL bypassCSP clientCertificates colorScheme contrast deviceScaleFactor extraHTTPHeaders forcedColors geolocation hasTouch httpCredentials ignoreHTTPSErrors isMobile javaScriptEnabled locale offline permissions proxy reducedMotion screen serviceWorkers storageState timezoneId userAgent viewport';

/**
 * An empty list for each option of a browser, which no test here opens: Playwright would find out for each test, in a step of
 * its own, what an option is that is none. It takes a fifth of the time of a run.
 */
export const noBrowser: Partial<PlaywrightTestOptions> = Object.fromEntries(
  options.split(' ').map((name) => [name, nothing]),
);

/** What a configuration sets without effect, with what to use instead. */
const useless: [isSet: (project: FullProject) => unknown, sentence: string][] = [
  [({ use }) => use.baseURL !== noBrowser.baseURL, 'use.baseURL has no effect here: set BASE_URL'],
  [
    ({ use }) => use.extraHTTPHeaders !== noBrowser.extraHTTPHeaders,
    'use.extraHTTPHeaders has no effect here: set API_HEADERS',
  ],
  [({ retries }) => retries, '--retries has no effect here: requests are repeated, not tests; leave it out'],
];

/** @throws an error for people at the first setting that has no effect. */
export function assertSettings({ projects = [] }: Partial<FullConfig>): void {
  const [sentence] = useless.flatMap(([isSet, says]) => (projects.some(isSet) ? [says] : []));
  if (sentence) throw new Error(sentence);
}
