import { checkFileSchema, createContractError, type SpecFile } from './files.ts';
import type { Question } from './types.ts';

export type { Question } from './types.ts';

/** Checks `questions.yaml`, in which no two questions may have the same `id`. @throws {ContractError} at the first mistake. */
export function readQuestions(file: SpecFile): Question[] {
  checkFileSchema(file, 'questions');
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries()) {
    const isTaken = questions.slice(0, index).some((earlierQuestion) => earlierQuestion.id === id);
    if (isTaken) throw createContractError(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  }
  return questions;
}
