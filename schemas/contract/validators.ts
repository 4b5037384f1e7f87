import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation, Parameter, Schema } from './types.ts';

const requireModule = createRequire(import.meta.url);

/** Name of a file in `spec/` without its extension. */
export type SpecFileName = 'openapi' | 'requirements' | 'ledger' | 'questions';

type FileSchema = Schema & { $defs?: Record<string, Schema> };

/** Reads the JSON Schema of a file in `spec/`. Returns the same object at each call, so that Ajv compiles it only once. */
export const readFileSchema = (name: SpecFileName): FileSchema => requireModule(`./${name}.schema.json`);

/**
 * Creates an Ajv for JSON Schema 2020-12 with formats such as `date-time`. Loads `ajv` at the first call, because loading
 * takes 40 ms and some processes need no Ajv.
 */
export function createPlainAjv(options: Options): Ajv2020 {
  const { Ajv2020 } = requireModule('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = requireModule('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
}

const textMetaSchema = { type: 'string' };
const textListMetaSchema = { type: 'array', minItems: 1, items: textMetaSchema };

/**
 * Creates the Ajv for schemas of the contract. Ignores inherited properties, so that no body seems to have `toString`.
 * @param validateSchema whether to check each schema itself, against the meta-schema of JSON Schema 2020-12
 */
export function createAjv({ validateSchema }: { validateSchema: boolean }): Ajv2020 {
  // `verbose` adds the received value and its schema to each error.
  const strictOptions = { strict: true, allErrors: true, ownProperties: true, verbose: true };
  const ajv = createPlainAjv({ ...strictOptions, validateSchema });
  // The strict mode rejects unknown keywords, even those that only annotate a schema.
  const annotations = {
    'x-source': textMetaSchema,
    'x-component': textMetaSchema,
    'x-observed-names': textListMetaSchema,
    'x-data-classification': readFileSchema('openapi').$defs?.classification ?? {},
  };
  for (const [keyword, metaSchema] of Object.entries(annotations)) ajv.addKeyword({ keyword, metaSchema });
  ajv.addKeyword({
    keyword: 'x-values-that-occur',
    type: 'string',
    schemaType: 'array',
    metaSchema: textListMetaSchema,
    validate: (values: string[], value: string) => values.includes(value),
  });
  return ajv;
}

let contractAjv: Ajv2020 | undefined;

/** Compiles a schema. For the same schema object, Ajv returns a cached validator. `checkSchema` checks the schema itself. */
export function compileValidator(schema: Schema): ValidateFunction {
  contractAjv ??= createAjv({ validateSchema: false });
  return contractAjv.compile(schema);
}

/**
 * Validates a value. Returns only the first error of each field, so that a field is one violation however many keywords it
 * breaks. Adds any error of `x-values-that-occur`, because that keyword is a requirement of its own (a SHOULD).
 */
export function collectErrors(validate: ValidateFunction, value: unknown): ErrorObject[] {
  validate(value);
  const firstErrorByKey = new Map<string, ErrorObject>();
  for (const error of validate.errors ?? []) {
    const { instancePath, params, keyword } = error;
    const isSeparateRequirement = keyword === 'x-values-that-occur';
    // A missing field has the `instancePath` of the object that lacks the field.
    const errorKey = JSON.stringify([instancePath, params.missingProperty, isSeparateRequirement]);
    if (!firstErrorByKey.has(errorKey)) firstErrorByKey.set(errorKey, error);
  }
  // Ajv would keep the errors, and the received values in them, until the next call.
  validate.errors = null;
  return [...firstErrorByKey.values()];
}

export const isValid = (validate: ValidateFunction, value: unknown): boolean =>
  collectErrors(validate, value).length === 0;

/** Returns whether the contract allows a request with these values of parameters, keyed by name: `{ type: 'business' }`. */
export const isDocumentedRequest = ({ parameters }: Operation, values: Record<string, string>): boolean =>
  parameters.every((parameter) => {
    const value = getParameterValue(values, parameter);
    if (value === undefined) return !parameter.required;
    return value !== '' && isValid(compileValidator(parameter.schema), value);
  });

export const getParameterValue = (values: Record<string, string>, { name }: Parameter): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
