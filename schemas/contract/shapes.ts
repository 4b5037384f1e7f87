import { readFileSync } from 'node:fs';
import type { Schema } from './types.ts';

/**
 * JSON Schemas that the files in `spec/` must conform to, keyed by `ShapeName`. Editors use the same schemas, which the first line
 * of each file in `spec/` names.
 */
interface Shapes {
  openapi: Schema & { $defs: { classification: Schema } };
  requirements: Schema;
  ledger: Schema;
  questions: Schema;
}

/** Name of a file in `spec/` without its extension, such as `ledger`. */
export type ShapeName = keyof Shapes;

const parsedShapes: Partial<Shapes> = {};

/** Reads the JSON Schema of a file in `spec/`. Returns the same object each time, because Ajv compiles each object once. */
export function readShape<Name extends ShapeName>(name: Name): Shapes[Name] {
  const shape: Shapes[Name] = parsedShapes[name] ?? parseShape(name);
  parsedShapes[name] = shape;
  return shape;
}

const parseShape = (name: ShapeName) =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8'));
