import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { leave, showAs, views } from './browser.ts';

interface Options {
  resultTypes: string[];
  runOnly?: string[];
}

interface Axe {
  run(
    options: Options,
  ): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }>;
}

const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/**
 * Finds problems that keep people from reading a page, in each view of the page: serious findings of axe, and content wider than
 * the window. Judges only the first of parts that look alike; `looks` collects them, so that the next page skips them too.
 * Leaves the page, because most of its parts have been removed.
 */
export async function issuesInViews(
  page: Page,
  looks: string[] = [],
  names = Object.keys(views),
): Promise<string[]> {
  const issues = await page.evaluate(findIdIssues);
  const addIssues = (name: string, newIssues: string[]) =>
    issues.push(...newIssues.map((issue) => `${name}: ${issue}`));
  for (const name of names) {
    await showAs(page, views[name]);
    addIssues(name, await checkWidth(page));
  }
  looks.push(...(await page.evaluate(removeRepeatedLooks, looks)));
  for (const name of names) {
    await showAs(page, views[name]);
    addIssues(name, await runAxe(page, name));
  }
  await leave(page);
  return issues;
}

/** Finds the links of a page that lead to no element of the page. */
export const brokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ids = new Set([...document.querySelectorAll('[id]')].map(({ id }) => `#${id}`));
    const links = [...document.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '');
    return links.filter((href) => !ids.has(href));
  });

async function checkWidth(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

/** Runs axe on a page. In the dark view axe checks only colours, because everything else equals the light view. */
async function runAxe(page: Page, view: string): Promise<string[]> {
  // Listing the elements that pass would take most of the time.
  const options: Options = { resultTypes: ['violations'] };
  if (view === 'dark') options.runOnly = ['color-contrast', 'link-in-text-block'];
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  await page.evaluate(endTransitions);
  const { violations } = await page.evaluate(
    (axeOptions) => (window as unknown as { axe: Axe }).axe.run(axeOptions),
    options,
  );
  const severe = violations.filter(({ impact }) => /serious|critical/.test(impact ?? ''));
  return severe.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Ends CSS transitions between views, so that axe judges the final colours. */
function endTransitions(): void {
  for (const animation of document.getAnimations())
    if (animation instanceof CSSTransition) animation.finish();
}

/** Finds duplicate ids in the page, and labels that refer to no id. Runs in the browser, on hidden rows too, which axe skips. */
function findIdIssues(): string[] {
  const issues: string[] = [];
  const ids = new Set<string>();
  for (const { id } of document.querySelectorAll('[id]')) {
    if (ids.has(id)) issues.push(`the id ${id} is there twice`);
    ids.add(id);
  }
  for (const name of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls'])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of (element.getAttribute(name) ?? '').split(/\s+/))
        if (!ids.has(id)) issues.push(`${name}="${id}" refers to nothing`);
  return issues;
}

/**
 * Removes parts of a page that look like a known part, which means that they differ only in texts and addresses. Keeps the first
 * row of each list or table, because an empty list would be a finding. Returns the looks that were not known before.
 */
function removeRepeatedLooks(knownLooks: string[]): string[] {
  const looks = new Set(knownLooks);
  const values = / (id|href|for|title|datetime|aria-label|aria-labelledby|aria-describedby)="[^"]+"/g;
  const partSelector = 'details, p, :is(tr, li):not(:first-child), :is(dt, dd):not(:first-of-type)';
  for (const part of document.querySelectorAll<HTMLElement>(partSelector)) {
    const containerClass = part.parentElement?.closest('section, details, table, ul, dl')?.className ?? '';
    const look = `${containerClass} ${part.outerHTML.replace(values, ' $1').replace(/>[^<]+</g, '>text<')}`;
    if (looks.has(look)) part.remove();
    looks.add(look);
  }
  return [...looks].slice(knownLooks.length);
}
