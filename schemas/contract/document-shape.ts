import { classificationSchema } from './classification.ts';
import { closed, text } from './shape.ts';

const texts = { type: 'array', items: text };
const anything = {};
const object = { type: 'object', title: 'an object' };
const mapOf = (values: object, names = '') => ({
  type: 'object',
  additionalProperties: values,
  ...(names ? { propertyNames: { pattern: names } } : {}),
});
/** A map that must have exactly one key. */
const oneOf = (values: object, names: string, title: string) => ({
  ...mapOf(values, names),
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

const example = closed({ summary: text, 'description?': text, value: anything });

const content = closed({ schema: object, 'examples?': mapOf(example), 'x-source?': text });

const response = closed({
  description: text,
  'x-source?': text,
  content: oneOf(content, '^[a-z]+/[a-z.+-]+$', 'one media type with its schema'),
});

const operation = closed({
  operationId: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]*$', title: 'a name of letters and digits' },
  'tags?': texts,
  'summary?': text,
  'description?': text,
  'x-source': text,
  'parameters?': { type: 'array', items: parameter, title: 'a list of parameters' },
  responses: oneOf(response, '^2[0-9][0-9]$', 'one response, that of the success'),
});

/** The OpenAPI documents that this suite reads: closed where it reads. What it does not read, `redocly lint` checks. */
export const documentShape = closed({
  openapi: { type: 'string', pattern: '^3\\.1\\.[0-9]+$', title: 'a version 3.1 of OpenAPI' },
  info: closed({
    title: text,
    version: text,
    'summary?': text,
    'description?': text,
    'license?': object,
    'contact?': object,
    'termsOfService?': text,
    'x-sections?': text,
  }),
  'servers?': { type: 'array' },
  'security?': { type: 'array' },
  'tags?': { type: 'array' },
  'externalDocs?': object,
  paths: { ...mapOf(closed({ get: operation }), '^/'), minProperties: 1, title: 'paths with a `get` each' },
  'components?': closed({ 'schemas?': mapOf(object) }),
});
