import { existsSync } from 'node:fs';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json.ts';
import { readRegularFile, writeAtomically } from '../client/files.ts';
import type { Finding } from '../redact/observation.ts';
import { type ProbeAnswer, tooManyValuesPrefix } from './answers.ts';

/** Answers in `observed/<TARGET_NAME>.json`, keyed by question id: `{ "offset-unit": "pages" }`. Holds no times, no identifiers. */
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

/** Returns the answers, and sets `recorded` of each answer that has changed since it was recorded: `pages`, recorded as `records`. */
export function markChangedAnswers(
  answers: ProbeAnswer[],
  recorded: RecordedAnswers,
  questions: Question[],
): ProbeAnswer[] {
  const growingQuestions = questions.filter(({ grows }) => grows);
  const growingIds = new Set(growingQuestions.map(({ id }) => id));
  return answers.map((answer) => {
    const recordedAnswer = isComparable(answer, recorded) ? recorded[answer.id] : undefined;
    if (recordedAnswer === undefined) return answer;
    // An answer that lists the values seen, such as `Active, Locked`, may lack a value in this run. Only a new value is a change.
    const isChanged = growingIds.has(answer.id)
      ? hasNewValue(answer.answer, recordedAnswer)
      : isDifferent(answer.answer, recordedAnswer);
    return isChanged ? { ...answer, recorded: recordedAnswer } : answer;
  });
}

export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/**
 * Returns whether a text stands for a value that reports must not show: `a string …, shaped "Aaaa 000"`, `(code withheld)`.
 * If two such texts differ, they may only come from different records.
 */
const isMasked = (text: string) => /shaped "|withheld\)|^an? (string|number)\b/.test(text);

const isDifferent = (answer: string, recordedAnswer: string) =>
  answer !== recordedAnswer && !isMasked(answer) && !isMasked(recordedAnswer);

/** Returns whether an answer lists a value that the recorded answer lacks: `Locked` in `Active, Locked`, recorded as `Active`. */
function hasNewValue(answer: string, recordedAnswer: string): boolean {
  const recordedValues = splitValues(recordedAnswer);
  // The recorded answer does not name all of its values, so any value may be one of them.
  if (recordedAnswer.startsWith(tooManyValuesPrefix) || recordedValues.some(isMasked)) return false;
  const wasRecorded = (value: string) => {
    // If `CreditCard sometimes` was recorded, `CreditCard always` is no change: the run may have seen fewer tokens.
    const valueIfSometimes = value.replace(/ (always|never)$/, ' sometimes');
    return recordedValues.includes(value) || recordedValues.includes(valueIfSometimes);
  };
  return splitValues(answer).some((value) => !isMasked(value) && !wasRecorded(value));
}

/** Splits an answer into its values: `Active, Locked` into `Active` and `Locked`. */
function splitValues(answer: string): string[] {
  // A text such as `, shaped "Aa, 00"` has commas that separate no values.
  const answerWithoutShapes = answer.replace(/, shaped "[Aa0?_\W]*"/g, '');
  return answerWithoutShapes.split(', ');
}

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

export function findDrift(answers: ProbeAnswer[]): Finding[] {
  const drift: Finding[] = [];
  for (const { id: question, answer: actual, recorded: expected } of answers) {
    if (expected === undefined) continue;
    // A changed answer is not about one request.
    const noRequest = { requirement: '', operation: '', pointer: '', exchange: '' };
    drift.push({ kind: 'drift', ...noRequest, question, expected, actual });
  }
  return drift;
}
