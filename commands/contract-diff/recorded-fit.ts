import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Question } from '../../schemas/contract/questions.ts';
import { readRecorded } from '../../tests/probes/drift.ts';

/** A file of recorded answers with those that answer no open question any more. */
export interface RecordedMisfit {
  file: string;
  says: string;
}

/** Recorded answers (`RECORD=1`) that no longer fit the open questions. @param file one of them; others lie beside it */
export function recordedMisfits(file: string, questions: Question[]): RecordedMisfit[] {
  const folder = path.dirname(file);
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];
  const known = new Set(questions.map(({ id }) => id));
  return names.flatMap((name) => misfitsIn(path.join(folder, name), known));
}

function misfitsIn(file: string, known: ReadonlySet<string>): RecordedMisfit[] {
  const shown = path.relative(process.cwd(), file);
  try {
    const gone = Object.keys(readRecorded(file)).filter((id) => !known.has(id));
    return gone.map((id) => ({
      file: shown,
      says: `\`${idOf(id)}\` is no open question any more: record anew`,
    }));
  } catch {
    return [{ file: shown, says: 'it holds no recorded answers' }];
  }
}

/** A file may hold anything in place of an id. */
const idOf = (text: string) => (/^[a-z]+(-[a-z]+)*$/.test(text) && text.length <= 60 ? text : 'an answer');
