import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createPlainAjv } from '../schemas/contract/validators.ts';
import { getOwnValue } from '../schemas/json.ts';
import { readRegularFile, UnreadableFileError, writeAtomically } from '../src/client/files.ts';
import { hasJudged } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';

/**
 * Reads and validates a `conformance.json`.
 * @throws an `Error` if the file cannot be read, is invalid, or was written by an earlier version of the suite
 */
export const readConformance = (file: string): Conformance => checkConformance(readJsonFile(file), file);

/**
 * Reads and validates the `conformance.json` in a folder.
 * @param folder `REPORTS_DIR` of a run that has ended
 * @throws an `Error` if the file is missing, cannot be read, is invalid, or was written by an earlier version of the suite
 */
export function readRunOfFolder(folder: string): Conformance {
  const file = path.join(folder, 'conformance.json');
  if (existsSync(file)) return readConformance(file);
  throw new Error(`${folder} holds no conformance.json: give REPORTS_DIR of a run that has ended`);
}

/**
 * Validates the parsed content of a `conformance.json`, and returns the content.
 * @param file path of the file, for error messages
 * @throws an `Error` if the content is invalid, or was written by an earlier version of the suite
 */
export function checkConformance(value: unknown, file: string): Conformance {
  // NaN if the version is missing. NaN is not less than 5, so the validator below reports the missing version.
  const version = Number(getOwnValue(value, 'schemaVersion'));
  if (version < 5)
    throw new Error(`${file} was written by an earlier version of this suite: judge the target again`);
  validator ??= compileReportValidator();
  if (validator(value)) return value;
  const { instancePath = '', message } = validator.errors?.[0] ?? {};
  const reason = `${instancePath} ${message}`.trim();
  throw new Error(`${file} is not a conformance.json that this suite can read: ${reason}`);
}

let validator: ValidateFunction<Conformance> | undefined;

function compileReportValidator(): ValidateFunction<Conformance> {
  const file = new URL('schemas/conformance.schema.json', import.meta.url);
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  // Checking and optimizing the schema takes as long as all the rest of a command that reads one file.
  const ajv = createPlainAjv({ validateSchema: false, code: { optimize: false } });
  return ajv.compile<Conformance>(schema);
}

/** @throws an `Error` if the file cannot be read or is not JSON */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file).toString('utf8'));
  } catch (error) {
    // The message is a noun such as "a file that does not exist".
    if (error instanceof UnreadableFileError)
      throw new Error(`${file} cannot be read: it names ${error.message}`);
    throw new Error(`${file} is not JSON`);
  }
}

/** Fields of a run that decide its file name. A run of recorded traffic has `traffic`, whose content does not matter here. */
interface RunKind extends Pick<Conformance, 'target' | 'profile'> {
  traffic?: unknown;
}

/**
 * Creates a file name without an extension from a target and a profile, such as `staging-documented`.
 * For a run of recorded traffic, the name ends with `-recorded-traffic`.
 * The name contains only letters, digits, `_`, `.` and `-`, and at most 100 characters of the target.
 * If the target has another character or is longer, the name also contains a hash, as in `eu-staging-1a2b3c4d-documented`.
 */
export function createFileName({ target, profile, traffic }: RunKind): string {
  // Recorded traffic may be old, and may show other records than requests do.
  const suffix = traffic ? `${profile}-recorded-traffic` : profile;
  // File systems limit a name to 255 bytes (`NAME_MAX` in POSIX).
  const safeName = target.replace(/[^\w.-]+/g, '-').slice(0, 100);
  if (safeName === target) return `${target}-${suffix}`;
  // `eu/staging` and `eu:staging` have the same safe name, and get different hashes.
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 8);
  return `${safeName}-${hash}-${suffix}`;
}

/** Returns the path, relative to `REPORTS_DIR`, at which a complete run is stored: `previous/staging-observed.json`. */
export const getWholeRunFile = (run: RunKind): string => `previous/${createFileName(run)}.json`;

/**
 * Stores a run for comparison with the next run, in a file such as `previous/staging-observed.json`.
 * Does not store a run that is incomplete, covers only selected tests or one shard, or judged nothing.
 */
export function keepWholeRun(run: Conformance, reportsDir: string): void {
  const isPart = run.selection !== undefined || run.shard !== undefined;
  if (isPart || run.incomplete || !hasJudged(run.requirements)) return;
  writeJson(run, path.join(reportsDir, getWholeRunFile(run)));
}

export const writeJson = (value: unknown, file: string): void =>
  writeAtomically(file, `${JSON.stringify(value, null, 2)}\n`);

/**
 * Reads the last run that `keepWholeRun` has stored for the target and the profile of `run`.
 * If `run` judged recorded traffic, the returned run also judged recorded traffic. Otherwise, the returned run sent requests.
 * @returns undefined if no run is stored, or if the stored file is invalid
 */
export function readLastWholeRun(run: RunKind, reportsDir: string): Conformance | undefined {
  const file = path.join(reportsDir, getWholeRunFile(run));
  try {
    return existsSync(file) ? readConformance(file) : undefined;
  } catch {
    // For example a file of an earlier version of the suite.
    return undefined;
  }
}
