import { checkFileSchema, createContractError, type SpecFile } from './files.ts';
import type { Question } from './types.ts';

export type { Question } from './types.ts';

/** Checks `questions.yaml`, and that no `id` occurs twice. @throws {ContractError} with the line of the first mistake. */
export function readQuestions(file: SpecFile): Question[] {
  checkFileSchema(file, 'questions');
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries()) {
    const firstIndex = questions.findIndex((question) => question.id === id);
    if (firstIndex < index)
      throw createContractError(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  }
  return questions;
}
