import { existsSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, type Page, test as plain, type Request, type ViewportSize } from '@playwright/test';
import { type PageKind, ReportedRuns } from './reported.ts';
import type { WholeRun } from './whole-run.ts';

const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
const leftOut = `NOT TESTED: the pages, for want of a browser at ${executablePath} (docs/maintainers.md, "Tests of the suite")`;

/** Tests of pages in Debian's Chromium; without it they are skipped loudly, and fail where CI is set. */
export const test = plain.extend<
  { externalRequests: string[]; opened: (kind: PageKind, place?: string) => Promise<Page> },
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
  /** A new page costs three times as much as another file in the same one. */
  window: [({ browser }, use) => browser.newPage().then(use), { scope: 'worker' }],
  page: async ({ window }, use) => {
    await leave(window);
    await showAs(window);
    await use(window);
    await leave(window);
  },
  /** Shows the page of a run, or a place of it, to a test that only looks at it: what is open is not loaded again. */
  opened: async ({ window, reported }, use) =>
    use(async (kind, place) => {
      const url = pageOf(await reported.of(kind));
      await showAs(window);
      if (place) await window.goto(`${url}#${place}`);
      else if (window.url().split('#')[0] !== url) await window.goto(url);
      return window;
    }),
  /** Requests of a test that go anywhere but to the disk. */
  externalRequests: [
    async ({ window }, use) => {
      const requested: string[] = [];
      const note = (request: Request) => void requested.push(request.url());
      window.context().on('request', note);
      await use(requested);
      window.context().off('request', note);
      expect(requested.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
    },
    { auto: true },
  ],
});

/** How Chromium is started; the rest is Playwright's own. */
export const browserOptions = {
  launchOptions: {
    executablePath,
    args: '--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
      ' ',
    ),
  },
};

/** Call first in a file. @throws where CI must have a browser. */
export function needBrowser(): void {
  if (hasBrowser) return;
  process.stderr.write(`\n${leftOut}\n`);
  plain.skip(!process.env.CI, leftOut);
  plain.beforeAll(() => {
    throw new Error(leftOut);
  });
}

/** How people look at pages: in a window of which size, and in which colours. */
interface View {
  viewport?: ViewportSize;
  colorScheme?: 'light' | 'dark';
}

export const views: Record<string, View> = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 360, height: 740 } },
  dark: { colorScheme: 'dark' },
};

/** Makes a window show what it is led to next as somebody looks at it. */
export async function showAs(page: Page, { viewport, colorScheme = 'light' }: View = {}): Promise<void> {
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({ colorScheme, media: null });
}

/** Leaves a page, so that nothing of it is found by what is opened next. */
export async function leave(page: Page): Promise<void> {
  if (page.url().startsWith('file:')) await page.evaluate(() => sessionStorage.clear());
  if (page.url() !== 'about:blank') await page.goto('about:blank');
}

export const pageOf = ({ reportsDir }: WholeRun, file = 'contract.html') =>
  `file://${path.join(reportsDir, file)}`;
