import { checkFileSchema, createContractError, type SpecFile } from './files.ts';
import type { Question } from './types.ts';

export type { Question } from './types.ts';

/** Checks and returns the questions of `questions.yaml`. @throws {ContractError} at the first mistake, such as a repeated `id` */
export function readQuestions(file: SpecFile): Question[] {
  checkFileSchema(file, 'questions');
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries()) {
    const earlierQuestions = questions.slice(0, index);
    const isTaken = earlierQuestions.some((earlierQuestion) => earlierQuestion.id === id);
    if (isTaken) throw createContractError(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  }
  return questions;
}
