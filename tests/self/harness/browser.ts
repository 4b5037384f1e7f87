import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, type Page, test as plain, type Request, type ViewportSize } from '@playwright/test';
import { type PageKind, ReportedRuns, runKinds } from './reported.ts';
import type { WholeRun } from './whole-run.ts';

const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
const leftOut = `NOT TESTED: the pages, for want of a browser at ${executablePath} (docs/maintainers.md, "Tests of the suite")`;

/** Tests of pages in Debian's Chromium; without it they are skipped loudly, and fail where CI is set. */
export const test = plain.extend<{ externalRequests: string[] }, { reported: ReportedRuns; window: Page }>({
  reported: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use, { workerIndex }) => {
      await use(new ReportedRuns(path.join(os.tmpdir(), `pages-${process.pid}-${workerIndex}`)));
    },
    { scope: 'worker' },
  ],
  /** A new page costs three times as much as another file in the same one. */
  window: [({ browser }, use) => browser.newPage().then(use), { scope: 'worker' }],
  page: async ({ window }, use) => {
    await showAs(window, {});
    await use(window);
    if (window.url().startsWith('file:')) await window.evaluate(() => sessionStorage.clear());
    await window.goto('about:blank');
  },
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

/** The kinds of run to look at in a view: the red one has of everything, and stands for all but on a desktop. */
export const kindsFor = (view: string): PageKind[] => (view === 'desktop' ? runKinds : ['red']);

export const pageOf = ({ reportsDir }: WholeRun, file = 'contract.html') =>
  `file://${path.join(reportsDir, file)}`;

interface Axe {
  run(options: {
    resultTypes: string[];
  }): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }>;
}

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/**
 * What keeps people from reading a page: findings of axe that are serious, and what runs out of the page. Give `looks` for
 * long tables: of rows that look alike the first is judged, and in the next page of the same style none.
 */
export async function accessibilityIssues(page: Page, looks?: string[]): Promise<string[]> {
  const excessWidth = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const ofRows = looks ? await page.evaluate(idIssues) : [];
  if (looks) await keepDistinctRows(page, looks);
  await page.evaluate(axe);
  // Without telling what passes, which takes most of the time.
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }),
  );
  const grave = violations.filter(({ impact }) => /serious|critical/.test(impact ?? ''));
  return [
    ...grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    ...ofRows,
    ...(excessWidth > 0 ? [`${excessWidth} pixels too wide`] : []),
  ];
}

/** Identifiers that the page in a window has twice, and labels that refer to none: in all rows, those that axe does not see too. */
function idIssues(): string[] {
  const issues: string[] = [];
  const known = new Set<string>();
  for (const { id } of document.querySelectorAll('[id]')) {
    if (known.has(id)) issues.push(`the id ${id} is there twice`);
    known.add(id);
  }
  for (const name of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls'])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of (element.getAttribute(name) ?? '').split(/\s+/))
        if (!known.has(id)) issues.push(`${name}="${id}" refers to nothing`);
  return issues;
}

/** Removes rows that axe cannot tell from one it knows: the same elements, classes and attributes, and text in the same places. */
async function keepDistinctRows(page: Page, looks: string[]): Promise<void> {
  const found = await page.evaluate((known) => {
    const seen = new Set(known);
    // The first of a table stays, since one without rows would be another finding.
    const rows = 'tr:not(:first-child), dt:not(:first-of-type), dd:not(:first-of-type)';
    for (const row of document.querySelectorAll(rows)) {
      const look = row.outerHTML
        .replace(/>[^<]*[^<\s][^<]*</g, '>text<')
        .replace(/ (id|href|aria-label)="[^"]+"/g, ' $1');
      if (seen.has(look)) row.remove();
      seen.add(look);
    }
    return [...seen];
  }, looks);
  looks.splice(0, looks.length, ...found);
}
