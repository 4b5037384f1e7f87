import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { getOwnValue } from '../json.ts';
import type { Operation, Schema } from './types.ts';

const requireModule = createRequire(import.meta.url);

/** Name of a file in `spec/` without its extension. */
export type SpecFileName = 'openapi' | 'requirements' | 'ledger' | 'questions';

type FileSchema = Schema & { $defs?: Record<string, Schema> };

// `require` returns the same object each time, so that Ajv compiles each schema only once.
/** Reads the JSON Schema for a file in `spec/`, such as `ledger.schema.json`. */
export const readFileSchema = (name: SpecFileName): FileSchema => requireModule(`./${name}.schema.json`);

/** Creates an Ajv for JSON Schema 2020-12 with formats such as `date-time`. */
export function createPlainAjv(options: Options): Ajv2020 {
  // Loaded here, because loading takes 40 ms and some processes need no Ajv.
  const { Ajv2020 } = requireModule('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = requireModule('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
}

const textMetaSchema = { type: 'string' };
const textListMetaSchema = { type: 'array', minItems: 1, items: textMetaSchema };

/**
 * Creates a strict Ajv for the schemas of the contract. Knows the contract's own keywords, such as `x-source`.
 * @param validateSchema whether Ajv checks each schema against the JSON Schema meta-schema
 */
export function createAjv({ validateSchema }: { validateSchema: boolean }): Ajv2020 {
  const ajv = createPlainAjv({
    validateSchema,
    strict: true,
    allErrors: true,
    // Without this option, each object would seem to have an inherited field such as `toString`.
    ownProperties: true,
    // Adds the received value and its schema to each error.
    verbose: true,
  });
  addAnnotationKeywords(ajv);
  ajv.addKeyword({
    keyword: 'x-values-that-occur',
    type: 'string',
    schemaType: 'array',
    metaSchema: textListMetaSchema,
    validate: (values: string[], value: string) => values.includes(value),
  });
  return ajv;
}

/** Declares keywords such as `x-source`, which only annotate a schema. In strict mode, Ajv rejects an undeclared keyword. */
function addAnnotationKeywords(ajv: Ajv2020): void {
  const metaSchemaByKeyword = {
    'x-source': textMetaSchema,
    'x-component': textMetaSchema,
    'x-observed-names': textListMetaSchema,
    'x-data-classification': readFileSchema('openapi').$defs?.classification ?? {},
  };
  for (const [keyword, metaSchema] of Object.entries(metaSchemaByKeyword))
    ajv.addKeyword({ keyword, metaSchema });
}

let contractAjv: Ajv2020 | undefined;

/** Compiles a schema to a validator. Does not check the schema itself against the meta-schema of JSON Schema. */
export function compileValidator(schema: Schema): ValidateFunction {
  contractAjv ??= createAjv({ validateSchema: false });
  // Ajv caches the validator of each schema object.
  return contractAjv.compile(schema);
}

/**
 * Validates a value, and returns the first error of each field.
 * If a field also violates `x-values-that-occur`, returns a second error for the field.
 */
export function collectErrors(validate: ValidateFunction, value: unknown): ErrorObject[] {
  validate(value);
  const firstErrorByKey = new Map<string, ErrorObject>();
  for (const error of validate.errors ?? []) {
    const { instancePath, params, keyword } = error;
    // This keyword is a requirement of its own, with level SHOULD.
    const isSeparateRequirement = keyword === 'x-values-that-occur';
    // The error for a missing field has the `instancePath` of the object. `missingProperty` distinguishes several missing fields.
    const errorKey = JSON.stringify([instancePath, params.missingProperty, isSeparateRequirement]);
    if (!firstErrorByKey.has(errorKey)) firstErrorByKey.set(errorKey, error);
  }
  // Otherwise Ajv would keep the errors, which contain received values, in memory until the next call.
  validate.errors = null;
  return [...firstErrorByKey.values()];
}

export const isValid = (validate: ValidateFunction, value: unknown): boolean =>
  collectErrors(validate, value).length === 0;

/**
 * Returns whether each parameter of an operation has a valid value in `values`.
 * A missing value is valid if the parameter is optional. An empty value is never valid.
 * @param values values keyed by parameter name, such as `{ type: 'business' }`. Unknown names are ignored.
 */
export const isDocumentedRequest = ({ parameters }: Operation, values: Record<string, string>): boolean =>
  // Rules such as "`type=user` needs `user_id`" (contract 4.4) are not checked.
  parameters.every((parameter) => {
    const value = getOwnValue(values, parameter.name);
    if (value === undefined) return !parameter.required;
    if (value === '') return false;
    return isValid(compileValidator(parameter.schema), value);
  });
