import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { type notSelected, signs, type Verdict } from '../../src/verdict/verdicts.ts';

/** Text of a page in which everything is escaped. */
export type Html = ReturnType<typeof html>;

/** An address or a path, which may be wrapped behind each of its steps. */
export const steps = (text: string): Html =>
  html`${text.split(/(?<=[^ ][/.])/).map((step, index) => (index > 0 ? html`<wbr>${step}` : step))}`;

/** Text in which backticks mark names. */
export const prose = (text = '', code = (name: string): Html => html`<code>${steps(name)}</code>`): Html =>
  html`${text.split('`').map((part, index) => (index % 2 ? code(part) : part))}`;

/** A verdict as a badge: sign, word, and how often. A pass is no badge but quiet text, whose word is for screen readers. */
export const badge = (verdict: Verdict | typeof notSelected, more = ''): Html =>
  verdict === 'pass'
    ? html`<span class="quiet"><span aria-hidden="true">${signs.pass}</span> <span class="hidden">pass</span> ${more}</span>`
    : html`<span class="mark ${verdict.replace(' ', '-')}"><span aria-hidden="true">${signs[verdict]}</span> ${verdict}${more && ` ${more}`}</span>`;

/** A part of a page that a reader can fold. A phone shows it folded. */
export const fold = (title: string, meta: string, content: Html, isOpen = true): Html =>
  html`<details class="fold" ${isOpen && 'open'}><summary><h3>${title}</h3> <span class="meta">${meta}</span></summary>
    ${content}</details>`;

/** A table that can be folded, below its title. */
export const foldedTable = (
  title: string,
  heads: string[],
  rows: Html[],
  meta: string,
  isOpen = true,
): Html => fold(title, meta, table(title, heads, rows), isOpen);

/** A table whose rows stay rows for a screen reader when a phone shows them as blocks. */
export const table = (caption: string, heads: string[], rows: Html[]): Html => html`<table role="table">
    <caption>${caption}</caption>
    <thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th role="columnheader" scope="col">${head}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows}</tbody>
  </table>`;

const style = readFileSync(new URL('contract.css', import.meta.url), 'utf8');

/** A whole page: one style, no script but the one that is given, and no way to the network. */
export function pageOf(title: string, body: Html, script?: string): string {
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
