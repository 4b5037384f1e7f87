import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { classificationSchema } from './classification.ts';
import type { Operation, Parameter, Schema } from './types.ts';

/** An Ajv of JSON Schema 2020-12 with its formats. It is loaded here, since workers of Playwright make none, and each would take 40 ms. */
export function newAjv(options: Options): Ajv2020 {
  const load = createRequire(import.meta.url);
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = load('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
}

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

/**
 * Compiled validator of a schema of the contract, which was held against JSON Schema itself when the contract was loaded. Ajv
 * compiles a schema once.
 */
export function validatorOf(schema: Schema): ValidateFunction {
  ajv ??= createAjv({ validateSchema: false });
  return ajv.compile(schema);
}

/**
 * What is wrong with a value: one error for each broken place, however many keywords of its schema are broken there, and one where
 * it is no value that occurs. Ajv itself would hold on to all of a broken one until the next is judged.
 */
export function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] {
  validate(value);
  const errors = new Map<string, ErrorObject>();
  for (const error of validate.errors ?? []) {
    const { instancePath, params, keyword } = error;
    const key = JSON.stringify([instancePath, params.missingProperty, keyword === 'x-values-that-occur']);
    if (!errors.has(key)) errors.set(key, error);
  }
  validate.errors = null;
  return [...errors.values()];
}

/** Whether nothing is wrong with a value. */
export const isValid = (validate: ValidateFunction, value: unknown): boolean =>
  errorsOf(validate, value).length === 0;

/** Whether the contract documents a request with these values: none is missing that has to be there, and each fits. */
export const isDocumentedRequest = ({ parameters }: Operation, values: Record<string, string>): boolean =>
  parameters.every((parameter) => {
    const value = givenValue(values, parameter);
    if (value === undefined) return !parameter.required;
    return value !== '' && isValid(validatorOf(parameter.schema), value);
  });

/** What a request gives for a parameter. */
export const givenValue = (values: Record<string, string>, { name }: Parameter): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
