import { html } from 'hono/html';
import { inWords, type ProbeAnswer } from '../../src/questions/answers.ts';
import { isAnswered } from '../last-seen.ts';
import { day } from '../lines.ts';
import { type Html, prose } from './html.ts';
import type { Model, ShownAnswer } from './model.ts';

/* Answers to open questions on the contract page. */

/**
 * Answers to open questions about an operation, a parameter, a field or a schema, where a reader looks for them.
 * @param shown ids of questions whose answers stand beside it already
 */
export function observedAt(model: Model, address: string, shown: string[] = []): Html {
  const all = (model.observed.get(address) ?? []).filter(
    (answer) => !isAnswered(answer) || !shown.includes(answer.id),
  );
  const open = all.filter((answer) => !isAnswered(answer));
  return html`${noteOf(model, 'Observed, not promised:', all.filter(isAnswered))}${noteOf(model, 'Left open by the contract, not observed:', open)}`;
}

/** An answer to an open question in words that fit it. */
export function answerText({ contract }: Model, { id, answer }: ProbeAnswer): string {
  const question = contract.questions.find((one) => one.id === id);
  const text = question ? inWords(question, answer) : answer;
  return question?.form === 'decimal' ? decimalExamples(text) : text;
}

/** Shows forms of decimals by examples: "strings such as `"0.5"`, `"500"`". */
function decimalExamples(answer: string): string {
  const forms = answer.split(', ');
  const examples = forms.flatMap((form) => {
    if (!form.endsWith(' as text')) return [];
    const [decimals] = /^\d+/.exec(form) ?? [];
    return decimals === undefined ? '`"500"`' : `\`"${(0.5).toFixed(Number(decimals))}"\``;
  });
  const others = forms.filter((form) => !form.endsWith(' as text'));
  const strings = examples.length > 0 ? [`strings such as ${examples.join(', ')}`] : [];
  return [...strings, ...others].join('; ');
}

/** What would answer a question that this run has left open. */
export function wayToAnswer({ answer, asked, evidence: [reason = ''] }: ProbeAnswer): Html {
  if (reason.includes('PROBES'))
    return html`<span class="meta">not asked in this run: PROBES=on asks it</span>`;
  return html`<span class="meta">${answer === 'unknown' ? html`${reason}; what would answer it: ${prose(asked)}` : answer}</span>`;
}

/** The date of an answer that an earlier run has got. */
export const seenAtText = ({ seenAt }: ShownAnswer): Html | '' =>
  seenAt ? html`<span class="meta">(seen <time datetime="${seenAt}">${day(seenAt)}</time>)</span>` : '';

const noteOf = (model: Model, title: string, answers: ShownAnswer[]) =>
  answers.length > 0 &&
  html`<div class="note">${title}<ul>${answers.map(
    (one) =>
      html`<li><a href="#observed/${one.id}">${prose(one.question)}</a> ${isAnswered(one) ? prose(answerText(model, one)) : wayToAnswer(one)} ${seenAtText(one)}</li>`,
  )}</ul></div>`;
