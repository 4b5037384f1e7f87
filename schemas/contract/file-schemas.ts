import { readFileSync } from 'node:fs';
import type { Schema } from './types.ts';

/** Name of a file in `spec/` without its extension. */
export type SpecFileName = 'openapi' | 'requirements' | 'ledger' | 'questions';

type FileSchema = Schema & { $defs?: Record<string, Schema> };

const fileSchemas: Partial<Record<SpecFileName, FileSchema>> = {};

/** Reads the JSON Schema of a file in `spec/`. Returns the same object at each call, so that Ajv compiles it only once. */
export function readFileSchema(name: SpecFileName): FileSchema {
  const schemaFile = new URL(`${name}.schema.json`, import.meta.url);
  fileSchemas[name] ??= JSON.parse(readFileSync(schemaFile, 'utf8')) as FileSchema;
  return fileSchemas[name];
}
