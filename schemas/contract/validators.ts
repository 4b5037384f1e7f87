import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { readFileSchema } from './file-schemas.ts';
import type { Operation, Parameter, Schema } from './types.ts';

/**
 * Creates an Ajv for JSON Schema 2020-12 with formats such as `date-time`. Loads the module only now: loading takes 40 ms, and
 * workers of Playwright need none.
 */
export function createPlainAjv(options: Options): Ajv2020 {
  const requireModule = createRequire(import.meta.url);
  const { Ajv2020 } = requireModule('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = requireModule('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
}

const textList = { type: 'array', minItems: 1, items: { type: 'string' } };

/**
 * Lists the annotation keywords of the contract, each with the schema of its value. Ajv's strict mode rejects any other unknown
 * keyword.
 */
const listAnnotations = () => ({
  'x-source': { type: 'string' },
  'x-component': { type: 'string' },
  'x-data-classification': readFileSchema('openapi').$defs.classification,
  'x-observed-names': textList,
});

/**
 * Creates the Ajv that checks and applies the schemas of the contract: JSON Schema 2020-12, strict, with all errors, and own
 * properties only, so that `__proto__` inherits nothing. The keyword `x-values-that-occur` judges like `enum`.
 * @param validateSchema whether to check each schema against the meta-schema
 */
export function createAjv({ validateSchema }: { validateSchema: boolean }): Ajv2020 {
  const judgeOptions = { strict: true, allErrors: true, ownProperties: true, verbose: true };
  const ajv = createPlainAjv({ ...judgeOptions, validateSchema });
  for (const [keyword, metaSchema] of Object.entries(listAnnotations()))
    ajv.addKeyword({ keyword, metaSchema });
  ajv.addKeyword({
    keyword: 'x-values-that-occur',
    type: 'string',
    schemaType: 'array',
    metaSchema: textList,
    validate: (values: string[], value: string) => values.includes(value),
  });
  return ajv;
}

let lazyAjv: Ajv2020 | undefined;

/**
 * Returns the compiled validator of a contract schema. The schema was checked against the meta-schema when the contract was
 * loaded. Ajv compiles each schema object once.
 */
export function compileValidator(schema: Schema): ValidateFunction {
  lazyAjv ??= createAjv({ validateSchema: false });
  return lazyAjv.compile(schema);
}

/**
 * Collects one error for each value or missing property that breaks the schema, even if it breaks several keywords. A value that
 * fails `x-values-that-occur` gives an error of its own, because another requirement is broken (a SHOULD, contract 2.3). Resets
 * `validate.errors`, because Ajv would keep all errors, and the values in them, until the next call.
 */
export function collectErrors(validate: ValidateFunction, value: unknown): ErrorObject[] {
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

/** Returns whether a value conforms to the schema of a validator, and removes the errors that Ajv has stored on it. */
export const isValid = (validate: ValidateFunction, value: unknown): boolean =>
  collectErrors(validate, value).length === 0;

/**
 * Returns whether the contract documents a request with these parameter values: required parameters are present, and each value is
 * valid and not empty.
 */
export const isDocumentedRequest = ({ parameters }: Operation, values: Record<string, string>): boolean =>
  parameters.every((parameter) => {
    const value = getParameterValue(values, parameter);
    if (value === undefined) return !parameter.required;
    return value !== '' && isValid(compileValidator(parameter.schema), value);
  });

export const getParameterValue = (values: Record<string, string>, { name }: Parameter): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
