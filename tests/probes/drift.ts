import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json/read.ts';
import { readRegularFile } from '../configuration/regular-file.ts';
import type { Finding } from '../redaction/observation.ts';
import { writeWhole } from '../run/whole-file.ts';
import { makeFolder } from '../run/writable-folder.ts';
import { tooManyValues } from './answers/values.ts';
import { isTransientAnswer } from './digest/outcome.ts';
import { leftOpen, mayBeSame, notReached } from './evidence.ts';
import type { ProbeAnswer } from './probe-answers.ts';

/** Answers that a team has recorded, by question: neither times nor identifiers, so that its diff reads well. */
export type RecordedAnswers = Record<string, string>;

/** Reads the recorded answers; none when there is no file. @throws when it is not what `RECORD=1` writes. */
export function readRecorded(file: string): RecordedAnswers {
  if (!existsSync(file)) return {};
  const recorded: unknown = parse(file);
  if (isRecord(recorded) && Object.values(recorded).every((answer) => typeof answer === 'string'))
    return withoutUnanswered(recorded as RecordedAnswers);
  throw new Error(
    'RECORD_FILE holds no recorded answers: correct it, or remove it and record anew with RECORD=1',
  );
}

/** An answer of a moment, or of a short list, that an earlier version has recorded is none to compare with. */
const withoutUnanswered = (recorded: RecordedAnswers): RecordedAnswers =>
  Object.fromEntries(
    Object.entries(recorded).filter(([, answer]) => answer !== notReached && !isTransientAnswer(answer)),
  );

function parse(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Adds what was recorded where it is another answer than the one of today. */
export function compared(
  observed: ProbeAnswer[],
  recorded: RecordedAnswers,
  questions: Question[],
): ProbeAnswer[] {
  const idsOf = (kind: 'grows' | 'records') =>
    new Set(questions.filter((question) => question[kind]).map(({ id }) => id));
  const [growing, ofRecords] = [idsOf('grows'), idsOf('records')];
  const implied = new Map(questions.map((question) => [question.id, impliedAnswer(question, recorded)]));
  return observed.map((one) => {
    const before = recorded[one.id] ?? implied.get(one.id);
    const differs = growing.has(one.id) ? isNew : isOther;
    if (one.confidence === 'unknown' || before === undefined || ofRecords.has(one.id)) return one;
    return differs(one.answer, before) ? { ...one, recorded: before } : one;
  });
}

/** Whether an answer of today has one on record. */
export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/** The answer that follows from others that are recorded, if it does. */
function impliedAnswer({ follows }: Question, recorded: RecordedAnswers): string | undefined {
  const holds = ([id, answers]: [string, string[]]) => answers.includes(recorded[id] ?? '');
  return follows && Object.entries(follows.from).every(holds) ? follows.answer : undefined;
}

const isOther = (now: string, before: string) => !mayBeSame(now, before);

/** A value that was not seen this time may come back; one that was never seen is a change. */
function isNew(now: string, before: string): boolean {
  const seen = before.split(', ');
  const wasSeen = (value: string) =>
    seen.includes(value) || seen.includes(value.replace(/ (always|never)$/, ' sometimes'));
  return !before.startsWith(tooManyValues) && now.split(', ').some((value) => !wasSeen(value));
}

/** Writes today's answers; what cannot be inferred today, or leaves more open, stays as it was recorded. */
export function writeRecorded(file: string, observed: ProbeAnswer[], earlier: RecordedAnswers): void {
  const answers = observed.flatMap(({ id, answer, confidence }) => {
    const before = earlier[id];
    const known = confidence === 'unknown' || saysLess(answer, before) ? before : answer;
    return known === undefined ? [] : [[id, known] as const];
  });
  const sorted = answers.sort(([one], [other]) => (one < other ? -1 : 1));
  makeFolder(path.dirname(file));
  writeWhole(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

const saysLess = (now: string, before: string | undefined): boolean =>
  before !== undefined && mayBeSame(now, before) && leftOpen(now).length > leftOpen(before).length;

/** The changed answers as findings. */
export const driftIn = (observed: ProbeAnswer[]): Finding[] =>
  observed.flatMap(({ id, answer, recorded }) =>
    recorded === undefined
      ? []
      : [
          {
            kind: 'drift',
            requirement: '',
            operation: '',
            pointer: '',
            expected: recorded,
            actual: answer,
            exchange: id,
          },
        ],
  );
