import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { isRecord } from '../json.ts';
import { classificationSchema } from './classification.ts';
import {
  checkShape,
  closed,
  mistakeAt,
  resolve,
  type SpecFile,
  type Step,
  text,
  unknownKey,
} from './files.ts';
import type { Contract, Operation, Parameter, Schema } from './types.ts';
import { createAjv } from './validators.ts';

const object = { type: 'object', title: 'an object' };
/** A map that must have exactly one key. */
const oneOf = (values: object, names: string, title: string) => ({
  type: 'object',
  additionalProperties: values,
  propertyNames: { pattern: names },
  minProperties: 1,
  maxProperties: 1,
  title,
});

const parameter = closed({
  name: text,
  in: { enum: ['path', 'query'] },
  'required?': { type: 'boolean', title: 'true or false' },
  'description?': text,
  schema: object,
  'x-source': text,
  'x-data-classification': classificationSchema,
  'x-identifiers?': { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$', title: 'a name of a variable' },
});

const example = closed({ summary: text, 'description?': text, value: {} });

const content = closed({
  schema: object,
  'examples?': { type: 'object', additionalProperties: example },
  'x-source?': text,
});

const response = closed({
  description: text,
  'x-source?': text,
  content: oneOf(content, '^[a-z]+/[a-z.+-]+$', 'one media type with its schema'),
});

const operation = closed({
  operationId: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]*$', title: 'a name of letters and digits' },
  'tags?': { type: 'array', items: text },
  'summary?': text,
  'description?': text,
  'x-source': text,
  'parameters?': { type: 'array', items: parameter, title: 'a list of parameters' },
  responses: oneOf(response, '^2[0-9][0-9]$', 'one response, that of the success'),
});

/** The OpenAPI documents that this suite reads: closed where it reads. What it does not read, `redocly lint` checks. */
const shape = closed({
  openapi: { type: 'string', pattern: '^3\\.1\\.[0-9]+$', title: 'a version 3.1 of OpenAPI' },
  info: {
    type: 'object',
    required: ['title', 'version'],
    properties: { title: text, version: text, summary: text },
  },
  'servers?': { type: 'array' },
  'security?': { type: 'array' },
  'tags?': { type: 'array' },
  'externalDocs?': object,
  paths: {
    type: 'object',
    additionalProperties: closed({ get: operation }),
    propertyNames: { pattern: '^/' },
    title: 'paths with a `get` each',
  },
  'components?': closed({ 'schemas?': { type: 'object', additionalProperties: object } }),
});

/** An operation of the document as its shape promises it. */
interface DocumentOperation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  'x-source': string;
  parameters?: unknown[];
  responses: Record<string, Sourced<{ content: Record<string, Sourced<Content>> }>>;
}

type Sourced<T> = T & { 'x-source'?: string };
type Content = { schema: unknown; examples?: Operation['examples'] };

/** What is read of `openapi.yaml`. */
type FromDocument = Pick<Contract, 'title' | 'summary' | 'edition' | 'operations' | 'components'>;

/** Reads `openapi.yaml`. @throws {ContractError} at the first mistake. */
export function readOpenapi(file: SpecFile): FromDocument {
  checkShape(file, shape);
  const { info, paths, components: named } = file.value as OpenAPIV3_1.Document;
  const operations = Object.entries(paths ?? {}).map(([path, item]) =>
    operationOf(file, path, item?.get as unknown as DocumentOperation),
  );
  const schemas = resolve(file, named?.schemas ?? {}, ['components', 'schemas']);
  const components = schemas as Contract['components'];
  checkSchemas(file, operations, components);
  for (const one of operations)
    for (const [name, { value }] of Object.entries(one.examples))
      checkFields(file, [...contentSteps(one), 'examples', name, 'value'], value, one.schema);
  return { title: info.title, summary: info.summary ?? '', edition: info.version, operations, components };
}

function operationOf(file: SpecFile, path: string, get: DocumentOperation): Operation {
  const [[status, response]] = onlyEntry(get.responses);
  const [[mediaType, content]] = onlyEntry(response.content);
  const source = get['x-source'];
  const statusSource = response['x-source'] ?? source;
  const schema = resolve(file, content.schema, schemaSteps({ path, status, mediaType })) as Schema;
  return {
    id: get.operationId,
    path,
    tag: get.tags?.[0] ?? '',
    summary: get.summary ?? '',
    description: get.description ?? '',
    source,
    sources: { status: statusSource, mediaType: content['x-source'] ?? statusSource },
    parameters: resolve(file, get.parameters ?? [], ['paths', path, 'get', 'parameters']) as Parameter[],
    status: Number(status),
    mediaType,
    schema,
    envelope: envelopeOf(schema),
    examples: content.examples ?? {},
    rules: [],
  };
}

/** The shape promises exactly one. */
const onlyEntry = <T>(map: Record<string, T>) => Object.entries(map) as [[string, T]];

/** Where the success of an operation is described. */
type Success = Pick<Operation, 'path' | 'mediaType'> & { status: string | number };
const contentSteps = ({ path, status, mediaType }: Success): Step[] => [
  ...['paths', path, 'get', 'responses', `${status}`, 'content', mediaType],
];
const schemaSteps = (success: Success) => [...contentSteps(success), 'schema'];

/** Where a success says that it is one: the field with a constant, and the object that it requires. */
function envelopeOf({ properties = {}, required = [] }: Schema): Operation['envelope'] {
  const fields = Object.entries(properties);
  const code = fields.find(([, schema]) => schema.const !== undefined);
  const payload = fields.find(([name, { type }]) => type === 'object' && required.includes(name));
  return {
    ...(code ? { code: { pointer: `/${code[0]}`, value: code[1].const } } : {}),
    ...(payload ? { payload: `/${payload[0]}` } : {}),
  };
}

function checkSchemas(file: SpecFile, operations: Operation[], components: Contract['components']): void {
  for (const [name, schema] of Object.entries(components))
    checkSchema(file, ['components', 'schemas', name], schema);
  for (const one of operations) {
    checkSchema(file, schemaSteps(one), one.schema);
    for (const [index, { schema }] of one.parameters.entries())
      checkSchema(file, ['paths', one.path, 'get', 'parameters', index, 'schema'], schema);
  }
}

/** Of an example each field must be one of the contract: a misspelt one would promise what nobody has. */
function checkFields(file: SpecFile, steps: Step[], value: unknown, { items, properties }: Schema): void {
  if (Array.isArray(value) && items)
    for (const [index, one] of value.entries()) checkFields(file, [...steps, index], one, items);
  if (!isRecord(value) || !properties) return;
  for (const [name, one] of Object.entries(value)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!field) throw mistakeAt(file, [...steps, name], unknownKey(name, properties));
    checkFields(file, [...steps, name], one, field);
  }
}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Compiling JSON Schema itself takes longer than compiling all that is held against it: once in a process. */
let strict: Ajv2020 | undefined;
/** What was held against it, and is right: most of what another contract says, this one says as well. */
const right = new Set<string>();

/**
 * Checks a schema that stands at some steps of a file, place by place, so that a mistake has its line.
 * @throws {ContractError} with the line of the mistake.
 */
export function checkSchema(file: SpecFile, steps: Step[], schema: unknown): void {
  if (!isRecord(schema)) throw mistakeAt(file, steps, 'a schema must be an object; correct it');
  const { items, properties, type = [] } = schema;
  const unknown = [type].flat().find((name) => !types.includes(name as string));
  if (unknown !== undefined)
    throw mistakeAt(file, [...steps, 'type'], `\`${unknown}\` is no type; use one of ${types.join(', ')}`);
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const alone = {
    ...schema,
    ...(isRecord(properties) ? { properties: Object.fromEntries(fields.map(([name]) => [name, {}])) } : {}),
    ...(items === undefined ? {} : { items: {} }),
  };
  try {
    strict ??= createAjv({ validateSchema: true });
    const text = JSON.stringify(alone);
    if (!right.has(text)) strict.compile(alone);
    right.add(text);
  } catch (error) {
    const message = reworded((error as Error).message);
    const [, keyword] = /unknown keyword: "([^"]+)"/.exec(message) ?? [];
    throw mistakeAt(file, keyword ? [...steps, keyword] : steps, `${message}; correct the schema`);
  }
  if (items !== undefined) checkSchema(file, [...steps, 'items'], items);
  for (const [name, field] of fields) checkSchema(file, [...steps, 'properties', name], field);
}

/** What Ajv says, without its picture of the place. */
const reworded = (message: string) =>
  message
    .split('\n')[0]
    ?.replace(/^strict mode: |^schema is invalid: /, '')
    .replace(/ (ignored )?(in schema )?(at path|\(strict).*$/, '')
    .replaceAll('data/', '') ?? '';
