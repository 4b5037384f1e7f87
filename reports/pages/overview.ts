import { html } from 'hono/html';
import { verdictSentence } from '../../tests/verdict/sentence.ts';
import { countByVerdict, verdictWord } from '../../tests/verdict/verdicts.ts';
import { minute } from '../moments.ts';
import { sweepLines } from '../summary.ts';
import { basisOf, trafficLines } from '../traffic.ts';
import { attention } from './attention.ts';
import { type Html, prose } from './badges.ts';
import { changesSection } from './changes.ts';
import type { ReportModel } from './report-model.ts';

/** What a reader needs first: which run this is, and its verdict. */
export function verdictHeader(model: ReportModel): Html {
  const { conformance, contract } = model;
  return html`<header id="verdict" class="verdict ${conformance.verdict}">
    <h1>${contract.title}</h1>
    <p>${contract.summary}</p>
    <p class="sentence"><strong>${verdictSentence(conformance)}</strong></p>
    ${facts(model)}
    ${shares(model)}
  </header>`;
}

/** What there is to say of the run as a whole: what changed, what needs a look, and what it rests on. */
export const overview = (model: ReportModel): Html => html`${changesSection(model)}
  ${attention(model)}
  ${sentences('traffic', 'Recorded traffic', trafficLines(model.conformance))}
  ${sentences('sweep', 'Sweep', sweepLines(model.conformance))}
  ${sentences('notes', 'Notes on this run', model.conformance.notes)}`;

function facts({ conformance }: ReportModel): Html {
  const { target, profile, startedAt, traffic, durationMs, contract } = conformance;
  return html`<dl class="facts">
    <div><dt>Target</dt><dd>${target}</dd></div>
    <div><dt>Run</dt><dd><time datetime="${startedAt}">${minute(startedAt)}</time> <span id="age"></span></dd></div>
    <div><dt>Profile</dt><dd>${profile}</dd></div>
    <div><dt>${traffic ? 'Read' : 'Asked'}</dt><dd>${basisOf(conformance)} in ${(durationMs / 1000).toFixed(1)} s</dd></div>
    <div><dt>Contract</dt><dd><code>${contract}</code></dd></div>
  </dl>`;
}

function shares({ conformance }: ReportModel): Html {
  const { requirements, selection } = conformance;
  const entries = countByVerdict(requirements).map(
    ([verdict, count]) =>
      html`<li class="${verdict.replace(' ', '-')}"><b>${count}</b> ${verdictWord(verdict, count)}</li>`,
  );
  const of = selection ? ` of ${selection.total}, selected` : '';
  return html`<ul class="counts" aria-label="Requirements by verdict"><li><b>${requirements.length}</b> requirements${of}</li>${entries}</ul>
    ${coverage(conformance.coverage)}`;
}

/** What was judged, and of that what was never there: in place of a field may always stand another one. */
function coverage({ nodes, states, fields }: ReportModel['conformance']['coverage']): Html {
  const absent = fields?.neverPresent.length ?? 0;
  return html`<p>Coverage: <b>${nodes.percentage} %</b> of the fields were judged (${nodes.exercised} of ${nodes.total})${absent > 0 ? `, ${absent} of them never present` : ''}.
    ${states.percentage} % of their values and states, and of the values of parameters, were seen (${states.exercised} of ${states.total}).</p>`;
}

const sentences = (id: string, title: string, all: string[]) =>
  all.length === 0
    ? ''
    : html`<section aria-labelledby="${id}-title" class="notes"><h2 id="${id}-title">${title}</h2>
        <ul>${all.map((note) => html`<li>${prose(note)}</li>`)}</ul></section>`;
