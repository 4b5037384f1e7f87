import { html } from 'hono/html';
import { relatedPlaces } from '../../schemas/contract/check-validation.ts';
import type { Schema } from '../../schemas/contract/contract.ts';
import { addressOf, expectation, type Node } from '../../schemas/contract/nodes.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import { statesOf, valueState } from '../../schemas/contract/states.ts';
import { times } from '../../schemas/counted.ts';
import { isJudged, notSelected } from '../../tests/verdict/verdicts.ts';
import { ledgerText } from '../entries.ts';
import { badge, type Html, linkTo } from './badges.ts';
import { type ReportModel, verdictAt } from './report-model.ts';

/** What a value is, with a link to the schema that describes it, if that has a name. */
export function type(schema: Schema): Html {
  const component = schema['x-component'];
  const link = component && html` <a class="component" href="#schemas/${component}">${component}</a>`;
  return html`<p class="type">${expectation(schema)}${link}</p>`;
}

/** What holds where a field is left out. */
export const byDefault = ({ default: value }: Schema) =>
  value === undefined ? '' : html`<p>Default <code>${String(value)}</code>.</p>`;

/** Whether a field has to be there and, if not, how often it was. */
export function presence({ seen, result }: ReportModel, node: Node): string {
  if (node.kind !== 'field') return '';
  const states = statesOf(node).presence;
  if (!states) return 'required';
  const address = addressOf(node.operation, node.pointer);
  const [present, absent] = [seen(states.present), seen(states.absent)];
  if (!isJudged(result(address)?.verdict) || present + absent === 0) return 'optional';
  return present === 0
    ? `optional: never present, absent ${times(absent)}`
    : `optional: present ${times(present)}, absent ${times(absent)}`;
}

/** Each known value with how often it was met. */
export function values(model: ReportModel, address: string, known: unknown[], word: string): Html | string {
  if (known.length === 0) return '';
  const open = ['blocked', notSelected].includes(verdictAt(model, address));
  const entry = (value: unknown) => {
    const state = valueState(address, value);
    const count = model.seen(state);
    const mark =
      count > 0 ? html`<span class="mark pass">${word} ${times(count)}</span>` : unseen(open, word);
    return html`<li id="${state.replaceAll(' ', '')}"><code>${String(value)}</code> ${mark}</li>`;
  };
  return html`<ul class="values">${known.map(entry)}</ul>`;
}

const unseen = (open: boolean, word: string) =>
  open ? badge(notSelected) : html`<span class="mark not-exercised">never ${word}</span>`;

/** The rules between answers that compare a field with another, or with itself. */
export function related(model: ReportModel, address: string): Html[] {
  const rules = model.contract.operations.flatMap((operation) =>
    operation.rules
      .filter(({ check }) => relatedPlaces(check, operation.id).includes(address))
      .map((rule) => ruleAddress(operation.id, rule)),
  );
  return rules.map((rule) => html`<p class="note">Related by ${linkTo(model, rule)}</p>`);
}

/** What the ledger tolerates here, whether this run has met it or not. */
export function tolerated({ conformance, result, ledger }: ReportModel, address: string): Html[] {
  // A deviation that was met says so itself.
  if (result(address)?.verdict === 'deviation') return [];
  return ledger
    .filter(
      ({ requirement, target }) => requirement === address && (!target || target === conformance.target),
    )
    .map(
      (entry) =>
        html`<p class="note">Known to deviate: ${entry.because} (${ledgerText({ ledger: entry })})</p>`,
    );
}
