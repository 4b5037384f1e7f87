import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { cached } from './cache.ts';
import { ContractError, type Operation, type Schema } from './contract.ts';

/** Words of the contract that describe and do not judge. Any other unknown word is refused. */
const annotations = ['x-source', 'x-component', 'x-data-classification', 'x-observed-names'];

/** The one Ajv of the suite: 2020-12, strict, every error reported, only own properties seen. */
function createAjv(): Ajv2020 {
  const judging = { strict: true, allErrors: true, ownProperties: true, verbose: true };
  // A schema is checked against JSON Schema itself below, where the answer is cached.
  const ajv = new Ajv2020({ ...judging, validateSchema: false });
  addFormats.default(ajv);
  ajv.addVocabulary(annotations);
  ajv.addKeyword({
    keyword: 'x-values-that-occur',
    type: 'string',
    schemaType: 'array',
    validate: (values: string[], value: string) => values.includes(value),
  });
  return ajv;
}

const ajv = createAjv();
const compiled = new Map<Schema, ValidateFunction>();

/**
 * Compiled validator of a schema of the contract.
 * @throws {ContractError} when the schema has an unknown word, format or type.
 */
export function validatorOf(schema: Schema, place: string): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  try {
    cached('schema', JSON.stringify(schema), () => ajv.validateSchema(schema, true));
    const validator = ajv.compile(schema);
    compiled.set(schema, validator);
    return validator;
  } catch (error) {
    throw new ContractError(`${place}: ${error instanceof Error ? error.message : 'not a schema'}`);
  }
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
