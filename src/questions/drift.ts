import { existsSync } from 'node:fs';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json.ts';
import { readRegularFile, writeAtomically } from '../client/files.ts';
import type { Finding } from '../redact/observation.ts';
import { type ProbeAnswer, tooManyValuesPrefix } from './answers.ts';

/**
 * Answers in `observed/<TARGET_NAME>.json`, keyed by question id: `{ "offset-unit": "pages" }`. The file holds no times and no
 * identifiers, so that a diff shows only changed behaviour.
 */
export type RecordedAnswers = Record<string, string>;

/**
 * Reads the recorded answers of a target; `{}` if the file does not exist.
 * @throws if the file is no JSON object whose values are strings
 */
export function readRecordedAnswers(file: string): RecordedAnswers {
  if (!existsSync(file)) return {};
  try {
    const recorded: unknown = JSON.parse(readRegularFile(file).toString('utf8'));
    if (isRecord(recorded) && Object.values(recorded).every((answer) => typeof answer === 'string'))
      return recorded as RecordedAnswers;
  } catch {
    // An unreadable file holds no recorded answers either.
  }
  throw new Error(
    'observed/<TARGET_NAME>.json holds no recorded answers: correct it, or remove it and set PROBES=record',
  );
}

/**
 * Adds the recorded answer, as `recorded`, to each answer that differs from it. The answer to a question with `grows: true` lists
 * the values that occurred, such as `Active, Locked`, and differs only if it has a value that is not recorded.
 */
export function markChangedAnswers(
  answers: ProbeAnswer[],
  recorded: RecordedAnswers,
  questions: Question[],
): ProbeAnswer[] {
  const growingIds = new Set(questions.flatMap(({ id, grows }) => (grows ? id : [])));
  return answers.map((answer) => {
    const recordedAnswer = isComparable(answer, recorded) ? recorded[answer.id] : undefined;
    if (recordedAnswer === undefined) return answer;
    const isChanged = growingIds.has(answer.id)
      ? hasNewValue(answer.answer, recordedAnswer)
      : isDifferent(answer.answer, recordedAnswer);
    return isChanged ? { ...answer, recorded: recordedAnswer } : answer;
  });
}

export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/**
 * Returns whether a text describes a private value, such as `a string …, shaped "Aaaa 000"` or `(code withheld)`. Two such texts
 * may differ without any change of the target, because they may come from different records.
 */
const isMasked = (text: string) => /shaped "|withheld\)|^an? (string|number)\b/.test(text);

const isDifferent = (answer: string, recordedAnswer: string) =>
  answer !== recordedAnswer && !isMasked(answer) && !isMasked(recordedAnswer);

/** Returns whether an answer has a value that the recorded answer lacks. False if the recorded answer hides some of its values. */
function hasNewValue(answer: string, recordedAnswer: string): boolean {
  const [values, recordedValues] = [splitValues(answer), splitValues(recordedAnswer)];
  const hidesValues = recordedAnswer.startsWith(tooManyValuesPrefix) || recordedValues.some(isMasked);
  if (hidesValues) return false;
  // If `CreditCard sometimes` was recorded, `CreditCard always` is no change: the run may have seen fewer tokens.
  const wasRecorded = (value: string) =>
    recordedValues.includes(value) ||
    recordedValues.includes(value.replace(/ (always|never)$/, ' sometimes'));
  return values.some((value) => !isMasked(value) && !wasRecorded(value));
}

/** Splits an answer such as `Active, Locked` at its commas. First removes patterns such as `, shaped "Aa, 00"`: they hold commas. */
const splitValues = (answer: string) => answer.replace(/, shaped "[Aa0?_\W]*"/g, '').split(', ');

/** Writes the answers, sorted by question id. A question whose answer is unknown in this run keeps its earlier answer. */
export function writeRecorded(file: string, observed: ProbeAnswer[], earlier: RecordedAnswers): void {
  const answers: [id: string, answer: string][] = [];
  for (const { id, answer, confidence } of observed) {
    const latestAnswer = confidence === 'unknown' ? earlier[id] : answer;
    if (latestAnswer !== undefined) answers.push([id, latestAnswer]);
  }
  answers.sort(([id], [otherId]) => id.localeCompare(otherId));
  writeAtomically(file, `${JSON.stringify(Object.fromEntries(answers), null, 2)}\n`);
}

export const findDrift = (answers: ProbeAnswer[]): Finding[] =>
  answers.flatMap(({ id: question, answer: actual, recorded: expected }) => {
    if (expected === undefined) return [];
    const noRequest = { requirement: '', operation: '', pointer: '', exchange: '' };
    return { kind: 'drift', ...noRequest, question, expected, actual };
  });
