import { html } from 'hono/html';
import { type ProbeAnswer, phraseAnswer } from '../../src/questions/answers.ts';
import { isAnswered } from '../last-seen.ts';
import { formatDay } from '../lines.ts';
import { type Html, renderProse } from './html.ts';
import { type ContractPageData, hasResults, type ShownAnswer } from './page-data.ts';

/* Answers to open questions, as the contract page shows them. */

/** Renders the answered, then the unanswered questions about an address. @param omittedIds ids such as `offset-unit` to leave out */
export function renderAnswersAt(page: ContractPageData, address: string, omittedIds: string[] = []): Html {
  const answers = page.answersByAddress.get(address) ?? [];
  const unanswered = answers.filter((answer) => !isAnswered(answer));
  const answered = answers.filter((answer) => isAnswered(answer) && !omittedIds.includes(answer.id));
  return html`${renderNote(page, formatObservedTitle(page), answered)}${renderOpenQuestions(page, unanswered)}`;
}

export const formatObservedTitle = ({ run }: ContractPageData): string =>
  run.mock ? 'Observed on the mock, not promised:' : 'Observed, not promised:';

export const mockNote =
  "This run judged the suite's own mock server. What is observed describes the mock, not the real API.";

/** Returns the phrase that `says` in `spec/questions.yaml` gives for an answer; without `says`, the answer itself. */
export function formatAnswer({ contract }: ContractPageData, { id, answer }: ProbeAnswer): string {
  const question = contract.questions.find((candidate) => candidate.id === id);
  const text = question ? phraseAnswer(question, answer) : answer;
  return question?.form === 'decimal' ? formatDecimalExamples(text) : text;
}

/** Replaces "1 decimal as text" in an answer by an example with one decimal: "strings such as `"0.5"`". */
function formatDecimalExamples(answer: string): string {
  const forms = answer.split(', ');
  const stringForms = forms.filter((form) => form.endsWith(' as text'));
  const otherForms = forms.filter((form) => !form.endsWith(' as text'));
  const integerExample = '500';
  const decimalExample = 0.5;
  const examples = stringForms.map((form) => {
    const [decimalCount] = /^\d+/.exec(form) ?? [];
    const example =
      decimalCount === undefined ? integerExample : decimalExample.toFixed(Number(decimalCount));
    return `\`"${example}"\``;
  });
  const strings = examples.length > 0 ? [`strings such as ${examples.join(', ')}`] : [];
  return [...strings, ...otherForms].join('; ');
}

/** Renders why a question has no answer, and what would answer it. If no request can answer it, renders `answer`, which says so. */
export function explainMissingAnswer({ answer, asked: method, evidence: [reason = ''] }: ProbeAnswer): Html {
  const needsProbes = reason.includes('PROBES');
  if (needsProbes) return html`<span class="meta">not requested in this run: set PROBES=on</span>`;
  const text = answer === 'unknown' ? html`${reason}; what would answer it: ${renderProse(method)}` : answer;
  return html`<span class="meta">${text}</span>`;
}

/** Renders "(seen 2026-11-22)"; empty for an answer of the shown run. */
export const renderSeenAt = ({ seenAt }: ShownAnswer): Html | '' =>
  seenAt ? html`<span class="meta">(seen <time datetime="${seenAt}">${formatDay(seenAt)}</time>)</span>` : '';

const renderNote = (page: ContractPageData, title: string, answers: ShownAnswer[]) =>
  answers.length > 0 && html`<div class="note">${title}${renderQuestions(page, answers)}</div>`;

const maxUnfoldedQuestions = 3;

function renderOpenQuestions(page: ContractPageData, questions: ShownAnswer[]): Html | false {
  if (!hasResults(page)) return false;
  const title = 'Left open by the contract, not observed:';
  if (questions.length <= maxUnfoldedQuestions) return renderNote(page, title, questions);
  return html`<details class="note"><summary>${title} ${questions.length} questions</summary>${renderQuestions(page, questions)}</details>`;
}

const renderQuestions = (page: ContractPageData, answers: ShownAnswer[]): Html =>
  html`<ul>${answers.map((answer) => renderQuestion(page, answer))}</ul>`;

export function renderQuestion(page: ContractPageData, answer: ShownAnswer): Html {
  const answerText = isAnswered(answer)
    ? renderProse(formatAnswer(page, answer))
    : explainMissingAnswer(answer);
  return html`<li><a href="#observed/${answer.id}">${renderProse(answer.question)}</a> ${answerText} ${renderSeenAt(answer)}</li>`;
}
