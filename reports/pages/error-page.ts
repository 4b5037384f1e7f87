import { html } from 'hono/html';
import { verdictSentence } from '../../tests/verdict/sentence.ts';
import type { Conformance } from '../conformance.ts';
import { pageHead } from './page-head.ts';

/** `contract.html` of a run without a contract to show: why there is none. `index` is the page of all targets. */
export const errorPage = (conformance: Conformance, index?: string): string =>
  String(html`<!doctype html>
<html lang="en">
${pageHead('The run could not begin')}
<body>
<main id="main">
<header id="verdict" class="verdict ${conformance.verdict}">
  <h1>The run could not begin</h1>
  <p class="sentence"><strong>${verdictSentence(conformance)}</strong></p>
  <ul>${conformance.notes.map((note) => html`<li>${note}</li>`)}</ul>
  <p>Target ${conformance.target}, <time datetime="${conformance.startedAt}">${conformance.startedAt}</time>.</p>
  ${index ? html`<p><a href="${index}">All targets</a></p>` : ''}
</header>
</main>
</body>
</html>
`);
