import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenAPIV3_1 } from 'openapi-types';
import { ContractError } from './contract-error.ts';
import { assertValidOpenapi } from './document.ts';
import { isObject } from './json.ts';
import { resolve } from './references.ts';
import { validateRule } from './rule-validation.ts';
import { parseYaml } from './yaml.ts';

export { ContractError } from './contract-error.ts';

/** How sensitive a value is: `x-data-classification` of a leaf. Anything but `public` is never shown. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** A schema of the contract, its references resolved. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  'x-source'?: string;
  /** Name below `components/schemas` of what the schema refers to. */
  'x-component'?: string;
  'x-data-classification'?: Classification;
  'x-values-that-occur'?: string[];
  'x-observed-names'?: string[];
};

/** A path or query parameter of an operation. */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** The configuration variable that holds its values. */
  'x-identifiers'?: string;
  'x-source': string;
  'x-data-classification': Classification;
}

/** One documented GET operation. */
export interface Operation {
  id: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  source: string;
  parameters: Parameter[];
  status: number;
  mediaType: string;
  schema: Schema;
  examples: Record<string, { summary: string; value: unknown }>;
}

/** How a rule that no schema can say is judged; see the head of `spec/requirements.yaml`. */
export type Check =
  | { uniqueKeys: true }
  | { finiteNumbers: true }
  | { declaredFields: true }
  | { echoes: string; pointer: string }
  | { needs: string; when: Record<string, string>; pointer: string };

/** A rule of `spec/requirements.yaml`. */
export interface Rule {
  address: string;
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  statement: string;
  source: string;
  check: Check;
}

export interface Contract {
  title: string;
  summary: string;
  operations: Operation[];
  /** Schemas that have a name of their own. */
  components: Record<string, Schema>;
  rules: Rule[];
  /** First characters of the SHA-256 of the document and the rules. */
  hash: string;
}

const folder = new URL('../spec/', import.meta.url);

/** Text of a file in `spec/`. @throws {ContractError} when it cannot be read. */
export function readSpec(file: string): string {
  try {
    return readFileSync(new URL(file, folder), 'utf8');
  } catch {
    throw new ContractError(`spec/${file} cannot be read`);
  }
}

let loaded: Contract | undefined;

/** The contract in `spec/`, read once a process. @throws {ContractError} */
export function loadContract(): Contract {
  loaded ??= buildContract(readSpec('openapi.yaml'), readSpec('requirements.yaml'));
  return loaded;
}

/** Builds a contract from the texts of `openapi.yaml` and `requirements.yaml`. @throws {ContractError} */
export function buildContract(openapi: string, requirements: string): Contract {
  const document = parseOpenapi(openapi);
  const hash = createHash('sha256').update(openapi).update(requirements).digest('hex').slice(0, 12);
  const rules = parseYaml('requirements.yaml', requirements);
  const operations = Object.entries(document.paths ?? {}).map(([path, item]) =>
    operationOf(document, path, item as { get?: OpenAPIV3_1.OperationObject }),
  );
  const twice = operations.find(({ id }, index) => operations.findIndex((one) => one.id === id) < index);
  if (twice) throw new ContractError(`spec/openapi.yaml: ${twice.path}: operationId ${twice.id} is taken`);
  const { title, summary = '' } = document.info ?? { title: '' };
  const components = resolve(document, document.components?.schemas ?? {}, []) as Contract['components'];
  return { title, summary, operations, components, rules: checkedRules(rules, operations), hash };
}

function parseOpenapi(text: string): OpenAPIV3_1.Document {
  const document = parseYaml('openapi.yaml', text);
  if (isObject(document) && isObject(document.paths)) return document as unknown as OpenAPIV3_1.Document;
  throw new ContractError('spec/openapi.yaml: needs an object with paths');
}

/** Refuses a document that breaks OpenAPI's own schema. @throws {ContractError} naming the place. */
export async function assertValidDocument(openapi = readSpec('openapi.yaml')): Promise<void> {
  await assertValidOpenapi(openapi, () => parseOpenapi(openapi));
}

function operationOf(
  document: OpenAPIV3_1.Document,
  path: string,
  item: { get?: OpenAPIV3_1.OperationObject },
): Operation {
  const get = item?.get as (OpenAPIV3_1.OperationObject & { 'x-source'?: string }) | undefined;
  const fail = (reason: string) => new ContractError(`spec/openapi.yaml: ${path}: ${reason}`);
  if (!get?.operationId) throw fail('needs a `get` operation with an operationId');
  const [status, response] = Object.entries(get.responses ?? {})[0] ?? [];
  const [mediaType, content] =
    Object.entries((response as OpenAPIV3_1.ResponseObject)?.content ?? {})[0] ?? [];
  if (!status || !mediaType || !content?.schema)
    throw fail('needs a response with a media type and a schema');
  return {
    id: get.operationId,
    path,
    tag: get.tags?.[0] ?? '',
    summary: get.summary ?? '',
    description: get.description ?? '',
    source: get['x-source'] ?? '',
    parameters: resolve(document, get.parameters ?? [], []) as Parameter[],
    status: Number(status),
    mediaType,
    schema: resolve(document, content.schema, []) as Schema,
    examples: (content.examples ?? {}) as Operation['examples'],
  };
}

function checkedRules(rules: unknown, operations: Operation[]): Rule[] {
  if (!Array.isArray(rules)) throw new ContractError('spec/requirements.yaml: needs a list of rules');
  for (const [index, rule] of rules.entries()) {
    const [mistake] = validateRule(rule, operations);
    const name = rule?.address ?? `rule ${index + 1}`;
    if (mistake) throw new ContractError(`spec/requirements.yaml: ${name}: ${mistake}`);
  }
  return rules;
}
