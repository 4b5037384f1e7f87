import { existsSync } from 'node:fs';
import type { Question } from '../../schemas/contract/questions.ts';
import { isRecord } from '../../schemas/json.ts';
import { readRegularFile, writeAtomically } from '../client/files.ts';
import type { Finding } from '../redact/observation.ts';
import type { ProbeAnswer } from './answers.ts';
import { tooManyValuesPrefix } from './values.ts';

/** Recorded answers to open questions, keyed by question id: `{ "offset-unit": "pages" }`. */
export type RecordedAnswers = Record<string, string>;

/**
 * Reads the recorded answers of a target. Returns `{}` if the file does not exist.
 * @throws if the file is no JSON object of strings, or cannot be read
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
 * Adds `recorded` to each answer that has changed: `{ answer: 'pages', recorded: 'records' }`. Returns all answers. An answer has
 * changed if it differs from the recorded answer. An unknown answer, or a masked text such as `(code withheld)`, is no change.
 * @param questions open questions. If a question has `grows`, its answer lists values, such as `Active, Locked`. The
 *   answer has changed only if the list contains a value that the recorded answer does not contain.
 */
export function markChangedAnswers(
  answers: ProbeAnswer[],
  recorded: RecordedAnswers,
  questions: Question[],
): ProbeAnswer[] {
  const growingQuestions = questions.filter(({ grows }) => grows);
  const growingIds = new Set(growingQuestions.map(({ id }) => id));
  return answers.map((answer) => {
    const recordedAnswer = recorded[answer.id];
    if (recordedAnswer === undefined || !isComparable(answer, recorded)) return answer;
    // A list of the values seen, such as `Active, Locked`, may be incomplete in any run. So only a new value is a change.
    const listsSeenValues = growingIds.has(answer.id);
    const isChanged = listsSeenValues
      ? hasNewValue(answer.answer, recordedAnswer)
      : isDifferent(removeRetryAfter(answer.answer), removeRetryAfter(recordedAnswer));
    return isChanged ? { ...answer, recorded: recordedAnswer } : answer;
  });
}

export const isComparable = ({ id, confidence }: ProbeAnswer, recorded: RecordedAnswers): boolean =>
  confidence !== 'unknown' && recorded[id] !== undefined;

/** Returns whether a text replaces a private value: `(code withheld)`. */
const isMasked = (text: string) => /shaped "|withheld\)|^an? (string|number)\b/.test(text);

// A masked text depends on the records that a run happens to see, so another text is no change of the target.
const isDifferent = (answer: string, recordedAnswer: string) =>
  answer !== recordedAnswer && !isMasked(answer) && !isMasked(recordedAnswer);

/** Removes the header `retry-after` from an answer, because this header depends on the load (RFC 6585 section 4). */
function removeRetryAfter(answer: string): string {
  const values = splitValues(answer).filter((value) => value !== 'retry-after');
  return values.join(', ') || 'none';
}

function hasNewValue(answer: string, recordedAnswer: string): boolean {
  const recordedValues = splitValues(recordedAnswer);
  const namesAllValues = !recordedAnswer.startsWith(tooManyValuesPrefix) && !recordedValues.some(isMasked);
  // A value that the recorded answer does not name may have been received as well.
  if (!namesAllValues) return false;
  const wasRecorded = (value: string) => {
    // If `CreditCard sometimes` was recorded, `CreditCard always` is not new: this run may have seen fewer tokens.
    const valueIfSometimes = value.replace(/ (always|never)$/, ' sometimes');
    return recordedValues.includes(value) || recordedValues.includes(valueIfSometimes);
  };
  return splitValues(answer).some((value) => !isMasked(value) && !wasRecorded(value));
}

function splitValues(answer: string): string[] {
  // The commas in a text such as `shaped "Aa, 00"` separate no values.
  const answerWithEmptyShapes = answer.replace(/shaped "[Aa0?_\W]*"/g, 'shaped ""');
  return answerWithEmptyShapes.split(', ');
}

/**
 * Writes the answers to a file, sorted by question id. If an answer is unknown, writes the earlier answer to the question instead.
 * If there is no earlier answer either, leaves the question out.
 */
export function writeRecordedAnswers(
  file: string,
  observed: ProbeAnswer[],
  earlierAnswers: RecordedAnswers,
): void {
  const answers: [id: string, answer: string][] = [];
  for (const { id, answer, confidence } of observed) {
    const latestAnswer = confidence === 'unknown' ? earlierAnswers[id] : answer;
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
