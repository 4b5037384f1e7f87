import { checkShape, closedObject, createContractError, type SpecFile, textSchema } from './files.ts';
import type { Question } from './types.ts';

export type { Question } from './types.ts';

const textList = { type: 'array', minItems: 1, items: textSchema, title: 'a list' };
const flagSchema = { const: true, title: 'true, or left out' };

const questionsSchema = {
  type: 'array',
  title: 'a list of questions',
  items: closedObject({
    id: { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', title: 'a name of small letters and hyphens' },
    section: { type: 'string', pattern: '^[1-9](\\.[1-9])?$', title: 'a section of the contract, as "2.1"' },
    question: { type: 'string', pattern: '^[A-Z].*\\?$', title: 'a sentence that ends in a question mark' },
    asked: textSchema,
    answers: textList,
    'unaskable?': flagSchema,
    'grows?': flagSchema,
    'requests?': textList,
    'accept?': textSchema,
    'anonymous?': flagSchema,
    'ordinary?': flagSchema,
    'compare?': { enum: ['record', 'list', 'rules', 'media type'] },
    'headers?': textSchema,
    'words?': textSchema,
    'values?': textList,
    'form?': { enum: ['word', 'flag', 'message', 'decimal', 'card number', 'token'] },
    'attention?': { type: 'object', additionalProperties: textSchema },
    'says?': { type: 'object', additionalProperties: textSchema },
  }),
};

/** Parses `questions.yaml`. @throws {ContractError} with the line of the first mistake. */
export function readQuestions(file: SpecFile): Question[] {
  checkShape(file, questionsSchema);
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries())
    if (questions.findIndex((earlierQuestion) => earlierQuestion.id === id) < index)
      throw createContractError(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  return questions;
}
