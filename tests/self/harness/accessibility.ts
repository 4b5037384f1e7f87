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
 * What keeps people from reading what a window shows: findings of axe that are serious, and what runs out of the page. In the
 * dark view of what was judged in light, nothing but colours is looked at: all else is the same.
 */
export async function accessibilityIssues(page: Page, view = ''): Promise<string[]> {
  return [...(await excessWidth(page)), ...(await findingsOfAxe(page, view))];
}

/**
 * The same in each view of a page whose tables are long: of what looks alike the first is judged, and in the next page with
 * the same `looks` none. Leaves the page, since much of it is gone.
 */
export async function issuesInViews(
  page: Page,
  looks: string[] = [],
  names = Object.keys(views),
): Promise<string[]> {
  const issues = await page.evaluate(idIssues);
  const note = (name: string, found: string[]) => issues.push(...found.map((issue) => `${name}: ${issue}`));
  for (const name of Object.keys(views)) {
    await showAs(page, views[name]);
    if (names.includes(name)) note(name, await excessWidth(page));
    await page.evaluate(endTransitions);
    await page.evaluate(noteStyles);
  }
  looks.push(...(await page.evaluate(keepDistinct, looks)));
  for (const name of names) {
    await showAs(page, views[name]);
    note(name, await findingsOfAxe(page, name));
  }
  await leave(page);
  return issues;
}

async function excessWidth(page: Page): Promise<string[]> {
  const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

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
  return grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.replace(/ data-style="[^"]*"/g, '')}`);
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

/** Makes how each element looks in the view that is shown one of its attributes, for `keepDistinct`. */
function noteStyles(): void {
  for (const element of document.querySelectorAll<HTMLElement>('body, body *')) {
    const { color, backgroundColor, opacity, fontSize, fontWeight, textDecorationLine } =
      getComputedStyle(element);
    const style = [color, backgroundColor, opacity, fontSize, fontWeight, textDecorationLine].join(' ');
    element.dataset.style = `${element.dataset.style ?? ''}${style};`;
  }
}

/**
 * Empties and hides what holds only elements that axe cannot tell from one it knows: the same tag with the same styles and
 * attributes in the same elements, text or none, and in a list or table the same children. What stays keeps its position.
 * Returns what has become known.
 */
function keepDistinct(known: string[]): string[] {
  // An element is known by the number of its key, in which that of its parent is.
  const numbers = new Map(known.map((key, number) => [key, number]));
  const numberOf = (key: string): number => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const places = new Map<Element | null, number>();
  const placeOf = (element: Element | null): number => {
    if (!element) return -1;
    const place = places.get(element) ?? numberOf(`${placeOf(element.parentElement)} ${tagOf(element)}`);
    places.set(element, place);
    return place;
  };
  const tagOf = (element: Element): string => {
    const values = / (id|href|for|title|datetime|aria-label|aria-labelledby|aria-describedby)="[^"]+"/g;
    const tag = (element.cloneNode() as Element).outerHTML.replace(values, ' $1').replace(/<\/.*/, '');
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    return `${tag}${hasText ? 'text' : ''}`;
  };
  const lookOf = (element: Element) => {
    const ordered = /^(ul|ol|dl|table|thead|tbody|tr)$/.test(element.localName);
    const children = ordered ? new Set([...element.children].map(({ localName }) => localName)) : [];
    return `look ${placeOf(element)} ${[...children].join(' ')}`;
  };
  // The first of a list or table stays, since one without any would be another finding.
  const parts = 'table, ul, dl, details, p, :is(tr, li):not(:first-child), :is(dt, dd):not(:first-of-type)';
  for (const part of document.querySelectorAll<HTMLElement>(parts)) {
    if (!part.isConnected) continue;
    const inside = [part, ...part.querySelectorAll('*')];
    if (inside.every((element) => numbers.has(lookOf(element)))) {
      part.replaceChildren();
      part.hidden = true;
      continue;
    }
    // What is in a part of this one is judged with that one.
    for (const element of inside) if (element.closest(parts) === part) numberOf(lookOf(element));
  }
  return [...numbers.keys()].slice(known.length);
}
