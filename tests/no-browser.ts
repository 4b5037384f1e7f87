import type { FullConfig, FullProject, PlaywrightTestOptions } from '@playwright/test';

const viewport = { width: 1280, height: 720 };

/**
 * A constant for each option of a browser, which no test here opens: Playwright would find out for each test, in a step of
 * its own, what an option is that is none. It takes a fifth of the time of a run.
 */
export const noBrowser = {
  acceptDownloads: true,
  baseURL: 'http://localhost',
  bypassCSP: false,
  clientCertificates: [],
  colorScheme: 'light',
  contrast: 'no-preference',
  deviceScaleFactor: 1,
  extraHTTPHeaders: {},
  forcedColors: 'none',
  geolocation: { latitude: 0, longitude: 0 },
  hasTouch: false,
  httpCredentials: { username: '', password: '' },
  ignoreHTTPSErrors: false,
  isMobile: false,
  javaScriptEnabled: true,
  locale: 'en-US',
  offline: false,
  permissions: [],
  proxy: { server: 'localhost' },
  reducedMotion: 'no-preference',
  screen: viewport,
  serviceWorkers: 'allow',
  storageState: { cookies: [], origins: [] },
  timezoneId: 'UTC',
  userAgent: 'none',
  viewport,
} satisfies Partial<PlaywrightTestOptions>;

/** What a configuration sets without effect, with what to use instead. */
const useless: [isSet: (project: FullProject) => unknown, sentence: string][] = [
  [({ use }) => use.baseURL !== noBrowser.baseURL, 'use.baseURL has no effect here: set BASE_URL'],
  [
    ({ use }) => Object.keys(use.extraHTTPHeaders ?? {}).length > 0,
    'use.extraHTTPHeaders has no effect here: set API_HEADERS',
  ],
  [
    ({ retries }) => retries > 0,
    '--retries has no effect here: requests are repeated, not tests; leave it out',
  ],
];

/** @throws an error for people at the first setting that has no effect. */
export function assertSettings({ projects = [] }: Partial<FullConfig>): void {
  const [sentence] = useless.flatMap(([isSet, says]) => (projects.some(isSet) ? [says] : []));
  if (sentence) throw new Error(sentence);
}
