import type { Question } from '../../schemas/questions.ts';
import { headers } from './answers/headers.ts';
import { pages } from './answers/pages.ts';
import { sources } from './answers/sources.ts';
import { treatment } from './answers/treatment.ts';
import { values } from './answers/values.ts';
import { type Evidence, type Inference, type InferredAnswer, unknown } from './evidence.ts';

/** What was observed of something that the contract leaves open. */
export interface ProbeAnswer extends InferredAnswer {
  id: string;
  section: string;
  question: string;
  /** How the suite finds out. */
  asked: string;
  /** The answer in the recorded file, when this is another one. */
  recorded?: string;
}

const inferences: Record<string, Inference> = {
  ...headers,
  ...pages,
  ...sources,
  ...treatment,
  ...values,
};

/** Answers each question, in the order of the list. @throws when there is no way to answer one. */
export const answerAll = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((question) => {
    const { id, section, question: text, asked } = question;
    return { id, section, question: text, asked, ...answerTo(question, evidence) };
  });

function answerTo({ id, asked, answers, unaskable }: Question, evidence: Evidence): InferredAnswer {
  if (unaskable) return { answer: answers[0] ?? '', confidence: 'unknown', evidence: [asked] };
  const infer = inferences[id];
  if (!infer) throw new Error(`nothing in tests/probes/answers answers the question ${id}`);
  return shown(attempt(infer, evidence), evidence);
}

/** An inference that fails says nothing, and costs no other its answer. */
export function attempt(infer: Inference, evidence: Evidence): InferredAnswer {
  try {
    return infer(evidence);
  } catch {
    return unknown('an answer could not be read');
  }
}

/** An answer as it may be written: what is quoted in it, only if it may be shown. */
const shown = (answered: InferredAnswer, { disclosure }: Evidence): InferredAnswer => ({
  ...answered,
  answer: disclosure.render(answered.answer),
});

/** Ids of the questions that can be answered. */
export const answerable = Object.keys(inferences);
