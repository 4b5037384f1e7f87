import type { Contract } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { headers } from './answers/headers.ts';
import { treatment } from './answers/treatment.ts';
import { listings } from './answers/values.ts';
import { decisive, IndecisiveError } from './decisive.ts';
import { commonTallied } from './digest/places.ts';
import { type Evidence, type Inference, type InferredAnswer, unknown } from './evidence.ts';
import type { OperationQuestions } from './operation-questions.ts';

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

/** How each question is answered: what the operations say, and what is about every answer. */
export function inferencesFor(
  contract: Contract,
  questions: OperationQuestions[],
): Record<string, Inference> {
  const common = { ...headers, ...treatment, ...listings(commonTallied(contract)) };
  const own = questions.map(({ tallied = {}, inferences }) => ({ ...listings(tallied), ...inferences }));
  return Object.assign({}, common, ...own);
}

/** Answers each question, in the order of the list. @throws when there is no way to answer one. */
export function answerAll(
  questions: Question[],
  evidence: Evidence,
  operations: OperationQuestions[],
): ProbeAnswer[] {
  const inferences = inferencesFor(evidence.contract, operations);
  const lasting = decisive(evidence);
  return questions.map((question) => {
    const { id, section, question: text, asked } = question;
    return { id, section, question: text, asked, ...answerTo(question, lasting, inferences[id]) };
  });
}

function answerTo(
  { id, asked, answers, unaskable }: Question,
  evidence: Evidence,
  infer: Inference | undefined,
): InferredAnswer {
  if (unaskable) return { answer: answers[0] ?? '', confidence: 'unknown', evidence: [asked] };
  if (!infer)
    throw new Error(`no file of tests/exchanges or tests/probes/answers answers the question ${id}`);
  return shown(attempt(infer, evidence), evidence);
}

/** An inference that fails says nothing, and costs no other its answer. */
export function attempt(infer: Inference, evidence: Evidence): InferredAnswer {
  try {
    return infer(evidence);
  } catch (error) {
    return error instanceof IndecisiveError ? error.answer : unknown('an answer could not be read');
  }
}

/** An answer as it may be written: what is quoted in it, only if it may be shown. */
const shown = (answered: InferredAnswer, { disclosure }: Evidence): InferredAnswer => ({
  ...answered,
  answer: disclosure.render(answered.answer),
});
