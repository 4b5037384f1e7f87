import { ContractError, readSpec } from './contract.ts';
import { isObject } from './json.ts';
import { parseYaml } from './yaml.ts';

/** Something that the contract leaves open; see the head of `spec/questions.yaml`. */
export interface Question {
  id: string;
  section: string;
  question: string;
  asked: string;
  answers: string[];
  unaskable?: true;
  grows?: true;
}

const file = 'questions.yaml';
let loaded: Question[] | undefined;

/** What the contract leaves open, read once a process. @throws {ContractError} */
export function loadQuestions(): Question[] {
  loaded ??= buildQuestions(readSpec(file));
  return loaded;
}

/** Reads the text of `questions.yaml`. @throws {ContractError} naming the question and what is wrong with it. */
export function buildQuestions(text: string): Question[] {
  const questions = parseYaml(file, text);
  if (!Array.isArray(questions)) throw new ContractError(`spec/${file}: needs a list of questions`);
  const ids = questions.map((question) => question?.id);
  for (const [index, question] of questions.entries()) {
    const mistake = ids.indexOf(ids[index]) < index ? 'its id is taken' : mistakeOf(question);
    if (mistake)
      throw new ContractError(`spec/${file}: ${ids[index] ?? `question ${index + 1}`}: ${mistake}`);
  }
  return questions;
}

const texts: Record<string, RegExp> = {
  id: /^[a-z]+(-[a-z]+)*$/,
  section: /^[1-9](\.[1-9])?$/,
  question: /^[A-Z].*\?$/,
  asked: /^[A-Z].*\.$/,
};

function mistakeOf(question: unknown): string | undefined {
  if (!isObject(question)) return 'is not an object';
  const known = [...Object.keys(texts), 'answers', 'unaskable', 'grows'];
  const stranger = Object.keys(question).find((name) => !known.includes(name));
  if (stranger) return `has an unknown member ${stranger}`;
  const wrong = Object.keys(texts).find((name) => !texts[name]?.test(String(question[name])));
  if (wrong) return `needs ${wrong} as ${texts[wrong]?.source}`;
  const { answers, unaskable = true, grows = true } = question;
  if (unaskable !== true || grows !== true) return 'unaskable and grows are true, or left out';
  const named = Array.isArray(answers) && answers.every((answer) => typeof answer === 'string' && answer);
  return named && answers.length > 0 ? undefined : 'needs a list of answers, each of them text';
}
