import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { verdictSentence } from '../../tests/verdict/sentence.ts';
import type { Conformance } from '../conformance.ts';

const style = readFileSync(new URL('contract.css', import.meta.url), 'utf8');

/** `contract.html` of a run without a contract to show: why there is none. */
export const errorPage = (conformance: Conformance): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The run could not begin</title>
<style>${raw(style)}</style>
</head>
<body>
<main id="main">
<header id="verdict" class="verdict ${conformance.verdict}">
  <h1>The run could not begin</h1>
  <p class="sentence"><strong>${verdictSentence(conformance)}</strong></p>
  <ul>${conformance.notes.map((note) => html`<li>${note}</li>`)}</ul>
  <p>Target ${conformance.target}, <time datetime="${conformance.startedAt}">${conformance.startedAt}</time>.</p>
</header>
</main>
</body>
</html>
`);
