import type { PlaywrightTestOptions } from '@playwright/test';

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
