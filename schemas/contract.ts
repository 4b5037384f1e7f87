import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenAPIV3_1 } from 'openapi-types';
import { parseDocument } from 'yaml';

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
  'x-data-classification'?: Classification;
  'x-values-that-occur'?: string[];
  'x-observed-names'?: string[];
};

/** A path or query parameter of an operation. */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  schema: Schema;
  'x-source': string;
  'x-data-classification': Classification;
}

/** One documented GET operation. */
export interface Operation {
  id: string;
  path: string;
  tag: string;
  summary: string;
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
  operations: Operation[];
  rules: Rule[];
  /** First characters of the SHA-256 of everything in `spec/`. */
  hash: string;
}

/** The contract itself is unusable: the message says where and why. Never a fault of a target. */
export class ContractError extends Error {
  override name = 'ContractError';
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

/** Parses YAML. @throws {ContractError} naming file, line and column of the first mistake. */
export function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake) throw new ContractError(`spec/${file}: ${mistake.message.split('\n')[0]?.replace(/:$/, '')}`);
  return document.toJS();
}

let loaded: Contract | undefined;

/** The contract in `spec/`, read once a process. @throws {ContractError} */
export function loadContract(): Contract {
  loaded ??= buildContract(readSpec('openapi.yaml'), readSpec('requirements.yaml'));
  return loaded;
}

/** Builds a contract from the texts of `openapi.yaml` and `requirements.yaml`. @throws {ContractError} */
export function buildContract(openapi: string, requirements: string): Contract {
  const document = parseYaml('openapi.yaml', openapi) as OpenAPIV3_1.Document;
  const hash = createHash('sha256').update(openapi).update(requirements).digest('hex').slice(0, 12);
  const rules = parseYaml('requirements.yaml', requirements) as Rule[];
  const operations = Object.entries(document.paths ?? {}).map(([path, item]) =>
    operationOf(document, path, item as { get?: OpenAPIV3_1.OperationObject }),
  );
  return { operations, rules: checkedRules(rules, operations), hash };
}

/** Refuses a document that breaks OpenAPI's own schema. @throws {ContractError} naming the place. */
export async function assertValidDocument(openapi = readSpec('openapi.yaml')): Promise<void> {
  const document = parseYaml('openapi.yaml', openapi);
  const result = await new Validator().validate(document as Record<string, unknown>);
  if (result.valid) return;
  const [first] = Array.isArray(result.errors) ? result.errors : [];
  const reason = first ? `${first.instancePath || '/'} ${first.message}` : String(result.errors);
  throw new ContractError(`spec/openapi.yaml is not a valid OpenAPI 3.1 document: ${reason}`);
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
    source: get['x-source'] ?? '',
    parameters: resolve(document, get.parameters ?? [], []) as Parameter[],
    status: Number(status),
    mediaType,
    schema: resolve(document, content.schema, []) as Schema,
    examples: (content.examples ?? {}) as Operation['examples'],
  };
}

/** Replaces each `$ref` by what it names; words beside a `$ref` win over the named ones. */
function resolve(document: unknown, value: unknown, trail: string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => resolve(document, element, trail));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as Record<string, unknown>;
  const entries = Object.entries(own).map(([key, child]) => [key, resolve(document, child, trail)] as const);
  const words = Object.fromEntries(entries);
  return typeof $ref === 'string' ? { ...(referenced(document, $ref, trail) as object), ...words } : words;
}

function referenced(document: unknown, ref: string, trail: string[]): unknown {
  if (trail.includes(ref)) throw new ContractError(`spec/openapi.yaml: ${ref} refers to itself`);
  const steps = ref.replace(/^#\//, '').split('/');
  const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document);
  if (target === undefined) throw new ContractError(`spec/openapi.yaml: ${ref} refers to nothing`);
  return resolve(document, target, [...trail, ref]);
}

function checkedRules(rules: Rule[], operations: Operation[]): Rule[] {
  const known = new Set(operations.map(({ id }) => id));
  for (const rule of rules) {
    const stranger = rule.operations?.find((id) => !known.has(id));
    if (stranger)
      throw new ContractError(`spec/requirements.yaml: ${rule.address}: unknown operation ${stranger}`);
    if (!rule.statement || !rule.check || !rule.source)
      throw new ContractError(`spec/requirements.yaml: ${rule.address}: needs statement, source and check`);
  }
  return rules;
}
