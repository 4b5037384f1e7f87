import { existsSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, type Page, test as plain, type Request, type ViewportSize } from '@playwright/test';
import { type PageKind, ReportedRuns } from './reported.ts';
import type { WholeRun } from './whole-run.ts';

const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
const skipMessage = `NOT TESTED: the pages, because there is no browser at ${executablePath} (docs/maintainers.md, "Tests of the suite")`;

/** Playwright's `test` with fixtures for report pages. Spec files must also call `needBrowser`. */
export const test = plain.extend<
  { externalRequests: string[]; openReport: (kind: PageKind, elementId?: string) => Promise<Page> },
  { reported: ReportedRuns; window: Page }
>({
  reported: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use, { workerIndex }) => {
      const folder = path.join(os.tmpdir(), `pages-${process.pid}-${workerIndex}`);
      await use(new ReportedRuns(folder));
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  /** Browser page that all tests of a worker share, because creating a page is slow. */
  window: [({ browser }, use) => browser.newPage().then(use), { scope: 'worker' }],
  page: async ({ window }, use) => {
    await openBlankPage(window);
    await setView(window);
    await use(window);
    await openBlankPage(window);
  },
  /** Opens `contract.html` of a run such as `red`. Tests must not change the page. */
  openReport: async ({ window, reported }, use) =>
    use(async (kind, elementId) => {
      const url = locatePage(await reported.getRun(kind));
      await setView(window);
      if (elementId) await window.goto(`${url}#${elementId}`);
      else if (window.url().split('#')[0] !== url) await window.goto(url);
      return window;
    }),
  /** Records the URLs that the page requests. Fails the test if one is external. */
  externalRequests: [
    async ({ window }, use) => {
      const requestedUrls: string[] = [];
      const recordUrl = (request: Request) => void requestedUrls.push(request.url());
      window.context().on('request', recordUrl);
      await use(requestedUrls);
      window.context().off('request', recordUrl);
      expect(requestedUrls.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
    },
    { auto: true },
  ],
});

export const browserOptions = {
  launchOptions: {
    executablePath,
    args: '--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
      ' ',
    ),
  },
};

/** Skips this file's tests if Chromium is missing; if `CI` is set, they fail. */
export function needBrowser(): void {
  if (hasBrowser) return;
  process.stderr.write(`\n${skipMessage}\n`);
  plain.skip(!process.env.CI, skipMessage);
  // Fails the tests in CI. Elsewhere, they are skipped before this hook runs.
  plain.beforeAll(() => {
    throw new Error(skipMessage);
  });
}

interface View {
  viewport?: ViewportSize;
  colorScheme?: 'light' | 'dark';
}

export const views: Record<string, View> = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 360, height: 740 } },
  dark: { colorScheme: 'dark' },
};

export async function setView(page: Page, { viewport, colorScheme = 'light' }: View = {}): Promise<void> {
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({ colorScheme, media: null });
}

export async function openBlankPage(page: Page): Promise<void> {
  // All pages from disk share one session storage.
  if (page.url().startsWith('file:')) await page.evaluate(() => sessionStorage.clear());
  if (page.url() !== 'about:blank') await page.goto('about:blank');
}

export const locatePage = ({ reportsDir }: WholeRun, file = 'contract.html') =>
  `file://${path.join(reportsDir, file)}`;
