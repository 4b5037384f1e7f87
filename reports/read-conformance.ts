import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { newAjv } from '../schemas/contract/new-ajv.ts';
import { readRegularFile, UnreadableFile } from '../tests/configuration/regular-file.ts';
import { isTime } from '../tests/run/previous.ts';
import type { Conformance } from './conformance.ts';
import { contradictionIn } from './contradictions.ts';

/** A file that is no `conformance.json`; the message says why, for people. */
export class ReportError extends Error {
  override name = 'ReportError';
}

const schemaFile = new URL('schemas/conformance.schema.json', import.meta.url);

/** Reads a `conformance.json` that anybody may have written. @throws {ReportError} when it is none. */
export function readConformance(file: string): Conformance {
  return checkConformance(parse(file), file);
}

/** The same for a parsed value. @throws {ReportError} naming the first place that is wrong, or what contradicts what. */
export function checkConformance(value: unknown, name: string): Conformance {
  const run = checkForm(value, name);
  const contradiction = contradictionIn(run);
  if (!contradiction) return run;
  throw new ReportError(`${name} contradicts itself: ${contradiction}; judge the target again`);
}

function checkForm(value: unknown, name: string): Conformance {
  validator ??= compiled();
  const validate = validator;
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  const place = error?.instancePath ? `${error.instancePath} ` : '';
  const says =
    error?.keyword === 'format' ? 'must be a time in UTC, as 2026-11-22T06:44:05.000Z' : error?.message;
  throw new ReportError(`${name} is no conformance.json that this suite reads: ${place}${says}`);
}

let validator: ValidateFunction<Conformance> | undefined;

/** Compiling takes a hundred times as long as judging by it. */
function compiled(): ValidateFunction<Conformance> {
  const ajv = newAjv({ strict: true, ownProperties: true });
  // What is published is read again by the same rule.
  ajv.addFormat('date-time', isTime);
  return ajv.compile<Conformance>(JSON.parse(readFileSync(schemaFile, 'utf8')));
}

function parse(file: string): unknown {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const reason = error instanceof UnreadableFile ? `: it names ${error.message}` : '';
    throw new ReportError(`${file} cannot be read${reason}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ReportError(`${file} is not JSON`);
  }
}
