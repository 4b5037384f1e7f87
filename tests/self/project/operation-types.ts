import type { Contract, Operation, Schema } from '../../../schemas/contract/contract.ts';

const head = `// Written by \`npm run dev:docs\` from spec/openapi.yaml: change the contract, not this file.

/** Name of an operation, its \`operationId\`. */
export type OperationId = keyof Operations;

/** Path and query parameters of an operation, by name. */
export type ParametersOf<Id extends OperationId> = Operations[Id]['parameters'];

/** Success body of an operation as the contract documents it. Nothing has checked that a response conforms. */
export type BodyOf<Id extends OperationId> = Operations[Id]['body'];

/** Parameters and success body of each operation. */
export interface Operations `;

export function renderOperationTypes({ operations, components }: Contract): string {
  const objectSchemas = Object.entries(components).filter(([, { properties }]) => properties);
  const interfaces = objectSchemas.map(([name, schema]) => `\n${renderInterface(name, schema)}\n`);
  return `${head}${renderObject(operations.map(renderOperation))}\n${interfaces.join('')}`;
}

const renderInterface = (name: string, schema: Schema): string =>
  `${renderComment(schema)}export interface ${name} ${renderObject(renderFields(schema))}`;

/** TypeScript property such as `id: string;`, with its doc comment if any. */
type Property = string;

function renderOperation({ id, description, parameters, schema }: Operation): Property {
  const fields = parameters.map(({ name, required = false, ...parameter }) =>
    renderField(name, required, { ...parameter.schema, description: parameter.description ?? '' }),
  );
  const types = renderObject([`parameters: ${renderObject(fields)};`, `body: ${renderType(schema)};`]);
  return `${renderComment({ description })}${id}: ${types};`;
}

const renderObject = (properties: Property[]): string =>
  `${['{', ...properties].join('\n').replaceAll('\n', '\n  ')}\n}`;

/** Renders each field under all its names: `user_id` and `p_user_id` (contract 2.7). */
function renderFields({ properties = {}, required = [] }: Schema): Property[] {
  const fields: Property[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    fields.push(renderField(name, required.includes(name), schema));
    const schemaOfOtherName = { ...schema, description: `Name of \`${name}\` in some responses.` };
    for (const otherName of schema['x-observed-names'] ?? [])
      fields.push(renderField(otherName, false, schemaOfOtherName));
  }
  return fields;
}

const renderField = (name: string, isRequired: boolean, schema: Schema): Property => {
  const isIdentifier = /^[A-Za-z_$][\w$]*$/.test(name);
  const key = isIdentifier ? name : renderLiteral(name);
  return `${renderComment(schema)}${key}${isRequired ? '' : '?'}: ${renderType(schema)};`;
};

function renderComment({ description = '', title }: Schema): string {
  const format = title ? `Format: ${title}.` : '';
  const text = `${description} ${format}`.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `/** ${text} */\n`;
}

function renderType(schema: Schema): string {
  const { const: constant, enum: allowed, 'x-values-that-occur': knownValues, items, properties } = schema;
  if (constant !== undefined) return renderLiteral(constant);
  if (allowed) return allowed.map(renderLiteral).join(' | ');
  // Editors complete the values of an open union only if its last member is not plain `string`.
  if (knownValues) return [...knownValues.map(renderLiteral), '(string & {})'].join(' | ');
  if (items) return `Array<${renderType(items)}>`;
  if (properties) return schema['x-component'] ?? renderObject(renderFields(schema));
  return simpleTypes[schema.type ?? 'unknown'];
}

const simpleTypes = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'Record<string, unknown>',
  array: 'unknown[]',
  unknown: 'unknown',
};

const renderLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'")}'` : `${value}`;
