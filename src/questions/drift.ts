import { existsSync } from 'node:fs';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json.ts';
import { readRegularFile, writeWhole } from '../client/files.ts';
import type { Finding } from '../redact/observation.ts';
import { type ProbeAnswer, tooManyValues } from './answers.ts';

/** Answers that a team has recorded, by question: neither times nor identifiers, so that its diff reads well. */
export type RecordedAnswers = Record<string, string>;

/** Reads the recorded answers; none when there is no file. @throws when it is not what `PROBES=record` writes. */
export function readRecorded(file: string): RecordedAnswers {
  if (!existsSync(file)) return {};
  try {
    const recorded: unknown = JSON.parse(readRegularFile(file).toString('utf8'));
    if (isRecord(recorded) && Object.values(recorded).every((answer) => typeof answer === 'string'))
      return recorded as RecordedAnswers;
  } catch {
    // What cannot be read holds none either.
  }
  throw new Error(
    'observed/<TARGET_NAME>.json holds no recorded answers: correct it, or remove it and set PROBES=record',
  );
}

/** Adds what was recorded where it is another answer than the one of today. */
export function compared(
  observed: ProbeAnswer[],
  recorded: RecordedAnswers,
  questions: Question[],
): ProbeAnswer[] {
  const growing = new Set(questions.flatMap(({ id, grows }) => (grows ? id : [])));
  return observed.map((one) => {
    const before = isComparable(one, recorded) ? recorded[one.id] : undefined;
    const differs = growing.has(one.id) ? isNew : isOther;
    return before !== undefined && differs(one.answer, before) ? { ...one, recorded: before } : one;
  });
}

/** Whether an answer of today has one on record. */
export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/** Whether something that may not be shown is only described. It is never compared with what is shown. */
const isWithheld = (text: string) => /shaped "|withheld\)|^an? (string|number)\b/.test(text);

const isOther = (now: string, before: string) => now !== before && ![now, before].some(isWithheld);

/** A value that was not seen this time may come back; one that was never seen is a change. */
function isNew(now: string, before: string): boolean {
  const [values, seen] = [valuesIn(now), valuesIn(before)];
  if (before.startsWith(tooManyValues) || seen.some(isWithheld)) return false;
  const wasSeen = (value: string) =>
    seen.includes(value) || seen.includes(value.replace(/ (always|never)$/, ' sometimes'));
  return values.some((value) => !isWithheld(value) && !wasSeen(value));
}

/** The values that an answer lists, without their shapes, which may have commas in them. */
const valuesIn = (answer: string) => answer.replace(/, shaped "[Aa0?_\W]*"/g, '').split(', ');

/** Writes today's answers; what cannot be inferred today stays as it was recorded. */
export function writeRecorded(file: string, observed: ProbeAnswer[], earlier: RecordedAnswers): void {
  const answers = observed.flatMap(({ id, answer, confidence }) => {
    const known = confidence === 'unknown' ? earlier[id] : answer;
    return known === undefined ? [] : [[id, known] as const];
  });
  const sorted = answers.sort(([one], [other]) => one.localeCompare(other));
  writeWhole(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** The changed answers as findings. */
export const driftIn = (observed: ProbeAnswer[]): Finding[] =>
  observed.flatMap(({ id: exchange, answer: actual, recorded: expected }) => {
    const drift = { kind: 'drift', requirement: '', operation: '', pointer: '', actual, exchange } as const;
    return expected === undefined ? [] : { ...drift, expected };
  });
