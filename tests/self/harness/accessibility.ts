import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { openBlankPage, setView, views } from './browser.ts';

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
 * Finds accessibility problems of a page: duplicate ids, references to missing ids and, in each view, content wider than the window
 * and serious findings of axe. Opens an empty page at the end.
 * @param checkedParts HTML, without texts and ids, of parts that axe need not check again, such as table rows. This call adds the
 * parts of this page to the array.
 * @param viewNames views to check, such as `['phone']`; default: all
 */
export async function findIssuesInViews(
  page: Page,
  checkedParts: string[] = [],
  viewNames = Object.keys(views),
): Promise<string[]> {
  const issues = await page.evaluate(findIdIssues);
  const addIssues = (name: string, newIssues: string[]) =>
    issues.push(...newIssues.map((issue) => `${name}: ${issue}`));
  for (const name of viewNames) {
    await setView(page, views[name]);
    addIssues(name, await checkWidth(page));
  }
  // Only after the widths are checked, because this removes parts of the page.
  checkedParts.push(...(await page.evaluate(removeRepeatedParts, checkedParts)));
  for (const name of viewNames) {
    await setView(page, views[name]);
    addIssues(name, await runAxe(page, name));
  }
  await openBlankPage(page);
  return issues;
}

/** Lists each `href` that does not lead to an element of this page. Links to other pages count as broken. */
export const findBrokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ids = new Set([...document.querySelectorAll('[id]')].map(({ id }) => `#${id}`));
    const links = [...document.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '');
    return links.filter((href) => !ids.has(href));
  });

/** Checks that nobody has to scroll the page sideways (WCAG 2.2, 1.4.10). */
async function checkWidth(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

/** Returns the serious findings of axe. Checks only colours in the view `dark`, because nothing else depends on the colour scheme. */
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

/** Ends running CSS transitions, so that axe judges final colours. Runs in the browser. */
function endTransitions(): void {
  for (const animation of document.getAnimations())
    if (animation instanceof CSSTransition) animation.finish();
}

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
 * Removes each part of a page, such as a table row, whose HTML without texts, ids and links is in `knownParts` or occurred before. Keeps
 * the first row of a list or table, because axe reports an empty list. Runs in the browser. Returns the HTML of the new parts.
 */
function removeRepeatedParts(knownParts: string[]): string[] {
  const seenParts = new Set(knownParts);
  const newParts: string[] = [];
  const attributeValues =
    / (id|href|for|title|datetime|aria-label|aria-labelledby|aria-describedby)="[^"]+"/g;
  const partSelector = 'details, p, :is(tr, li):not(:first-child), :is(dt, dd):not(:first-of-type)';
  for (const part of document.querySelectorAll<HTMLElement>(partSelector)) {
    const containerClass = part.parentElement?.closest('section, details, table, ul, dl')?.className ?? '';
    const html = part.outerHTML.replace(attributeValues, ' $1').replace(/>[^<]+</g, '>text<');
    const comparedHtml = `${containerClass} ${html}`;
    if (seenParts.has(comparedHtml)) {
      part.remove();
      continue;
    }
    seenParts.add(comparedHtml);
    newParts.push(comparedHtml);
  }
  return newParts;
}
