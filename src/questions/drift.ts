import { existsSync } from 'node:fs';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json.ts';
import { readRegularFile, writeAtomically } from '../client/files.ts';
import type { Finding } from '../redact/observation.ts';
import { type ProbeAnswer, tooManyValues } from './answers.ts';

/**
 * Answers that `PROBES=record` has written, keyed by id of the question. They hold no times and no identifiers, so that a diff of
 * the file shows only changed behaviour.
 */
export type RecordedAnswers = Record<string, string>;

/** Reads the recorded answers; none if the file is missing. @throws if the file is not what `PROBES=record` writes. */
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
 * Adds the recorded answer to each answer that differs from it. For a question with `grows`, whose answer lists values, only a
 * value that was not recorded is a difference.
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

/** Checks that today's answer is not `unknown`, and that an answer to its question was recorded. */
export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/** Checks for a text that stands for a value that may not be shown, such as `a string …, shaped "Aaaa 000"`. It proves no change. */
const isWithheld = (text: string) => /shaped "|withheld\)|^an? (string|number)\b/.test(text);

/** Checks that two answers differ, neither of which describes a value that may not be shown. */
const isOtherAnswer = (now: string, before: string) => now !== before && ![now, before].some(isWithheld);

/** Checks that an answer lists a value that the recorded answer lacks. A value that only the recorded one has is no change. */
function hasNewValue(now: string, before: string): boolean {
  const [values, recordedValues] = [splitValues(now), splitValues(before)];
  if (before.startsWith(tooManyValues) || recordedValues.some(isWithheld)) return false;
  // "CreditCard always" is no change from "CreditCard sometimes", because it may come from fewer records.
  const wasRecorded = (value: string) =>
    recordedValues.includes(value) ||
    recordedValues.includes(value.replace(/ (always|never)$/, ' sometimes'));
  return values.some((value) => !isWithheld(value) && !wasRecorded(value));
}

/** Splits an answer into the values that it lists. Removes shapes such as `, shaped "Aa, 00"`, because they may hold commas. */
const splitValues = (answer: string) => answer.replace(/, shaped "[Aa0?_\W]*"/g, '').split(', ');

/** Writes today's answers, sorted by id. Keeps the earlier answer to a question whose answer is unknown today. */
export function writeRecorded(file: string, observed: ProbeAnswer[], earlier: RecordedAnswers): void {
  const answers = observed.flatMap(({ id, answer, confidence }) => {
    const latest = confidence === 'unknown' ? earlier[id] : answer;
    return latest === undefined ? [] : [[id, latest] as const];
  });
  const sorted = answers.sort(([a], [b]) => a.localeCompare(b));
  writeAtomically(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** Creates a finding of kind `drift` for each answer to which `addChanged` has added the recorded answer. */
export const findDrift = (observed: ProbeAnswer[]): Finding[] =>
  observed.flatMap(({ id: question, answer: actual, recorded: expected }) => {
    const place = { requirement: '', operation: '', pointer: '', exchange: '' };
    return expected === undefined ? [] : { kind: 'drift', ...place, question, expected, actual };
  });
