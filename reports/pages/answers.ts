import { html } from 'hono/html';
import { type ProbeAnswer, phraseAnswer } from '../../src/questions/answers.ts';
import { isAnswered } from '../last-seen.ts';
import { formatDay } from '../lines.ts';
import { type Html, renderProse } from './html.ts';
import { type ContractPageData, hasResults, type ShownAnswer } from './page-data.ts';

/* Answers to open questions, as the contract page shows them. */

/**
 * Renders the open questions about an address, with their answers.
 * @param address place in the contract, such as `listCustomers/parameters/limit`
 * @param omittedIds ids of answered questions to leave out
 */
export function renderAnswersAt(page: ContractPageData, address: string, omittedIds: string[] = []): Html {
  const questions = page.answersByAddress.get(address) ?? [];
  const unanswered = questions.filter((question) => !isAnswered(question));
  const answered = questions.filter((question) => isAnswered(question));
  const shownAnswers = answered.filter(({ id }) => !omittedIds.includes(id));
  return html`${renderNote(page, formatObservedTitle(page), shownAnswers)}${renderOpenQuestions(page, unanswered)}`;
}

export const formatObservedTitle = ({ run }: ContractPageData): string =>
  run.mock ? 'Observed on the mock, not promised:' : 'Observed, not promised:';

export const mockNote =
  "This run judged the suite's own mock server. What is observed describes the mock, not the real API.";

/** Formats the answer to a question in words for a reader. For example, "refused as 404" becomes "rejected with HTTP 404". */
export function formatAnswer({ contract }: ContractPageData, { id, answer }: ProbeAnswer): string {
  const question = contract.questions.find((candidate) => candidate.id === id);
  if (!question) return answer;
  const text = phraseAnswer(question, answer);
  return question.form === 'decimal' ? formatDecimalExamples(text) : text;
}

/**
 * Formats the forms in which a decimal occurred. Each form that ends with "as text" becomes an example of a string.
 * For example, "1 decimal as text, a number" becomes "strings such as `"0.5"`; a number".
 * @param answer list of forms, separated by ", "
 */
function formatDecimalExamples(answer: string): string {
  const forms = answer.split(', ');
  const stringForms = forms.filter((form) => form.endsWith(' as text'));
  const otherForms = forms.filter((form) => !form.endsWith(' as text'));
  if (stringForms.length === 0) return otherForms.join('; ');
  const examples = stringForms.map((form) => `\`"${createNumberExample(form)}"\``);
  return [`strings such as ${examples.join(', ')}`, ...otherForms].join('; ');
}

function createNumberExample(form: string): string {
  const [decimalCount] = /^\d+/.exec(form) ?? [];
  const isInteger = decimalCount === undefined;
  return isInteger ? '500' : (0.5).toFixed(Number(decimalCount));
}

/**
 * Renders the reason why a question has no answer.
 * If the answer needs a probe, and `PROBES` was off, the text is "not requested in this run: set PROBES=on".
 * If no request can answer the question, the text is the `answer`, such as "not to be found out by reading".
 * For any other question, the text is the reason in `evidence`, and how the suite would find the answer.
 */
export function explainMissingAnswer({ answer, asked: method, evidence: [reason = ''] }: ProbeAnswer): Html {
  const needsProbes = reason.includes('PROBES');
  if (needsProbes) return html`<span class="meta">not requested in this run: set PROBES=on</span>`;
  const isAnswerable = answer === 'unknown';
  const text = isAnswerable ? html`${reason}; what would answer it: ${renderProse(method)}` : answer;
  return html`<span class="meta">${text}</span>`;
}

/** Renders the day of an answer from an earlier run: "(seen 2026-11-22)". For an answer of the shown run, the text is empty. */
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
