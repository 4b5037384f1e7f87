import { readFileSync } from 'node:fs';
import type { Schema } from './types.ts';

/**
 * JSON Schemas that the files in `spec/` must conform to, keyed by `SpecFileName`. Editors use the same schemas, which the first line
 * of each file in `spec/` names.
 */
interface FileSchemas {
  openapi: Schema & { $defs: { classification: Schema } };
  requirements: Schema;
  ledger: Schema;
  questions: Schema;
}

/** Name of a file in `spec/` without its extension, such as `ledger`. */
export type SpecFileName = keyof FileSchemas;

const parsedShapes: Partial<FileSchemas> = {};

/** Reads the JSON Schema of a file in `spec/`. Returns the same object each time, because Ajv compiles each object once. */
export function readFileSchema<Name extends SpecFileName>(name: Name): FileSchemas[Name] {
  const shape: FileSchemas[Name] = parsedShapes[name] ?? parseShape(name);
  parsedShapes[name] = shape;
  return shape;
}

const parseShape = (name: SpecFileName) =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8'));
