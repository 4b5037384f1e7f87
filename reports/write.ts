import { existsSync } from 'node:fs';
import path from 'node:path';
import { html } from 'hono/html';
import type { Contract } from '../schemas/contract/contract.ts';
import { writeWhole } from '../src/client/files.ts';
import { printable } from '../src/redact/printable.ts';
import { forReader } from '../src/run/caller-folder.ts';
import { describePart, getOriginMark } from '../src/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';
import { junitOf } from './junit.ts';
import { day } from './lines.ts';
import { markdownOf } from './markdown.ts';
import { contractPage, errorPage, type PageLinks } from './pages/contract-page.ts';
import { keepWholeRun, lastWholeRun, wholeRunFile, writeData } from './read-conformance.ts';

/**
 * Writes every report that is made from `conformance.json` and the contract alone; of a contract that cannot be read,
 * what there is to say without it. That file comes last: where it is, the others are of the same run. Badge and page of
 * a whole run are not replaced by a run of a part. The folder is there.
 * @returns the run that they show
 */
export function writeReports(contract: Contract | Error, run: Conformance, reportsDir: string): Conformance {
  const shown = (run.selection && lastWholeRun(run, reportsDir)) ?? run;
  const links =
    shown === run
      ? { testReport: existsSync(path.join(reportsDir, 'allure-report', 'index.html')) }
      : { data: wholeRunFile(shown) };
  writeText(path.join(reportsDir, 'junit.xml'), junitOf(run));
  writePages(contract, run, reportsDir, shown, links);
  keepWholeRun(run, reportsDir);
  writeData(run, path.join(reportsDir, 'conformance.json'));
  return shown;
}

/** Writes what people read of a run. @param shown what page and badge are of @param links to what lies beside the page */
export function writePages(
  contract: Contract | Error,
  run: Conformance,
  folder: string,
  shown = run,
  links: PageLinks = {},
): void {
  const page = contract instanceof Error ? errorPage(run) : contractPage(contract, shown, links);
  writeText(path.join(folder, 'conformance.md'), forReader(markdownOf(run)));
  writeText(path.join(folder, 'badge.svg'), badgeOf(shown));
  writeText(path.join(folder, 'contract.html'), page);
}

/** Writes a page or a text for people: nothing in it acts on a terminal or changes the direction of text. */
export const writeText = (file: string, text: string): void => writeWhole(file, printable(text));

/** Width of a character of Verdana at 11 px, on average; `textLength` makes each text as wide as its field is. */
const characterWidth = 6.6;

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

/** `badge.svg`, in the form that shields.io has made usual: verdict, coverage and day; of a part of a run, which part. */
export function badgeOf(run: Conformance): string {
  const { verdict, coverage } = run;
  const part = describePart(run);
  const rest = part ? ` of ${part}` : `, ${coverage.nodes.percentage} % exercised`;
  const [label, color] = ['conformance', colors[verdict]];
  const message = `${verdict}${getOriginMark(run)}${rest}, ${day(run.startedAt)}`;
  const title = `${label}: ${message}`;
  const lengthOf = (text: string) => Math.round(text.length * characterWidth);
  const [left, right] = [lengthOf(label) + 10, lengthOf(message) + 10];
  return String(html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#555"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="5" y="14" textLength="${lengthOf(label)}">${label}</text>
<text x="${left + 5}" y="14" textLength="${lengthOf(message)}">${message}</text>
</g>
</svg>
`);
}
