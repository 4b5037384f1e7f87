import type { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord } from '../json.ts';
import {
  checkFileSchema,
  createContractError,
  describeUnknownKey,
  resolveReferences,
  type SpecFile,
  type YamlPath,
} from './files.ts';
import { findField } from './nodes.ts';
import type { Contract, ContractSection, Operation, Parameter, Schema } from './types.ts';
import { createAjv } from './validators.ts';

/** Content of `openapi.yaml`, after the check by `openapi.schema.json`. */
interface WrittenDocument {
  info: { title: string; summary?: string; version: string };
  paths: Record<string, { get: WrittenOperation }>;
  components?: { schemas?: object };
}

interface WrittenOperation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  'x-source': ContractSection;
  parameters?: unknown[];
  responses: Record<string, WithSource<{ content: Record<string, WithSource<Content>> }>>;
}

type Content = { schema: unknown; examples?: Operation['examples'] };

type WithSource<Part> = Part & { 'x-source'?: ContractSection };

/**
 * Checks `openapi.yaml`, and returns what this file determines of `Contract`. `buildContract` later fills the empty `rules`.
 * @throws {ContractError} at the first mistake.
 */
export function readOpenapi(file: SpecFile) {
  checkFileSchema(file, 'openapi');
  const { info, paths, components: { schemas = {} } = {} } = file.value as WrittenDocument;
  const operations = Object.entries(paths).map(([path, { get }]) => readOperation(file, path, get));
  const resolvedSchemas = resolveReferences(file, schemas, ['components', 'schemas']);
  const components = resolvedSchemas as Contract['components'];
  checkSchemas(file, operations, components);
  for (const operation of operations) checkFieldNamesOfExamples(file, operation);
  return { title: info.title, summary: info.summary ?? '', edition: info.version, operations, components };
}

function readOperation(file: SpecFile, path: string, get: WrittenOperation): Operation {
  const [status, response] = getOnlyEntry(get.responses);
  const [mediaType, content] = getOnlyEntry(response.content);
  // A response or media type without `x-source` has that of the nearest enclosing part.
  const source = get['x-source'];
  const statusSource = response['x-source'] ?? source;
  const mediaTypeSource = content['x-source'] ?? statusSource;
  const contentPath = getContentPath({ path, status: Number(status), mediaType });
  const schema = resolveReferences(file, content.schema, [...contentPath, 'schema']) as Schema;
  const parametersPath = ['paths', path, 'get', 'parameters'];
  return {
    id: get.operationId,
    path,
    tag: get.tags?.[0] ?? '',
    summary: get.summary ?? '',
    description: get.description ?? '',
    source,
    sources: { status: statusSource, mediaType: mediaTypeSource },
    parameters: resolveReferences(file, get.parameters ?? [], parametersPath) as Parameter[],
    status: Number(status),
    mediaType,
    schema,
    envelope: deriveEnvelope(schema),
    examples: content.examples ?? {},
    rules: [],
  };
}

/** Returns key and value of the only entry of a map. `openapi.schema.json` ensures that there is exactly one. */
const getOnlyEntry = <Value>(map: Record<string, Value>) => Object.entries(map)[0] as [string, Value];

const getContentPath = ({ path, status, mediaType }: Pick<Operation, 'path' | 'status' | 'mediaType'>) => [
  ...['paths', path, 'get', 'responses', `${status}`, 'content', mediaType],
];

/**
 * Finds the fields by which a success is recognized (contract 2.1): `code` is the first field with a `const`, `payload` the
 * first required object. Omits either one if the schema has no such field.
 */
function deriveEnvelope({ properties = {}, required = [] }: Schema): Operation['envelope'] {
  const names = Object.keys(properties);
  const codeName = names.find((name) => properties[name]?.const !== undefined);
  const payloadName = names.find((name) => properties[name]?.type === 'object' && required.includes(name));
  return {
    ...(codeName && { code: { pointer: `/${codeName}`, value: properties[codeName]?.const } }),
    ...(payloadName && { payload: `/${payloadName}` }),
  };
}

/**
 * Keywords of JSON Schema 2020-12 that schemas in `openapi.yaml` must not use, because Ajv reports their violations for a whole
 * object instead of a field. Allowed in `accepts.schema` of a ledger entry.
 */
const unsupportedKeywords = [
  ...['if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not', 'dependentSchemas', 'dependentRequired'],
  ...['additionalProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['prefixItems', 'contains', 'unevaluatedItems'],
];

function checkSchemas(file: SpecFile, operations: Operation[], components: Contract['components']): void {
  const check = (yamlPath: YamlPath, schema: Schema) =>
    checkSchema(file, yamlPath, schema, unsupportedKeywords);
  for (const [name, schema] of Object.entries(components)) check(['components', 'schemas', name], schema);
  for (const operation of operations) {
    check([...getContentPath(operation), 'schema'], operation.schema);
    for (const [index, { schema }] of operation.parameters.entries())
      check(['paths', operation.path, 'get', 'parameters', index, 'schema'], schema);
  }
}

function checkFieldNamesOfExamples(file: SpecFile, operation: Operation): void {
  for (const [name, { value }] of Object.entries(operation.examples)) {
    const valuePath = [...getContentPath(operation), 'examples', name, 'value'];
    checkExampleFieldNames(file, valuePath, value, operation.schema);
  }
}

/** Checks that the schema declares each field of an example. An undeclared field is likely misspelt. */
function checkExampleFieldNames(
  file: SpecFile,
  yamlPath: YamlPath,
  value: unknown,
  { items, properties }: Schema,
): void {
  if (Array.isArray(value) && items)
    for (const [index, element] of value.entries())
      checkExampleFieldNames(file, [...yamlPath, index], element, items);
  if (!isRecord(value) || !properties) return;
  for (const [name, fieldValue] of Object.entries(value)) {
    const fieldPath = [...yamlPath, name];
    const fieldSchema = findField({ properties }, name);
    if (!fieldSchema) throw createContractError(file, fieldPath, describeUnknownKey(name, properties));
    checkExampleFieldNames(file, fieldPath, fieldValue, fieldSchema);
  }
}

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Ajv of `compileStrictly`. Reused, because its meta-schema takes longer to compile than all schemas of the contract. */
let strictAjv: Ajv2020 | undefined;

/** Schemas, as JSON, that have passed `compileStrictly`. */
const validSchemas = new Set<string>();

/**
 * Checks a schema by itself, then the schemas of its fields and elements one by one, so that each error names the line of the
 * schema with the mistake.
 * @throws {ContractError} with the line of the first mistake.
 */
export function checkSchema(
  file: SpecFile,
  yamlPath: YamlPath,
  schema: unknown,
  rejectedKeywords: string[] = [],
): void {
  if (!isRecord(schema)) throw createContractError(file, yamlPath, 'a schema must be an object; correct it');
  checkKeywords(file, yamlPath, schema, rejectedKeywords);
  checkTypes(file, yamlPath, schema);
  const { items, properties } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  // With `{}` for the schema of each field and element, an error can only be about this schema itself.
  const schemaWithoutChildren = { ...schema };
  if (isRecord(properties))
    schemaWithoutChildren.properties = Object.fromEntries(fields.map(([name]) => [name, {}]));
  if (items !== undefined) schemaWithoutChildren.items = {};
  compileStrictly(file, yamlPath, schemaWithoutChildren);
  if (items !== undefined) checkSchema(file, [...yamlPath, 'items'], items, rejectedKeywords);
  for (const [name, field] of fields)
    checkSchema(file, [...yamlPath, 'properties', name], field, rejectedKeywords);
}

function checkKeywords(file: SpecFile, yamlPath: YamlPath, schema: object, rejectedKeywords: string[]): void {
  const rejected = rejectedKeywords.find((keyword) => Object.hasOwn(schema, keyword));
  if (!rejected) return;
  // A requirement is named after one field, but a violation of such a keyword is about a whole object or list.
  const problem = `\`${rejected}\` is not supported, since its rule has no address; add a rule to spec/requirements.yaml`;
  throw createContractError(file, [...yamlPath, rejected], problem);
}

function checkTypes(file: SpecFile, yamlPath: YamlPath, { type = [] }: Record<string, unknown>): void {
  // `type` may be missing, one name, or a list of names.
  const unknownType = [type].flat().find((name) => !jsonTypes.includes(name as string));
  if (unknownType === undefined) return;
  const problem = `\`${unknownType}\` is no type; use one of ${jsonTypes.join(', ')}`;
  throw createContractError(file, [...yamlPath, 'type'], problem);
}

/**
 * Compiles a schema in the strict mode of Ajv, which rejects unknown keywords.
 * @throws {ContractError} with the message of Ajv, at the line of an unknown keyword, or else at the line of the schema
 */
function compileStrictly(file: SpecFile, yamlPath: YamlPath, schema: object): void {
  const serializedSchema = JSON.stringify(schema);
  if (validSchemas.has(serializedSchema)) return;
  strictAjv ??= createAjv({ validateSchema: true });
  try {
    strictAjv.compile(schema);
  } catch (error) {
    const message = shortenAjvMessage((error as Error).message);
    const [, unknownKeyword] = /unknown keyword: "([^"]+)"/.exec(message) ?? [];
    const mistakePath = unknownKeyword ? [...yamlPath, unknownKeyword] : yamlPath;
    throw createContractError(file, mistakePath, `${message}; correct the schema`);
  }
  validSchemas.add(serializedSchema);
}

/** Reduces an Ajv message to the mistake: `minLength must be >= 0` for `schema is invalid: data/minLength must be >= 0`. */
function shortenAjvMessage(message: string): string {
  const [firstLine = ''] = message.split('\n');
  const categoryPrefix = /^strict mode: |^schema is invalid: /;
  // Matches the end of a message, such as ` ignored in schema at path "#"` or ` (strictTypes)`.
  const locationSuffix = / (ignored )?(in schema )?(at path|\(strict).*$/;
  return firstLine.replace(categoryPrefix, '').replace(locationSuffix, '').replaceAll('data/', '');
}
