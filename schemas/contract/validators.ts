import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { classificationSchema } from './classification.ts';
import type { Operation, Schema } from './contract.ts';
import { ContractError } from './contract-error.ts';
import { newAjv } from './new-ajv.ts';

const texts = { type: 'array', minItems: 1, items: { type: 'string' } };

/** Keywords of the contract that describe and do not judge, and what each holds. Any other unknown one is an error. */
const annotations = {
  'x-source': { type: 'string' },
  'x-component': { type: 'string' },
  'x-data-classification': classificationSchema,
  'x-observed-names': texts,
};

/** An Ajv of the suite: 2020-12, strict, every error reported, only own properties seen. */
export function createAjv({ validateSchema }: { validateSchema: boolean }): Ajv2020 {
  const judging = { strict: true, allErrors: true, ownProperties: true, verbose: true };
  const ajv = newAjv({ ...judging, validateSchema });
  for (const [keyword, metaSchema] of Object.entries(annotations)) ajv.addKeyword({ keyword, metaSchema });
  ajv.addKeyword({
    keyword: 'x-values-that-occur',
    type: 'string',
    schemaType: 'array',
    metaSchema: texts,
    validate: (values: string[], value: string) => values.includes(value),
  });
  return ajv;
}

let ajv: Ajv2020 | undefined;
const compiled = new Map<Schema, ValidateFunction>();

/**
 * Compiled validator of a schema of the contract.
 * @throws {ContractError} when the schema has an unknown keyword, format or type.
 */
export function validatorOf(schema: Schema, place: string): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  try {
    // Schemas are held against JSON Schema itself when the contract is loaded.
    ajv ??= createAjv({ validateSchema: false });
    const validator = ajv.compile(schema);
    compiled.set(schema, validator);
    return validator;
  } catch (error) {
    throw new ContractError(`${place}: ${error instanceof Error ? error.message : 'not a schema'}`);
  }
}

/** Whether nothing is wrong with a value. */
export function isValid(validate: ValidateFunction, value: unknown): boolean {
  if (validate(value)) return true;
  validate.errors = null;
  return false;
}

/** What is wrong with a value. Ajv itself would hold on to all of a broken one until the next is judged. */
export function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] {
  const errors = validate(value) ? [] : (validate.errors ?? []);
  validate.errors = null;
  return errors;
}

/** Judges a value in parts: all but the elements of its lists, and each of these by itself. */
export interface PartValidator {
  validate: ValidateFunction;
  lists: { pointer: string; elements: PartValidator }[];
}

const parts = new WeakMap<Schema, PartValidator>();

/**
 * Validators of an operation's answer. A list is judged element by element, since Ajv collects all errors of what it
 * is given before it returns: those of a long list would not fit into memory.
 * @throws {ContractError}
 */
export function answerValidator({ id, schema }: Operation): PartValidator {
  return partValidator(schema, `spec/openapi.yaml: ${id}`);
}

function partValidator(schema: Schema, place: string): PartValidator {
  const known = parts.get(schema);
  if (known) return known;
  const lists = listsIn(schema, '').map(({ pointer, items }) => ({
    pointer,
    elements: partValidator(items, place),
  }));
  const part = { validate: validatorOf(withoutElements(schema), place), lists };
  parts.set(schema, part);
  return part;
}

function listsIn({ items, properties = {} }: Schema, pointer: string): { pointer: string; items: Schema }[] {
  const below = Object.entries(properties).flatMap(([name, field]) => listsIn(field, `${pointer}/${name}`));
  return items ? [{ pointer, items }, ...below] : below;
}

function withoutElements({ items: _, ...schema }: Schema): Schema {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, withoutElements(field)])),
  };
}
