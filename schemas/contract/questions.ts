import { checkShape, closed, mistakeAt, type SpecFile, text } from './files.ts';
import type { Question } from './types.ts';

export type { Question } from './types.ts';

const texts = { type: 'array', minItems: 1, items: text, title: 'a list' };
const flag = { const: true, title: 'true, or left out' };

const shape = {
  type: 'array',
  title: 'a list of questions',
  items: closed({
    id: { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', title: 'a name of small letters and hyphens' },
    section: { type: 'string', pattern: '^[1-9](\\.[1-9])?$', title: 'a section of the contract, as "2.1"' },
    question: { type: 'string', pattern: '^[A-Z].*\\?$', title: 'a sentence that ends in a question mark' },
    asked: text,
    answers: texts,
    'unaskable?': flag,
    'grows?': flag,
    'requests?': texts,
    'accept?': text,
    'anonymous?': flag,
    'ordinary?': flag,
    'compare?': { enum: ['record', 'list', 'rules', 'media type'] },
    'headers?': text,
    'words?': text,
    'values?': texts,
    'form?': { enum: ['word', 'flag', 'message', 'decimal', 'card number', 'token'] },
    'says?': { type: 'object', additionalProperties: text },
  }),
};

/** Reads `questions.yaml`. @throws {ContractError} with the line of the first mistake. */
export function readQuestions(file: SpecFile): Question[] {
  checkShape(file, shape);
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries())
    if (questions.findIndex((other) => other.id === id) < index)
      throw mistakeAt(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  return questions;
}
