import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { leave, showAs, views } from './browser.ts';

/** Options of `axe.run`. */
interface Options {
  resultTypes: string[];
  /** Ids of the only rules to check; all by default. */
  runOnly?: string[];
}

/** Global variable `axe` of a page into which axe-core was loaded. */
interface Axe {
  run(
    options: Options,
  ): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }>;
}

/** Source text of axe-core, to be run in a page. */
const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/**
 * Finds accessibility problems of a page: duplicate ids, and in each view content wider than the window and serious findings of
 * axe. Of parts that look alike, axe checks only the first. Opens an empty page at the end, because parts were removed.
 * @param looks looks of parts that were checked before, to skip them; new looks are added, for the next page
 * @param names views to check; all by default
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

/** Finds the links of a page that do not lead to an element of the same page: their `href` is not `#` and an id of the page. */
export const brokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ids = new Set([...document.querySelectorAll('[id]')].map(({ id }) => `#${id}`));
    const links = [...document.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '');
    return links.filter((href) => !ids.has(href));
  });

/** Returns an issue if the content is wider than the window, so that a reader would have to scroll sideways. */
async function checkWidth(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

/**
 * Runs axe on a page. Returns serious and critical findings, each with its first element. In the dark view checks only colours,
 * because everything else equals the light view.
 */
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

/** Finds duplicate ids in the page, and labels that refer to no id. Runs in the browser. Unlike axe, also checks hidden rows. */
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
 * Removes parts of a page, such as table rows, that look like another part or a known look. A look is the HTML without texts, ids and
 * addresses. Keeps the first row of each list or table, because an empty list would be a finding. Runs in the browser.
 * @returns the looks that were not known before
 */
function removeRepeatedLooks(knownLooks: string[]): string[] {
  const looks = new Set(knownLooks);
  const attributeValues =
    / (id|href|for|title|datetime|aria-label|aria-labelledby|aria-describedby)="[^"]+"/g;
  const partSelector = 'details, p, :is(tr, li):not(:first-child), :is(dt, dd):not(:first-of-type)';
  for (const part of document.querySelectorAll<HTMLElement>(partSelector)) {
    const containerClass = part.parentElement?.closest('section, details, table, ul, dl')?.className ?? '';
    const html = part.outerHTML.replace(attributeValues, ' $1').replace(/>[^<]+</g, '>text<');
    const look = `${containerClass} ${html}`;
    if (looks.has(look)) part.remove();
    looks.add(look);
  }
  return [...looks].slice(knownLooks.length);
}
