import { existsSync } from 'node:fs';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json.ts';
import { readRegularFile, writeAtomically } from '../client/files.ts';
import type { Finding } from '../redact/observation.ts';
import { type ProbeAnswer, tooManyValues } from './answers.ts';

/**
 * Answers that `PROBES=record` has written, keyed by id of the question: `{ "offset-unit": "pages" }`. They hold no times and no
 * identifiers, so that a diff of the file shows only changed behaviour.
 */
export type RecordedAnswers = Record<string, string>;

/**
 * Reads the recorded answers from `observed/<TARGET_NAME>.json`; `{}` if the file is missing.
 * @throws if the file exists, but cannot be read as a JSON object of texts
 */
export function readRecorded(file: string): RecordedAnswers {
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
 * Adds the recorded answer (`recorded`) to each answer that differs from it, and returns the other answers unchanged. For a
 * question with `grows: true`, whose answer lists values, only a value that was not recorded is a difference.
 */
export function addChanged(
  observed: ProbeAnswer[],
  recorded: RecordedAnswers,
  questions: Question[],
): ProbeAnswer[] {
  const growingIds = new Set(questions.flatMap(({ id, grows }) => (grows ? id : [])));
  return observed.map((answer) => {
    const before = isComparable(answer, recorded) ? recorded[answer.id] : undefined;
    const hasChanged = growingIds.has(answer.id) ? hasNewValue : isOtherAnswer;
    return before !== undefined && hasChanged(answer.answer, before)
      ? { ...answer, recorded: before }
      : answer;
  });
}

/**
 * Returns whether today's answer can be compared with a recorded one: it is not `unknown`, and an answer to its question was
 * recorded.
 */
export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/**
 * Returns whether a text describes a value that may not be shown, such as `a string …, shaped "Aaaa 000"` or `(code withheld)`.
 * Different descriptions prove no change, because a value of another record may have another shape.
 */
const isWithheld = (text: string) => /shaped "|withheld\)|^an? (string|number)\b/.test(text);

/** Returns whether two answers differ. False if either of them describes a value that may not be shown. */
const isOtherAnswer = (now: string, before: string) => now !== before && ![now, before].some(isWithheld);

/**
 * Returns whether an answer that lists values has a value that the recorded answer lacks. A value that only the recorded answer has
 * is no change. False if either value may not be shown, or if the recorded answer is only a number of values (`tooManyValues`).
 */
function hasNewValue(now: string, before: string): boolean {
  const [values, recordedValues] = [splitValues(now), splitValues(before)];
  if (before.startsWith(tooManyValues) || recordedValues.some(isWithheld)) return false;
  // "CreditCard always" is no change from "CreditCard sometimes", because it may come from fewer records.
  const wasRecorded = (value: string) =>
    recordedValues.includes(value) ||
    recordedValues.includes(value.replace(/ (always|never)$/, ' sometimes'));
  return values.some((value) => !isWithheld(value) && !wasRecorded(value));
}

/**
 * Splits an answer such as `Active, Locked` into the values that it lists. Removes shapes such as `, shaped "Aa, 00"`, which may
 * hold commas.
 */
const splitValues = (answer: string) => answer.replace(/, shaped "[Aa0?_\W]*"/g, '').split(', ');

/**
 * Writes today's answers to the file of recorded answers, sorted by id of the question. A question whose answer is `unknown` today
 * keeps its earlier answer, or is left out without one.
 */
export function writeRecorded(file: string, observed: ProbeAnswer[], earlier: RecordedAnswers): void {
  const answers = observed.flatMap(({ id, answer, confidence }) => {
    const latest = confidence === 'unknown' ? earlier[id] : answer;
    return latest === undefined ? [] : [[id, latest] as const];
  });
  const sorted = answers.sort(([a], [b]) => a.localeCompare(b));
  writeAtomically(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/**
 * Creates a finding of kind `drift` for each answer that differs from the recorded one, as `addChanged` has noted in `recorded`.
 */
export const findDrift = (observed: ProbeAnswer[]): Finding[] =>
  observed.flatMap(({ id: question, answer: actual, recorded: expected }) => {
    const place = { requirement: '', operation: '', pointer: '', exchange: '' };
    return expected === undefined ? [] : { kind: 'drift', ...place, question, expected, actual };
  });
