import { html } from 'hono/html';
import { type Changes, kindsOf } from '../../tests/verdict/changes.ts';
import type { Verdict } from '../../tests/verdict/evaluate.ts';
import { found, having } from '../conformance.ts';
import { sentenceOf } from '../summary.ts';
import { day, type Html, prose } from './badges.ts';
import { links } from './fields.ts';
import { counts } from './operations.ts';
import { alike, type Found, gravity, type ReportModel, words } from './report-model.ts';

/** What a reader wants first: which run this is, its verdict, and what needs a look. */
export function overview(model: ReportModel): Html {
  const { conformance, contract } = model;
  return html`<header id="verdict" class="verdict ${conformance.verdict}">
    <h1>${contract.title}</h1>
    <p>${contract.summary}</p>
    <p class="sentence"><strong>${sentenceOf(conformance)}</strong></p>
    ${facts(model)}
    ${shares(model)}
  </header>
  ${notes(conformance.notes)}
  ${changes(model)}
  ${attention(model)}`;
}

function facts({ conformance }: ReportModel): Html {
  const { target, profile, startedAt, requests, durationMs, contract } = conformance;
  const moment = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return html`<dl class="facts">
    <div><dt>Target</dt><dd>${target}</dd></div>
    <div><dt>Run</dt><dd><time datetime="${startedAt}">${moment}</time> <span id="age"></span></dd></div>
    <div><dt>Profile</dt><dd>${profile}</dd></div>
    <div><dt>Asked</dt><dd>${requests} requests in ${(durationMs / 1000).toFixed(1)} s</dd></div>
    <div><dt>Contract</dt><dd><code>${contract}</code></dd></div>
  </dl>`;
}

function shares({ conformance }: ReportModel): Html {
  const { nodes, states } = conformance.coverage;
  const count = (verdict: Verdict) => having(conformance, verdict).length;
  const known = gravity.filter((verdict) => verdict !== 'unselected');
  const entries = known
    .filter(count)
    .map(
      (verdict) =>
        html`<li class="${verdict.replace(' ', '-')}"><b>${count(verdict)}</b> ${words[verdict].word}</li>`,
    );
  return html`<ul class="counts" aria-label="Requirements by standing"><li><b>${conformance.requirements.length}</b> requirements</li>${entries}</ul>
    <p>Coverage: <b>${nodes.percentage} %</b> of the fields were seen (${nodes.exercised} of ${nodes.total}),
    and ${states.percentage} % of their values and states (${states.exercised} of ${states.total}).</p>`;
}

const notes = (sentences: string[]) =>
  sentences.length === 0
    ? ''
    : html`<section aria-labelledby="notes-title" class="notes"><h2 id="notes-title">Notes on this run</h2>
        <ul>${sentences.map((note) => html`<li>${prose(note)}</li>`)}</ul></section>`;

function changes(model: ReportModel): Html | string {
  const { changes: since } = model.conformance;
  if (!since) return '';
  const kinds = kindsOf(since).filter(([, addresses]) => addresses.length > 0);
  return html`<section id="changes" aria-labelledby="changes-title"><h2 id="changes-title">Changes since ${day(since.since.startedAt)}</h2>
    ${lineage(model, since)}
    ${kinds.map(([kind, addresses]) => html`<details ${kind === 'broken' || addresses.length < 8 ? 'open' : ''}><summary>${kind} (${addresses.length})</summary>${links(model, addresses)}</details>`)}
  </section>`;
}

/** The run that was compared with, where it was not one of the same kind. */
function lineage({ conformance }: ReportModel, { since, ...kinds }: Changes): Html {
  const { target, profile, contract, startedAt, verdict } = since;
  const others = [
    target !== conformance.target && `target ${target}`,
    profile !== conformance.profile && `profile ${profile}`,
    contract !== conformance.contract && `contract ${contract}`,
  ].filter(Boolean);
  const same = Object.values(kinds).every((addresses) => addresses.length === 0);
  return html`<p>${same ? 'Nothing has changed for any requirement. ' : ''}<span class="meta">Compared with the run of
    ${startedAt.slice(0, 16).replace('T', ' ')} UTC (${verdict}${others.length > 0 ? `; ${others.join(', ')}` : ''}).</span></p>`;
}

/** Everything that is not simply verified, with links. */
function attention(model: ReportModel): Html {
  const { conformance } = model;
  const run = (['coverage', 'stale', 'server error', 'drift'] as const).flatMap((kind) =>
    found(conformance, kind),
  );
  const listed = (['error', 'blocked', 'not exercised'] as const).map((verdict) => unjudged(model, verdict));
  return html`<section id="attention" aria-labelledby="attention-title"><h2 id="attention-title">What needs a look</h2>
    ${counted('Violated', alike(found(conformance, 'violation')))}
    ${run.map(({ kind, exchange, expected, actual }) => html`<p class="note">${kind} ${exchange}: expected ${expected}; came ${actual}</p>`)}
    ${counted('Deviations, tolerated', alike(found(conformance, 'deviation')))}
    ${listed}
    ${having(conformance, 'pass').length === conformance.requirements.length ? html`<p>Nothing: each requirement is verified.</p>` : ''}
    <ul class="operations">${model.contract.operations.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a>: ${counts(model, id)}</li>`)}</ul>
  </section>`;
}

const counted = (title: string, all: Found[]) =>
  all.length === 0
    ? ''
    : html`<h3>${title} (${all.length})</h3><ul>${all.map(
        ({ first, places }) =>
          html`<li><a href="#${first.requirement}"><code>${first.requirement}</code></a>: expected ${first.expected}; came ${prose(first.actual)}${places > 1 ? ` (${places} places)` : ''}</li>`,
      )}</ul>`;

function unjudged(model: ReportModel, verdict: Verdict): Html | string {
  const addresses = having(model.conformance, verdict).map(({ address }) => address);
  if (addresses.length === 0) return '';
  const { word } = words[verdict];
  return html`<details><summary>${word} (${addresses.length})</summary>${links(model, addresses)}</details>`;
}
