import { loadContract, type Operation, type Schema } from '../../../schemas/contract/contract.ts';

/** Writes the types of the API by operation, as `schemas/generated/operations.ts` holds them. */
export function operationTypes(): string {
  const { operations } = loadContract();
  const entries = operations.map((operation) => `  ${operation.id}: ${describeOperation(operation)};`);
  return `// Written by \`npm run dev:docs\` from spec/openapi.yaml: do not edit.

/** Parameters and body of the documented success of each operation. */
export interface Operations {
${entries.join('\n')}
}

export type OperationId = keyof Operations;
export type ParametersOf<Id extends OperationId> = Operations[Id]['parameters'];
export type BodyOf<Id extends OperationId> = Operations[Id]['body'];
`;
}

const describeOperation = ({ parameters, schema }: Operation): string =>
  block(
    [
      `parameters: ${block(
        parameters.map(({ name, required, schema: values }) => property(name, values, required === true, 3)),
        2,
      )};`,
      `body: ${typeOf(schema, 2)};`,
    ],
    1,
  );

/** Writes the type of a value. `depth` is the level of indentation of its line. */
function typeOf(schema: Schema, depth: number): string {
  const { type, properties, items, required = [] } = schema;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values)
    return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
  if (type === 'array') return arrayOf(typeOf(items ?? {}, depth));
  if (type === 'integer' || type === 'number') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  const lines = Object.entries(properties ?? {}).map(([name, value]) =>
    property(name, value, required.includes(name), depth + 1),
  );
  return block(lines, depth);
}

const arrayOf = (type: string): string => (type.startsWith("'") ? `(${type})[]` : `${type}[]`);

const property = (name: string, schema: Schema, isRequired: boolean, depth: number): string =>
  `${name}${isRequired ? '' : '?'}: ${typeOf(schema, depth)};`;

const block = (lines: string[], depth: number): string => {
  const indent = '  '.repeat(depth);
  return `{\n${lines.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`;
};
