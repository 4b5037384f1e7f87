import { html } from 'hono/html';
import { changesOf, tolerationOf } from '../changes.ts';
import { day, minute } from '../moments.ts';
import { type Html, linkTo } from './badges.ts';
import type { ReportModel } from './report-model.ts';

/** What has changed since the run that was compared with. */
export function changesSection(model: ReportModel): Html | string {
  const { changes } = model.conformance;
  if (!changes) return '';
  return html`<section id="changes" aria-labelledby="changes-title"><h2 id="changes-title">Changes since ${day(changes.since.startedAt)}</h2>
    ${lineage(model)}
    ${changesOf(model.conformance).map(
      ([
        kind,
        addresses,
      ]) => html`<details ${kind === 'broken' || addresses.length < 8 ? 'open' : ''}><summary>${kind} (${addresses.length})</summary>
      <ul class="places">${addresses.map((address) => html`<li>${linkTo(model, address)}${by(model, kind, address)}</li>`)}</ul></details>`,
    )}
  </section>`;
}

function by({ conformance }: ReportModel, kind: string, address: string): Html | string {
  const entry = kind === 'newly tolerated' ? tolerationOf(conformance, address) : '';
  return entry ? html` <span class="meta">${entry}</span>` : '';
}

/** The run that was compared with, and in what it was not one of the same kind. */
function lineage({ conformance }: ReportModel): Html {
  const {
    target = '',
    profile = '',
    contract = '',
    startedAt = '',
    verdict = '',
  } = conformance.changes?.since ?? {};
  const others = [
    target !== conformance.target && `target ${target}`,
    profile !== conformance.profile && `profile ${profile}`,
    contract !== conformance.contract && `contract ${contract}`,
  ].filter(Boolean);
  const same = changesOf(conformance).length === 0;
  return html`<p>${same ? 'Nothing has changed for any requirement. ' : ''}<span class="meta">Compared with the run of
    ${minute(startedAt)} (${verdict}${others.length > 0 ? `; ${others.join(', ')}` : ''}).</span></p>`;
}
