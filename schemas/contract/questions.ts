import { checkShape, closed } from './shape.ts';
import { mistakeAt, readYaml } from './yaml.ts';

/** Something that the contract leaves open; see the head of `spec/questions.yaml`. */
export interface Question {
  id: string;
  section: string;
  question: string;
  asked: string;
  answers: string[];
  unaskable?: true;
  grows?: true;
  records?: true;
  /** What the answer must be where these questions have these answers in the recorded file. */
  follows?: { from: Record<string, string[]>; answer: string };
}

const matching = (pattern: string, title: string) => ({ type: 'string', pattern, title });

const shape = {
  type: 'array',
  title: 'a list of questions',
  items: closed({
    id: matching('^[a-z]+(-[a-z]+)*$', 'a name of small letters and hyphens'),
    section: matching('^[1-9](\\.[1-9])?$', 'a section of the contract, as "2.1"'),
    question: matching('^[A-Z].*\\?$', 'a sentence that ends in a question mark'),
    asked: matching('^[A-Z].*\\.$', 'a sentence'),
    answers: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      title: 'a list of answers',
    },
    'unaskable?': { const: true, title: 'true, or left out' },
    'grows?': { const: true, title: 'true, or left out' },
    'records?': { const: true, title: 'true, or left out' },
    'follows?': closed({
      from: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      answer: { type: 'string', minLength: 1, title: 'an answer' },
    }),
  }),
};

/** Reads `questions.yaml`. @throws {ContractError} with the line of the first mistake. */
export function readQuestions(content: string): Question[] {
  const file = readYaml('questions.yaml', content);
  checkShape(file, shape);
  const questions = file.value as Question[];
  for (const [index, { id }] of questions.entries())
    if (questions.findIndex((other) => other.id === id) < index)
      throw mistakeAt(file, [index, 'id'], `the id ${id} is taken; choose another one`);
  return questions;
}
