import type { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord } from '../json/read.ts';
import { cached } from './cache.ts';
import type { Contract, Operation, Schema } from './contract.ts';
import { createAjv } from './validators.ts';
import { mistakeAt, type Step, type YamlFile } from './yaml.ts';

/** Holds every schema of the document against a strict Ajv. @throws {ContractError} with the line of the first mistake. */
export function checkSchemas(file: YamlFile, contract: Pick<Contract, 'operations' | 'components'>): void {
  cached('schemas', file.text, () => {
    const check = checker(file);
    for (const { schema, steps } of schemasOf(contract)) check(schema, steps);
    return true;
  });
}

/** Checks a schema that stands at some steps of a file. @throws {ContractError} with the line of the mistake. */
export function checkSchema(file: YamlFile, steps: Step[], schema: unknown): void {
  cached('schema', JSON.stringify(schema), () => {
    checker(file)(schema, steps);
    return true;
  });
}

interface Place {
  schema: Schema;
  steps: Step[];
}

const schemasOf = ({ operations, components }: Pick<Contract, 'operations' | 'components'>): Place[] => [
  ...Object.entries(components).map(([name, schema]) => ({ schema, steps: ['components', 'schemas', name] })),
  ...operations.flatMap(placesOf),
];

function placesOf({ path, status, mediaType, schema, parameters }: Operation): Place[] {
  const get = ['paths', path, 'get'];
  return [
    { schema, steps: [...get, 'responses', status, 'content', mediaType, 'schema'] },
    ...parameters.map((one, index) => ({
      schema: one.schema,
      steps: [...get, 'parameters', index, 'schema'],
    })),
  ];
}

/** Holds schemas against JSON Schema, which takes longer to compile than all of theirs: once in a process. */
let metaschema: Ajv2020 | undefined;

/** Checks schemas place by place, so that a mistake has its line. */
function checker(file: YamlFile): (schema: unknown, steps: Step[]) => void {
  const ajv = createAjv({ validateSchema: false });
  return function check(schema, steps) {
    if (!isRecord(schema)) throw mistakeAt(file, steps, 'a schema must be an object; correct it');
    compile(ajv, file, schema, steps);
    const { items, properties } = schema;
    if (items !== undefined) check(items, [...steps, 'items']);
    for (const [name, field] of Object.entries(isRecord(properties) ? properties : {}))
      check(field, [...steps, 'properties', name]);
  };
}

/** Compiles a schema without those below it. */
function compile(ajv: Ajv2020, file: YamlFile, schema: Record<string, unknown>, steps: Step[]): void {
  const { items, properties } = schema;
  const fields =
    isRecord(properties) && Object.fromEntries(Object.keys(properties).map((name) => [name, {}]));
  const alone = {
    ...schema,
    ...(fields ? { properties: fields } : {}),
    ...(items === undefined ? {} : { items: {} }),
  };
  try {
    metaschema ??= createAjv({ validateSchema: true });
    metaschema.validateSchema(alone, true);
    ajv.compile(alone);
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: 'this is no schema' };
    const [, keyword = ''] = /unknown keyword: "([^"]+)"/.exec(message) ?? [];
    throw mistakeAt(file, keyword ? [...steps, keyword] : steps, `${reworded(message)}; correct the schema`);
  }
}

/** What Ajv says, without its picture of the place. */
const reworded = (message: string) =>
  message
    .split('\n')[0]
    ?.replace(/^strict mode: |^schema is invalid: /, '')
    .replace(/ (ignored )?(in schema )?(at path|\(strict).*$/, '')
    .replaceAll('data/', '') ?? '';
