import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createPlainAjv } from '../schemas/contract/validators.ts';
import { ownValue } from '../schemas/json.ts';
import { readRegularFile, UnreadableFile, writeWhole } from '../src/client/files.ts';
import { interrupted } from '../src/sweep/summary.ts';
import { hasJudged } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/** Reads a `conformance.json` that anybody may have written. @throws an error for people when it is none of this version. */
export const readConformance = (file: string): Conformance => checkConformance(readJson(file), file);

/** The run that a folder of reports holds. @throws an error for people when it holds none of this version. */
export function readRunIn(folder: string): Conformance {
  const file = path.join(folder, 'conformance.json');
  if (existsSync(file)) return readConformance(file);
  throw new Error(`${folder} holds no conformance.json: give REPORTS_DIR of a run that has ended`);
}

/** The same for a parsed value. @throws an error for people naming the first place that is wrong. */
export function checkConformance(value: unknown, name: string): Conformance {
  const version = Number(ownValue(value, 'schemaVersion'));
  if (version < 5)
    throw new Error(`${name} was written by an earlier version of this suite: judge the target again`);
  validator ??= compiled();
  if (validator(value)) return value;
  const { instancePath = '', message } = validator.errors?.[0] ?? {};
  const reason = `${instancePath} ${message}`.trim();
  throw new Error(`${name} is no conformance.json that this suite reads: ${reason}`);
}

let validator: ValidateFunction<Conformance> | undefined;

/** Compiling takes a hundred times as long as judging by it, and a half of that would be judging the schema itself. */
function compiled(): ValidateFunction<Conformance> {
  const file = new URL('schemas/conformance.schema.json', import.meta.url);
  return createPlainAjv({ validateSchema: false, code: { optimize: false } }).compile<Conformance>(
    JSON.parse(readFileSync(file, 'utf8')),
  );
}

/** A JSON file. @throws an error for people when it cannot be read, or is none. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file).toString('utf8'));
  } catch (error) {
    const isUnread = error instanceof UnreadableFile;
    throw new Error(isUnread ? `${file} cannot be read: it names ${error.message}` : `${file} is not JSON`);
  }
}

type Judged = Pick<Conformance, 'target' | 'profile'>;

/** A name for the files of a target and a profile, which no other pair has. */
export function fileNameOf({ target, profile }: Judged): string {
  // A file system takes names of 255 bytes, and two names must not share a file.
  const plain = target.replace(/[^\w.-]+/g, '-').slice(0, 100);
  const mark = plain === target ? '' : `-${createHash('sha256').update(target).digest('hex').slice(0, 8)}`;
  return `${plain}${mark}-${profile}`;
}

/** File of the last whole run of a target and a profile, relative to `REPORTS_DIR`. */
export const wholeRunFile = (judged: Judged): string => `previous/${fileNameOf(judged)}.json`;

/** Keeps a whole run that judged something and was not interrupted, for the next one to be compared with. */
export function keepWholeRun(run: Conformance, reportsDir: string): void {
  const isCut = run.sweeps?.some(({ stopped }) => stopped === interrupted);
  if (run.selection || run.shard || isCut || !hasJudged(run.requirements)) return;
  writeData(run, path.join(reportsDir, wholeRunFile(run)));
}

/** Writes JSON as people read it, whole or not at all. */
export const writeData = (value: unknown, file: string): void =>
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`);

/** The last whole run of a target and a profile that is kept in `REPORTS_DIR`; one that cannot be read is none. */
export function lastWholeRun(judged: Judged, reportsDir: string): Conformance | undefined {
  const file = path.join(reportsDir, wholeRunFile(judged));
  try {
    return existsSync(file) ? readConformance(file) : undefined;
  } catch {
    return undefined;
  }
}
