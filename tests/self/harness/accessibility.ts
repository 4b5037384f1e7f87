import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { openBlankPage, setView, views } from './browser.ts';

interface AxeOptions {
  resultTypes: string[];
  runOnly?: string[];
}

interface Axe {
  run(
    options: AxeOptions,
  ): Promise<{ violations: { id: string; impact?: string; nodes: { html: string }[] }[] }>;
}

const axeSource = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/**
 * Finds accessibility problems of a page, such as `phone: 40 pixels too wide`. Leaves the page blank.
 * @param checkedPatterns patterns (see `removeRepeatedParts`) of parts that axe skips, because they were checked on earlier pages;
 *   the patterns of this page's other parts are added
 * @param viewNames keys of `views`; default: all
 */
export async function findIssuesInViews(
  page: Page,
  checkedPatterns: string[] = [],
  viewNames = Object.keys(views),
): Promise<string[]> {
  const issues = await page.evaluate(findIdIssues);
  for (const viewName of viewNames) {
    await setView(page, views[viewName]);
    const widthIssues = await findWidthIssues(page);
    issues.push(...widthIssues.map((issue) => `${viewName}: ${issue}`));
  }
  // Comes after the width checks, because it removes parts of the page.
  const newPatterns = await page.evaluate(removeRepeatedParts, checkedPatterns);
  checkedPatterns.push(...newPatterns);
  for (const viewName of viewNames) {
    await setView(page, views[viewName]);
    const axeIssues = await findAxeIssues(page, viewName);
    issues.push(...axeIssues.map((issue) => `${viewName}: ${issue}`));
  }
  await openBlankPage(page);
  return issues;
}

/** Lists link targets that are not in this page, such as `#missing-id` and `other.html`. */
export const findBrokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const elements = [...document.querySelectorAll('[id]')];
    const fragments = new Set(elements.map(({ id }) => `#${id}`));
    const links = [...document.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '');
    return links.filter((href) => !fragments.has(href));
  });

async function findWidthIssues(page: Page): Promise<string[]> {
  // WCAG 2.2, 1.4.10: a user must not have to scroll sideways.
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

async function findAxeIssues(page: Page, viewName: string): Promise<string[]> {
  // Listing the elements that pass would take most of the time.
  const options: AxeOptions = { resultTypes: ['violations'] };
  // Other rules would find the same as in a light view, because the colour scheme changes only colours.
  if (viewName === 'dark') options.runOnly = ['color-contrast', 'link-in-text-block'];
  const isAxeLoaded = await page.evaluate(() => 'axe' in window);
  if (!isAxeLoaded) await page.evaluate(axeSource);
  await page.evaluate(endTransitions);
  const { violations } = await page.evaluate(
    (axeOptions) => (window as unknown as { axe: Axe }).axe.run(axeOptions),
    options,
  );
  const severeViolations = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return severeViolations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Ends CSS transitions, so that axe judges final colours. Runs in the browser. */
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
  const referringAttributes = ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls'];
  for (const attribute of referringAttributes)
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      const referredIds = (element.getAttribute(attribute) ?? '').split(/\s+/);
      const missingIds = referredIds.filter((id) => !ids.has(id));
      issues.push(...missingIds.map((id) => `${attribute}="${id}" refers to nothing`));
    }
  return issues;
}

/**
 * Removes each part of the page that has the pattern of an earlier part, so that axe has less to check. Parts are paragraphs,
 * `details`, and rows of lists and tables except the first row. The pattern of a part is the class of its container, and its HTML
 * without texts and the values of attributes such as `id`: `wide <tr><td>text</td></tr>`.
 * @param knownPatterns patterns of earlier pages; parts that have one are removed, too
 * @returns patterns of this page that are not in `knownPatterns`
 */
function removeRepeatedParts(knownPatterns: string[]): string[] {
  const attributeValues =
    / (id|href|for|title|datetime|aria-label|aria-labelledby|aria-describedby)="[^"]+"/g;
  const texts = />[^<]+</g;
  const createPattern = (part: HTMLElement) => {
    const html = part.outerHTML.replace(attributeValues, ' $1').replace(texts, '>text<');
    // The same part may have other colours in another container.
    const container = part.parentElement?.closest('section, details, table, ul, dl');
    return `${container?.className ?? ''} ${html}`;
  };
  const seenPatterns = new Set(knownPatterns);
  const newPatterns: string[] = [];
  // Leaves out the first row of each list or table, because axe reports an empty list.
  const partSelector = 'details, p, :is(tr, li):not(:first-child), :is(dt, dd):not(:first-of-type)';
  for (const part of document.querySelectorAll<HTMLElement>(partSelector)) {
    const pattern = createPattern(part);
    if (seenPatterns.has(pattern)) {
      part.remove();
      continue;
    }
    seenPatterns.add(pattern);
    newPatterns.push(pattern);
  }
  return newPatterns;
}
