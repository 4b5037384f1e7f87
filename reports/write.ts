import { existsSync } from 'node:fs';
import path from 'node:path';
import { html } from 'hono/html';
import type { Contract } from '../schemas/contract/contract.ts';
import { writeAtomically } from '../src/client/files.ts';
import { printable } from '../src/redact/printable.ts';
import { adaptTextsToCallerFolder, addCloneHint } from '../src/run/caller-folder.ts';
import { describeShardOrSelection, formatMockOrTrafficMark } from '../src/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';
import { formatJUnit } from './junit.ts';
import { formatDay } from './lines.ts';
import { formatMarkdown } from './markdown.ts';
import { type PageOptions, renderContractPage, renderErrorPage } from './pages/contract-page.ts';
import { getWholeRunFile, keepWholeRun, readLastWholeRun, writeJson } from './read-conformance.ts';

/**
 * Writes the reports of a run, such as `conformance.md` and `contract.html`.
 * The reports are about `run`. If `run` covers only selected tests, `badge.svg` and `contract.html` stay about the last complete run.
 * @param contract an `Error` if the contract could not be read. Then `contract.html` is a page with this error.
 * @returns the run that `badge.svg` shows
 */
export function writeReports(contract: Contract | Error, run: Conformance, reportsDir: string): Conformance {
  const isPartOfContract = run.selection !== undefined;
  const lastWholeRun = isPartOfContract ? readLastWholeRun(run, reportsDir) : undefined;
  const pageRun = lastWholeRun ?? run;
  // Allure's report is about `run`, so a page about another run has no link to it.
  const links = lastWholeRun
    ? { data: getWholeRunFile(lastWholeRun) }
    : { hasTestReport: existsSync(path.join(reportsDir, 'allure-report', 'index.html')) };
  writeText(path.join(reportsDir, 'junit.xml'), formatJUnit(adaptTextsToCallerFolder(run)));
  writePages(contract, { run, pageRun }, reportsDir, links);
  keepWholeRun(run, reportsDir);
  // Last: if this file exists, all other files have been written.
  writeJson(run, path.join(reportsDir, 'conformance.json'));
  return pageRun;
}

/**
 * Writes `conformance.md` about `run`, and both `badge.svg` and `contract.html` about `pageRun`.
 * If `run` covers only selected tests, `pageRun` may be an earlier complete run. Otherwise, `pageRun` is `run`.
 * @param contract an `Error` if the contract could not be read. In this case, `contract.html` is an error page about `run`.
 */
export function writePages(
  contract: Contract | Error,
  { run, pageRun }: { run: Conformance; pageRun: Conformance },
  folder: string,
  options: PageOptions,
): void {
  const runForReader = adaptTextsToCallerFolder(run);
  const pageRunForReader = adaptTextsToCallerFolder(pageRun);
  const page =
    contract instanceof Error
      ? renderErrorPage(runForReader)
      : renderContractPage(contract, pageRunForReader, options);
  writeText(path.join(folder, 'conformance.md'), addCloneHint(formatMarkdown(runForReader)));
  writeText(path.join(folder, 'badge.svg'), renderBadge(pageRun));
  writeText(path.join(folder, 'contract.html'), page);
}

/** Writes a text file atomically. Control characters such as ESC become `�`. */
export const writeText = (file: string, text: string): void => writeAtomically(file, printable(text));

/** Estimated width of a character in the text of a badge, in pixels. */
const characterWidth = 6.6;

const textMargin = 5;

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

function formatBadgeMessage(run: Conformance): string {
  const part = describeShardOrSelection(run);
  const extent = part ? ` of ${part}` : `, ${run.coverage.nodes.percentage} % exercised`;
  return `${run.verdict}${formatMockOrTrafficMark(run)}${extent}, ${formatDay(run.startedAt)}`;
}

/** Renders `badge.svg` with a text such as "conformance | pass, 98.1 % exercised, 2026-11-22". */
export function renderBadge(run: Conformance): string {
  const label = 'conformance';
  const message = formatBadgeMessage(run);
  const title = `${label}: ${message}`;
  // Estimated width in pixels. As the `textLength`, it makes a browser stretch or shrink the text to this width.
  const measureWidth = (text: string) => Math.round(text.length * characterWidth);
  const labelBoxWidth = measureWidth(label) + 2 * textMargin;
  const messageBoxWidth = measureWidth(message) + 2 * textMargin;
  const badgeWidth = labelBoxWidth + messageBoxWidth;
  return String(html`<svg xmlns="http://www.w3.org/2000/svg" width="${badgeWidth}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="r"><rect width="${badgeWidth}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="${labelBoxWidth}" height="20" fill="#555"/><rect x="${labelBoxWidth}" width="${messageBoxWidth}" height="20" fill="${colors[run.verdict]}"/></g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="${textMargin}" y="14" textLength="${measureWidth(label)}">${label}</text>
<text x="${labelBoxWidth + textMargin}" y="14" textLength="${measureWidth(message)}">${message}</text>
</g>
</svg>
`);
}
