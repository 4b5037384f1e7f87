import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { isRecord } from '../json.ts';
import {
  checkFileSchema,
  createContractError,
  describeUnknownKey,
  resolveReferences,
  type SpecFile,
  type Step,
} from './files.ts';
import type { Contract, Operation, Parameter, Schema } from './types.ts';
import { createAjv } from './validators.ts';

/** GET operation as written in `openapi.yaml`. `openapi.schema.json` guarantees these keys. */
interface DocumentOperation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  'x-source': string;
  parameters?: unknown[];
  responses: Record<string, Sourced<{ content: Record<string, Sourced<Content>> }>>;
}

/** Part of `openapi.yaml`, such as a response, that may name the section of the contract that promises it. */
type Sourced<T> = T & { 'x-source'?: string };
type Content = { schema: unknown; examples?: Operation['examples'] };

/** Part of the contract (`Contract`) that comes from `openapi.yaml`. */
type DocumentParts = Pick<Contract, 'title' | 'summary' | 'edition' | 'operations' | 'components'>;

/** Reads and checks `openapi.yaml`. The operations have no `rules` yet. @throws {ContractError} at the first mistake. */
export function readOpenapi(file: SpecFile): DocumentParts {
  checkFileSchema(file, 'openapi');
  const { info, paths, components: namedSections } = file.value as OpenAPIV3_1.Document;
  const operations = Object.entries(paths ?? {}).map(([path, item]) =>
    readOperation(file, path, item?.get as unknown as DocumentOperation),
  );
  const schemas = resolveReferences(file, namedSections?.schemas ?? {}, ['components', 'schemas']);
  const components = schemas as Contract['components'];
  checkSchemas(file, operations, components);
  for (const operation of operations)
    for (const [name, { value }] of Object.entries(operation.examples)) {
      const valueSteps = [...getContentSteps(operation), 'examples', name, 'value'];
      checkExampleFields(file, valueSteps, value, operation.schema);
    }
  return { title: info.title, summary: info.summary ?? '', edition: info.version, operations, components };
}

/**
 * Converts a GET operation of `openapi.yaml` to an `Operation` without rules, with all `$ref` replaced. The operation has one
 * response, of one media type: its success.
 */
function readOperation(file: SpecFile, path: string, get: DocumentOperation): Operation {
  const [[status, response]] = getOnlyEntry(get.responses);
  const [[mediaType, content]] = getOnlyEntry(response.content);
  const source = get['x-source'];
  const statusSource = response['x-source'] ?? source;
  const schemaSteps = getSchemaSteps({ path, status, mediaType });
  const schema = resolveReferences(file, content.schema, schemaSteps) as Schema;
  const parameterSteps = ['paths', path, 'get', 'parameters'];
  return {
    id: get.operationId,
    path,
    tag: get.tags?.[0] ?? '',
    summary: get.summary ?? '',
    description: get.description ?? '',
    source,
    sources: { status: statusSource, mediaType: content['x-source'] ?? statusSource },
    parameters: resolveReferences(file, get.parameters ?? [], parameterSteps) as Parameter[],
    status: Number(status),
    mediaType,
    schema,
    envelope: deriveEnvelope(schema),
    examples: content.examples ?? {},
    rules: [],
  };
}

/** Returns the only entry of a map, as a list of one. `maxProperties` of `openapi.schema.json` allows no second entry. */
const getOnlyEntry = <T>(map: Record<string, T>) => Object.entries(map) as [[string, T]];

/** Path, HTTP status and media type, which locate the only response of an operation in `openapi.yaml`. */
type SuccessPlace = Pick<Operation, 'path' | 'mediaType'> & { status: string | number };
const getContentSteps = ({ path, status, mediaType }: SuccessPlace): Step[] => [
  ...['paths', path, 'get', 'responses', `${status}`, 'content', mediaType],
];
const getSchemaSteps = (success: SuccessPlace) => [...getContentSteps(success), 'schema'];

/**
 * Derives from a response schema how a success is recognized (contract 2.1): `code` is the pointer of the first field with a
 * constant and its value, such as `/code` and 200; `payload` is the pointer of the first required object, such as `/data`. Leaves
 * out what the schema lacks.
 */
function deriveEnvelope({ properties = {}, required = [] }: Schema): Operation['envelope'] {
  const fields = Object.entries(properties);
  const code = fields.find(([, schema]) => schema.const !== undefined);
  const payload = fields.find(([name, { type }]) => type === 'object' && required.includes(name));
  return {
    ...(code ? { code: { pointer: `/${code[0]}`, value: code[1].const } } : {}),
    ...(payload ? { payload: `/${payload[0]}` } : {}),
  };
}

/**
 * Keywords of JSON Schema 2020-12 that a schema in `openapi.yaml` must not use: Ajv reports their errors at the whole object and
 * not at the field, so that no requirement would have the address. `accepts` of a ledger entry may use these keywords.
 */
const unsupportedKeywords = [
  ...['if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not', 'dependentSchemas', 'dependentRequired'],
  ...['additionalProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['prefixItems', 'contains', 'unevaluatedItems'],
];

function checkSchemas(file: SpecFile, operations: Operation[], components: Contract['components']): void {
  for (const [name, schema] of Object.entries(components))
    checkSchema(file, ['components', 'schemas', name], schema, unsupportedKeywords);
  for (const operation of operations) {
    checkSchema(file, getSchemaSteps(operation), operation.schema, unsupportedKeywords);
    for (const [index, { schema }] of operation.parameters.entries())
      checkSchema(
        file,
        ['paths', operation.path, 'get', 'parameters', index, 'schema'],
        schema,
        unsupportedKeywords,
      );
  }
}

/**
 * Checks that the contract declares each field of an example, because a misspelt field would document data that no provider sends.
 * @param steps path of `value` in the file
 * @throws {ContractError} with the line of the first undeclared field
 */
function checkExampleFields(
  file: SpecFile,
  steps: Step[],
  value: unknown,
  { items, properties }: Schema,
): void {
  if (Array.isArray(value) && items)
    for (const [index, element] of value.entries())
      checkExampleFields(file, [...steps, index], element, items);
  if (!isRecord(value) || !properties) return;
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!field) throw createContractError(file, [...steps, name], describeUnknownKey(name, properties));
    checkExampleFields(file, [...steps, name], member, field);
  }
}

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Ajv of `compileStrictly`, created once: compiling the meta-schema takes longer than checking all schemas against it. */
let strictAjv: Ajv2020 | undefined;
/** Schemas that passed `compileStrictly`, as JSON: contracts that this process loads later share most of them. */
const validSchemas = new Set<string>();

/**
 * Checks a schema at a path in a file, and then the schemas of its fields and elements one by one, so that each mistake has its
 * line.
 * @param rejectedKeywords keywords of JSON Schema that must not occur at this place; default: none
 * @throws {ContractError} with the line of the first mistake.
 */
export function checkSchema(
  file: SpecFile,
  steps: Step[],
  schema: unknown,
  rejectedKeywords: string[] = [],
): void {
  if (!isRecord(schema)) throw createContractError(file, steps, 'a schema must be an object; correct it');
  const rejected = rejectedKeywords.find((keyword) => Object.hasOwn(schema, keyword));
  if (rejected) {
    const problem = `\`${rejected}\` is not supported, since its rule has no address; add a rule to spec/requirements.yaml`;
    throw createContractError(file, [...steps, rejected], problem);
  }
  const { items, properties, type = [] } = schema;
  // `type` may be missing, one name, or a list of names.
  const unknownType = [type].flat().find((name) => !jsonTypes.includes(name as string));
  if (unknownType !== undefined)
    throw createContractError(
      file,
      [...steps, 'type'],
      `\`${unknownType}\` is no type; use one of ${jsonTypes.join(', ')}`,
    );
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  // An error of this schema is then about this node alone. The calls below check the schemas of fields and elements.
  const schemaWithoutChildren = {
    ...schema,
    ...(isRecord(properties) ? { properties: Object.fromEntries(fields.map(([name]) => [name, {}])) } : {}),
    ...(items === undefined ? {} : { items: {} }),
  };
  compileStrictly(file, steps, schemaWithoutChildren);
  if (items !== undefined) checkSchema(file, [...steps, 'items'], items, rejectedKeywords);
  for (const [name, field] of fields)
    checkSchema(file, [...steps, 'properties', name], field, rejectedKeywords);
}

/**
 * Compiles a schema in the strict mode of Ajv, unless an equal schema passed already.
 * @throws {ContractError} with Ajv's message, at the line of the keyword if Ajv does not know it, or else of the schema
 */
function compileStrictly(file: SpecFile, steps: Step[], schema: object): void {
  try {
    strictAjv ??= createAjv({ validateSchema: true });
    const text = JSON.stringify(schema);
    if (!validSchemas.has(text)) strictAjv.compile(schema);
    validSchemas.add(text);
  } catch (error) {
    const message = shortenAjvMessage((error as Error).message);
    const [, unknownKeyword] = /unknown keyword: "([^"]+)"/.exec(message) ?? [];
    const mistakeSteps = unknownKeyword ? [...steps, unknownKeyword] : steps;
    throw createContractError(file, mistakeSteps, `${message}; correct the schema`);
  }
}

/**
 * Removes prefix and location from an error message of Ajv: `schema is invalid: data/minLength must be >= 0` becomes `minLength
 * must be >= 0`. The line of the `ContractError` is the location.
 */
const shortenAjvMessage = (message: string) =>
  message
    .split('\n')[0]
    ?.replace(/^strict mode: |^schema is invalid: /, '')
    .replace(/ (ignored )?(in schema )?(at path|\(strict).*$/, '')
    .replaceAll('data/', '') ?? '';
