import type { PlaywrightTestOptions } from '@playwright/test';

/**
 * Options of a browser as Playwright has them. Where they are no constants, it computes each of them for each test, in a
 * step of its own.
 */
export const browserDefaults = {
  acceptDownloads: true,
  bypassCSP: false,
  clientCertificates: [],
  colorScheme: 'light',
  contrast: 'no-preference',
  extraHTTPHeaders: {},
  forcedColors: 'none',
  hasTouch: false,
  ignoreHTTPSErrors: false,
  isMobile: false,
  javaScriptEnabled: true,
  locale: 'en-US',
  offline: false,
  permissions: [],
  reducedMotion: 'no-preference',
  serviceWorkers: 'allow',
  viewport: { width: 1280, height: 720 },
} satisfies Partial<PlaywrightTestOptions>;

/**
 * The same for tests without a browser, with constants for the options that have no default. Nothing reads these: they only
 * spare Playwright the steps in which it would find out that they are not set.
 */
export const noBrowser = {
  ...browserDefaults,
  baseURL: 'http://localhost',
  deviceScaleFactor: 1,
  geolocation: { latitude: 0, longitude: 0 },
  httpCredentials: { username: '', password: '' },
  proxy: { server: 'localhost' },
  screen: browserDefaults.viewport,
  storageState: { cookies: [], origins: [] },
  timezoneId: 'UTC',
  userAgent: 'none',
} satisfies Partial<PlaywrightTestOptions>;
