import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Html } from './badges.ts';

const style = readFileSync(new URL('contract.css', import.meta.url), 'utf8');

/** The head that every page has: one style, no script but the one that is named, and no way to the network. */
export const pageHead = (title: string, script?: string): Html => html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; ${raw(sourceOf(script))}base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>`;

const sourceOf = (script: string | undefined) =>
  script === undefined ? '' : `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'; `;
