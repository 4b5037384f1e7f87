import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { type notSelected, signs, type Verdict } from '../../src/verdict/verdicts.ts';

/** HTML from Hono's `html`, which escapes inserted texts. */
export type Html = ReturnType<typeof html>;

/**
 * Renders a text with possible line breaks after slashes and dots: `getCard/<wbr>data/<wbr>id`.
 * A slash or dot at the beginning of a word, as in `/data`, gets no `<wbr>`.
 */
export const allowLineBreaks = (text: string): Html =>
  html`${text.split(/(?<=[^ ][/.])/).map((step, index) => (index > 0 ? html`<wbr>${step}` : step))}`;

/**
 * Renders a text in which backticks enclose names, such as "broken: `getCard/data`".
 * @param renderName renders one name, by default as a `<code>` element
 */
export const renderProse = (
  text = '',
  renderName = (name: string): Html => html`<code>${allowLineBreaks(name)}</code>`,
): Html =>
  // In "a `b` c", each second part between backticks is a name: `b`.
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? renderName(part) : part))}`;

/**
 * Renders a verdict with its sign and `details`, such as "✗ violation 3 times".
 * For the verdict `pass`, the page shows only the sign and `details`: "✓ 12 times". Screen readers also read the word "pass".
 */
export const renderVerdictBadge = (verdict: Verdict | typeof notSelected, details = ''): Html =>
  verdict === 'pass'
    ? html`<span class="quiet"><span aria-hidden="true">${signs.pass}</span> <span class="hidden">pass</span> ${details}</span>`
    : html`<span class="mark ${verdict.replace(' ', '-')}"><span aria-hidden="true">${signs[verdict]}</span> ${verdict}${details && ` ${details}`}</span>`;

interface FoldOptions {
  /** Default: true. On a phone, `contract.js` decides instead. */
  isOpen?: boolean;
  id?: string;
}

/** @param meta small text after the title */
export const renderFold = (
  title: string,
  meta: string,
  content: Html,
  { isOpen = true, id }: FoldOptions = {},
): Html =>
  html`<details class="fold" ${id && html`id="${id}"`} ${isOpen && 'open'}><summary><h3>${title}</h3> <span class="meta">${meta}</span></summary>
    ${content}</details>`;

export const renderFoldedTable = (
  title: string,
  heads: string[],
  rows: Html[],
  meta: string,
  options?: FoldOptions,
): Html => renderFold(title, meta, renderTable(title, heads, rows), options);

/** Renders a table with ARIA roles. Screen readers recognize the table even if CSS displays its rows as blocks. */
export const renderTable = (caption: string, heads: string[], rows: Html[]): Html => html`<table role="table">
    <caption>${caption}</caption>
    <thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows}</tbody>
  </table>`;

const style = readFileSync(new URL('contract.css', import.meta.url), 'utf8');

/**
 * Renders a complete HTML page. Its Content-Security-Policy allows no other script than `script`.
 * @param script JavaScript code for an inline script
 */
export function renderPage(title: string, body: Html, script?: string): string {
  // The policy allows a script by its hash (CSP Level 3, section 2.3.1).
  const hash = script && createHash('sha256').update(script).digest('base64');
  const scripts = hash ? `script-src 'sha256-${hash}'; ` : '';
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; ${raw(scripts)}base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
${body}
${script ? html`<script>${raw(script)}</script>` : ''}
</body>
</html>
`;
  return String(page);
}
