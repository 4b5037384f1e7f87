import type { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord, type Path } from '../json.ts';
import { checkFileSchema, createContractError, resolveReferences, type SpecFile } from './files.ts';
import type { Contract, ContractSection, Operation, Parameter, Schema } from './types.ts';
import { createAjv } from './validators.ts';

/** Content of `openapi.yaml`, valid against `openapi.schema.json`. */
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
 * Checks `openapi.yaml`, and returns the part of the contract that this file defines.
 * @throws {ContractError} at the first mistake
 */
export function readOpenapi(
  file: SpecFile,
): Pick<Contract, 'title' | 'summary' | 'edition' | 'operations' | 'components'> {
  checkFileSchema(file, 'openapi');
  const { info, paths, components: writtenComponents } = file.value as WrittenDocument;
  const operations = Object.entries(paths).map(([path, { get }]) => readOperation(file, path, get));
  const writtenSchemas = writtenComponents?.schemas ?? {};
  const resolvedSchemas = resolveReferences(file, writtenSchemas, ['components', 'schemas']);
  const components = resolvedSchemas as Contract['components'];
  checkSchemas(file, operations, components);
  return { title: info.title, summary: info.summary ?? '', edition: info.version, operations, components };
}

function readOperation(file: SpecFile, path: string, get: WrittenOperation): Operation {
  const [statusText, response] = getOnlyEntry(get.responses);
  const [mediaType, content] = getOnlyEntry(response.content);
  const status = Number(statusText);
  // A response without `x-source` has that of the operation. A media type without `x-source` has that of the response.
  const source = get['x-source'];
  const statusSource = response['x-source'] ?? source;
  const mediaTypeSource = content['x-source'] ?? statusSource;
  const yamlPaths = getOperationPaths({ path, status, mediaType });
  const schema = resolveReferences(file, content.schema, yamlPaths.schema) as Schema;
  const parameters = resolveReferences(file, get.parameters ?? [], yamlPaths.parameters) as Parameter[];
  return {
    id: get.operationId,
    path,
    tag: get.tags?.[0] ?? '',
    summary: get.summary ?? '',
    description: get.description ?? '',
    source,
    sources: { status: statusSource, mediaType: mediaTypeSource },
    parameters,
    status,
    mediaType,
    schema,
    envelope: deriveEnvelope(schema),
    examples: content.examples ?? {},
    // Filled later, because rules come from `requirements.yaml`.
    rules: [],
  };
}

// `openapi.schema.json` ensures that there is exactly one entry.
const getOnlyEntry = <Value>(map: Record<string, Value>) => Object.entries(map)[0] as [string, Value];

/** Returns paths to the parts of an operation in `openapi.yaml`, such as `['paths', '/cards/{id}', 'get', 'parameters']`. */
export function getOperationPaths({
  path,
  status,
  mediaType,
}: Pick<Operation, 'path' | 'status' | 'mediaType'>) {
  const operation = ['paths', path, 'get'];
  const response = [...operation, 'responses', String(status)];
  const content = [...response, 'content', mediaType];
  return { parameters: [...operation, 'parameters'], response, content, schema: [...content, 'schema'] };
}

function deriveEnvelope({ properties = {}, required = [] }: Schema): Operation['envelope'] {
  const envelope: Operation['envelope'] = {};
  const fields = Object.entries(properties);
  // For example `code` with the value 200, and the object `data`.
  const firstConstant = fields.find(([, schema]) => schema.const !== undefined);
  if (firstConstant) {
    const [name, schema] = firstConstant;
    envelope.code = { pointer: `/${name}`, value: schema.const };
  }
  const firstRequiredObject = fields.find(
    ([name, schema]) => schema.type === 'object' && required.includes(name),
  );
  if (firstRequiredObject) envelope.payload = `/${firstRequiredObject[0]}`;
  return envelope;
}

/** JSON Schema keywords that `openapi.yaml` must not use. */
const unsupportedKeywords = [
  // Requirements are derived from schemas in `properties` and `items` only.
  ...['if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not', 'dependentSchemas', 'dependentRequired'],
  ...['additionalProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['prefixItems', 'contains', 'unevaluatedItems'],
];

function checkSchemas(file: SpecFile, operations: Operation[], components: Contract['components']): void {
  const checkSchemaAt = (yamlPath: Path, schema: Schema) =>
    checkSchema(file, yamlPath, schema, unsupportedKeywords);
  for (const [name, schema] of Object.entries(components))
    checkSchemaAt(['components', 'schemas', name], schema);
  for (const operation of operations) {
    const yamlPaths = getOperationPaths(operation);
    checkSchemaAt(yamlPaths.schema, operation.schema);
    for (const [index, { schema }] of operation.parameters.entries())
      checkSchemaAt([...yamlPaths.parameters, index, 'schema'], schema);
  }
}

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Shared by all schemas, because each new Ajv spends time on the meta-schema of JSON Schema. */
let strictAjv: Ajv2020 | undefined;

/** Schemas already found valid, serialized as JSON. */
const validSchemas = new Set<string>();

/**
 * Checks that a schema is valid in Ajv's strict mode. Also checks the schemas of fields and list elements at any depth.
 * @param rejectedKeywords keywords that `schema` must not use at any depth. By default, no keyword is rejected.
 * @throws {ContractError} at the first mistake
 */
export function checkSchema(
  file: SpecFile,
  yamlPath: Path,
  schema: unknown,
  rejectedKeywords: string[] = [],
): void {
  if (!isRecord(schema)) throw createContractError(file, yamlPath, 'a schema must be an object; correct it');
  checkKeywords(file, yamlPath, schema, rejectedKeywords);
  checkTypes(file, yamlPath, schema);
  compileStrictly(file, yamlPath, emptyChildSchemas(schema));
  const { items, properties } = schema;
  if (items !== undefined) checkSchema(file, [...yamlPath, 'items'], items, rejectedKeywords);
  if (!isRecord(properties)) return;
  for (const [name, fieldSchema] of Object.entries(properties))
    checkSchema(file, [...yamlPath, 'properties', name], fieldSchema, rejectedKeywords);
}

function emptyChildSchemas(schema: Record<string, unknown>): object {
  const { items, properties } = schema;
  // `checkSchema` checks the child schemas separately.
  const outerSchema = { ...schema };
  if (items !== undefined) outerSchema.items = {};
  if (isRecord(properties)) {
    const fieldNames = Object.keys(properties);
    outerSchema.properties = Object.fromEntries(fieldNames.map((name) => [name, {}]));
  }
  return outerSchema;
}

function checkKeywords(file: SpecFile, yamlPath: Path, schema: object, rejectedKeywords: string[]): void {
  const rejectedKeyword = rejectedKeywords.find((keyword) => Object.hasOwn(schema, keyword));
  if (!rejectedKeyword) return;
  const problem = `\`${rejectedKeyword}\` is not supported, since its rule has no address; add a rule to spec/requirements.yaml`;
  throw createContractError(file, [...yamlPath, rejectedKeyword], problem);
}

function checkTypes(file: SpecFile, yamlPath: Path, { type = [] }: Record<string, unknown>): void {
  // `type` may be missing, one name, or a list of names.
  const typeNames = [type].flat();
  const unknownType = typeNames.find((name) => !jsonTypes.includes(name as string));
  if (unknownType === undefined) return;
  const problem = `\`${unknownType}\` is no type; use one of ${jsonTypes.join(', ')}`;
  throw createContractError(file, [...yamlPath, 'type'], problem);
}

function compileStrictly(file: SpecFile, yamlPath: Path, schema: object): void {
  const serializedSchema = JSON.stringify(schema);
  if (validSchemas.has(serializedSchema)) return;
  strictAjv ??= createAjv({ validateSchema: true });
  try {
    strictAjv.compile(schema);
  } catch (error) {
    const message = shortenAjvMessage((error as Error).message);
    const unknownKeyword = /unknown keyword: "([^"]+)"/.exec(message)?.[1];
    const mistakePath = unknownKeyword ? [...yamlPath, unknownKeyword] : yamlPath;
    throw createContractError(file, mistakePath, `${message}; correct the schema`);
  }
  validSchemas.add(serializedSchema);
}

/** Shortens an error message of Ajv. `schema is invalid: data/minLength must be >= 0` becomes `minLength must be >= 0`. */
function shortenAjvMessage(message: string): string {
  const [firstLine = ''] = message.split('\n');
  const categoryPrefix = /^strict mode: |^schema is invalid: /;
  // Matches the end of a message, such as ` ignored in schema at path "#"` or ` at "#" (strictTypes)`.
  const locationSuffix = / (ignored )?(in schema )?(at path|at "|\(strict).*$/;
  return firstLine.replace(categoryPrefix, '').replace(locationSuffix, '').replaceAll('data/', '');
}
