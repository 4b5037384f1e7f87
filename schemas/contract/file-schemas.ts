import { readFileSync } from 'node:fs';
import type { Schema } from './types.ts';

/**
 * JSON Schemas of the four files in `spec/`: `openapi` is the schema of `openapi.yaml`, stored as `openapi.schema.json`. Editors
 * check the files by the same schemas, because the first line of each file names its schema.
 */
interface FileSchemas {
  openapi: Schema & { $defs: { classification: Schema } };
  requirements: Schema;
  ledger: Schema;
  questions: Schema;
}

/** Name of a file in `spec/` without its extension, such as `ledger`. */
export type SpecFileName = keyof FileSchemas;

const fileSchemas: Partial<FileSchemas> = {};

/**
 * Reads the JSON Schema of a file in `spec/`. Returns the same object at each call, so that Ajv compiles the schema only once.
 */
export function readFileSchema<Name extends SpecFileName>(name: Name): FileSchemas[Name] {
  const fileSchema: FileSchemas[Name] = fileSchemas[name] ?? parseFileSchema(name);
  fileSchemas[name] = fileSchema;
  return fileSchema;
}

const parseFileSchema = (name: SpecFileName) =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8'));
