import { html } from 'hono/html';
import { type ProbeAnswer, phraseAnswer } from '../../src/questions/answers.ts';
import { isAnswered } from '../last-seen.ts';
import { formatDay } from '../lines.ts';
import { type Html, prose } from './html.ts';
import type { Model, ShownAnswer } from './model.ts';

/* Answers to open questions, as the contract page shows them. */

/**
 * Renders the answers to open questions about an operation, a parameter, a field or a schema.
 * @param shownIds ids of questions whose answers the page shows elsewhere
 */
export function renderObservedAt(model: Model, address: string, shownIds: string[] = []): Html {
  const answers = (model.observed.get(address) ?? []).filter(
    (answer) => !isAnswered(answer) || !shownIds.includes(answer.id),
  );
  const openQuestions = answers.filter((answer) => !isAnswered(answer));
  return html`${renderNote(model, 'Observed, not promised:', answers.filter(isAnswered))}${renderNote(model, 'Left open by the contract, not observed:', openQuestions)}`;
}

/** Formats an answer in the words of its question (`says` of `spec/questions.yaml`). */
export function answerText({ contract }: Model, { id, answer }: ProbeAnswer): string {
  const question = contract.questions.find((candidate) => candidate.id === id);
  const text = question ? phraseAnswer(question, answer) : answer;
  return question?.form === 'decimal' ? formatDecimalExamples(text) : text;
}

/** Formats the forms of decimals as examples: "strings such as `"0.5"`, `"500"`". */
function formatDecimalExamples(answer: string): string {
  const forms = answer.split(', ');
  const examples = forms.flatMap((form) => {
    if (!form.endsWith(' as text')) return [];
    const [decimals] = /^\d+/.exec(form) ?? [];
    return decimals === undefined ? '`"500"`' : `\`"${(0.5).toFixed(Number(decimals))}"\``;
  });
  const otherForms = forms.filter((form) => !form.endsWith(' as text'));
  const strings = examples.length > 0 ? [`strings such as ${examples.join(', ')}`] : [];
  return [...strings, ...otherForms].join('; ');
}

/** Explains how a question that this run left open could be answered. */
export function renderWayToAnswer({ answer, asked: method, evidence: [reason = ''] }: ProbeAnswer): Html {
  if (reason.includes('PROBES'))
    return html`<span class="meta">not asked in this run: PROBES=on asks it</span>`;
  return html`<span class="meta">${answer === 'unknown' ? html`${reason}; what would answer it: ${prose(method)}` : answer}</span>`;
}

/** Renders the date of an answer from an earlier run. */
export const renderSeenAt = ({ seenAt }: ShownAnswer): Html | '' =>
  seenAt ? html`<span class="meta">(seen <time datetime="${seenAt}">${formatDay(seenAt)}</time>)</span>` : '';

const renderNote = (model: Model, title: string, answers: ShownAnswer[]) =>
  answers.length > 0 &&
  html`<div class="note">${title}<ul>${answers.map(
    (answer) =>
      html`<li><a href="#observed/${answer.id}">${prose(answer.question)}</a> ${isAnswered(answer) ? prose(answerText(model, answer)) : renderWayToAnswer(answer)} ${renderSeenAt(answer)}</li>`,
  )}</ul></div>`;
