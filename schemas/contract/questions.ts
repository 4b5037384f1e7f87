import { checkShape, createContractError, type SpecFile } from './files.ts';
import type { Question } from './types.ts';

export type { Question } from './types.ts';

/** Checks `questions.yaml`, and that no `id` occurs twice. @throws {ContractError} with the line of the first mistake. */
export function readQuestions(file: SpecFile): Question[] {
  checkShape(file, 'questions');
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries())
    if (questions.findIndex((earlierQuestion) => earlierQuestion.id === id) < index)
      throw createContractError(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  return questions;
}
