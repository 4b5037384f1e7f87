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
 * What keeps people from reading a page, in each view of it: findings of axe that are serious, and what runs out of the page. Of
 * what looks alike the first is judged, and in the next page with the same `looks` none. Leaves the page, since much of it is gone.
 */
export async function issuesInViews(
  page: Page,
  looks: string[] = [],
  names = Object.keys(views),
): Promise<string[]> {
  const issues = await page.evaluate(idIssues);
  const note = (name: string, found: string[]) => issues.push(...found.map((issue) => `${name}: ${issue}`));
  for (const name of names) {
    await showAs(page, views[name]);
    note(name, await excessWidth(page));
  }
  looks.push(...(await page.evaluate(keepDistinct, looks)));
  for (const name of names) {
    await showAs(page, views[name]);
    note(name, await findingsOfAxe(page, name));
  }
  await leave(page);
  return issues;
}

/** Links of a page that lead to no place of it. */
export const brokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const ids = new Set([...document.querySelectorAll('[id]')].map(({ id }) => `#${id}`));
    const links = [...document.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '');
    return links.filter((href) => !ids.has(href));
  });

async function excessWidth(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

/** In the dark view of what was judged in light, nothing but colours is looked at: all else is the same. */
async function findingsOfAxe(page: Page, view: string): Promise<string[]> {
  // Without telling what passes, which takes most of the time.
  const options: Options = { resultTypes: ['violations'] };
  if (view === 'dark') options.runOnly = ['color-contrast', 'link-in-text-block'];
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  await page.evaluate(endTransitions);
  const { violations } = await page.evaluate(
    (chosen) => (window as unknown as { axe: Axe }).axe.run(chosen),
    options,
  );
  const grave = violations.filter(({ impact }) => /serious|critical/.test(impact ?? ''));
  return grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Another view or scheme may come gradually: its colours are judged as they are at last. */
function endTransitions(): void {
  for (const animation of document.getAnimations())
    if (animation instanceof CSSTransition) animation.finish();
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

/**
 * Removes parts of a page that differ from one that is known by nothing but texts and addresses: they look alike.
 * The first of a list or table stays, since one without any would be another finding. Returns what has become known.
 */
function keepDistinct(known: string[]): string[] {
  const looks = new Set(known);
  const values = / (id|href|for|title|datetime|aria-label|aria-labelledby|aria-describedby)="[^"]+"/g;
  const parts = 'details, p, :is(tr, li):not(:first-child), :is(dt, dd):not(:first-of-type)';
  for (const part of document.querySelectorAll<HTMLElement>(parts)) {
    const inside = part.parentElement?.closest('section, details, table, ul, dl')?.className ?? '';
    const look = `${inside} ${part.outerHTML.replace(values, ' $1').replace(/>[^<]+</g, '>text<')}`;
    if (looks.has(look)) part.remove();
    looks.add(look);
  }
  return [...looks].slice(known.length);
}
