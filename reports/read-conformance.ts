import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { newAjv } from '../schemas/contract/validators.ts';
import { ownValue } from '../schemas/json.ts';
import { readRegularFile, UnreadableFile } from '../src/client/files.ts';
import type { Conformance } from './conformance.ts';

/** Reads a `conformance.json` that anybody may have written. @throws an error for people when it is none of this version. */
export const readConformance = (file: string): Conformance => checkConformance(readJson(file), file);

/** The same for a parsed value. @throws an error for people naming the first place that is wrong. */
export function checkConformance(value: unknown, name: string): Conformance {
  const version = Number(ownValue(value, 'schemaVersion'));
  if (version < 4)
    throw new Error(`${name} was written by an earlier version of this suite: judge the target again`);
  validator ??= validatorOf('');
  if (validator(value)) return value;
  const { instancePath = '', message } = validator.errors?.[0] ?? {};
  const reason = `${instancePath} ${message}`.trim();
  throw new Error(`${name} is no conformance.json that this suite reads: ${reason}`);
}

let validator: ValidateFunction<Conformance> | undefined;

/** Judges by the JSON Schema of `conformance.json`, or by a place in it. Compiling takes a hundred times as long as judging by it. */
export function validatorOf<T>(pointer: string): ValidateFunction<T> {
  const file = new URL('schemas/conformance.schema.json', import.meta.url);
  const ajv = newAjv({ strict: true, ownProperties: true });
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')), 'conformance');
  return ajv.compile<T>({ $ref: `conformance#${pointer}` });
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
