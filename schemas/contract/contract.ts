import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenAPIV3_1 } from 'openapi-types';
import { withCache } from './cache.ts';
import type { Classification } from './classification.ts';
import { ContractError } from './contract-error.ts';
import { type Entry, otherNamesFor, readLedger } from './ledger.ts';
import { readOpenapi } from './openapi.ts';
import { type Question, readQuestions } from './questions.ts';
import { readRules, rulesFor } from './rule-validation.ts';
import { checkSchemas } from './schema-check.ts';
import { readYaml, type YamlFile } from './yaml.ts';

export { ContractError } from './contract-error.ts';

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
  /** Of the success, the only response that is documented. */
  status: number;
  mediaType: string;
  schema: Schema;
  /** Sections of the contract that promise status and media type. */
  sources: { status: string; mediaType: string };
  /** Where a success says that it is one: its constant, and the object that carries the payload. */
  envelope: { code?: { pointer: string; value: unknown }; payload?: string };
  examples: Record<string, { summary: string; value: unknown }>;
  /** Rules that hold for it. */
  rules: Rule[];
  /** Names that the ledger accepts in place of those of its fields. */
  otherNames: string[];
}

/** How a rule that no schema can say is judged; see the head of `spec/requirements.yaml`. */
export type Check =
  | { uniqueKeys: true }
  | { finiteNumbers: true }
  | { declaredFields: true }
  | { echoes: string; pointer: string; when?: Record<string, string> }
  | { presentWith: Record<string, string>; pointer: string }
  | { needs: string; when: Record<string, string>; pointer: string }
  | Relation;

/** A rule between answers; `again` is how often both sides are asked again before it is called broken. */
export type Relation = { again: number } & (
  | { unique: string; named: string }
  | { constant: string[]; parameter: string }
  | Listed
);

/** A rule between a list and the lookup of what it lists; `key` identifies the elements of the list. */
export type Listed = { again: number; listedBy: string; key: string } & (
  | { found: string }
  | { same: string; parameter: string }
  | { presentAs: string; parameter: string }
);

/** The check of a kind. */
export type CheckOf<Kind extends string> = Extract<Check, Record<Kind, unknown>>;

/** A rule of `spec/requirements.yaml`. */
export interface Rule {
  address: string;
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  statement: string;
  source: string;
  check: Check;
  /** Line in `spec/requirements.yaml`. */
  line: number;
}

/** All that `spec/` says. */
export interface Contract {
  title: string;
  summary: string;
  operations: Operation[];
  /** Schemas that have a name of their own. */
  components: Record<string, Schema>;
  rules: Rule[];
  ledger: Entry[];
  questions: Question[];
  /** First characters of the SHA-256 of the document and the rules. */
  hash: string;
  document: YamlFile;
}

/** The files of `spec/`, by their texts. */
export type SpecTexts = Record<(typeof specFiles)[number], string>;

/** Names of the files in `spec/`. */
export const specFiles = ['openapi.yaml', 'requirements.yaml', 'ledger.yaml', 'questions.yaml'] as const;

const specFolder = fileURLToPath(new URL('../../spec/', import.meta.url));

/**
 * Reads everything in `spec/`. A process calls this where it begins, and passes the contract on.
 * @throws {ContractError} at the first mistake.
 */
export function loadContract(folder = specFolder): Contract {
  const texts = readSpecTexts(folder);
  if (!loaded || specFiles.some((name) => loaded?.texts[name] !== texts[name]))
    loaded = { texts, contract: withCache(JSON.stringify(texts), () => buildContract(texts)) };
  return loaded.contract;
}

/** The contract, or why it cannot be used, for those who have to go on without it. */
export function contractOrProblem(): Contract | ContractError {
  try {
    return loadContract();
  } catch (error) {
    if (error instanceof ContractError) return error;
    throw error;
  }
}

/** The contract that this process has loaded last: a text that is unchanged is not read again. */
let loaded: { texts: SpecTexts; contract: Contract } | undefined;

/** Path of a file in `spec/`, for those who write it. */
export const specFile = (name: keyof SpecTexts) => path.join(specFolder, name);

/** The texts of the files in `spec/`. @throws {ContractError} when one cannot be read. */
export function readSpecTexts(folder = specFolder): SpecTexts {
  return Object.fromEntries(specFiles.map((name) => [name, readSpecText(name, folder)])) as SpecTexts;
}

/** The text of one file in `spec/`. @throws {ContractError} when it cannot be read. */
export function readSpecText(name: keyof SpecTexts, folder = specFolder): string {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch {
    throw new ContractError(`spec/${name}, line 1: the file cannot be read; restore it`);
  }
}

/** Builds a contract from the texts of its files. @throws {ContractError} at the first mistake. */
export function buildContract(texts: SpecTexts): Contract {
  const document = readYaml('openapi.yaml', texts['openapi.yaml']);
  const { operations, ...rest } = readOpenapi(document);
  checkSchemas(document, { operations, components: rest.components });
  const rules = readRules(texts['requirements.yaml'], operations);
  const contract = {
    ...rest,
    operations: operations.map((operation) => ({ ...operation, rules: rulesFor(operation, rules) })),
    rules,
    hash: createHash('sha256')
      .update(texts['openapi.yaml'])
      .update(texts['requirements.yaml'])
      .digest('hex')
      .slice(0, 12),
    document,
  };
  const ledger = readLedger(texts['ledger.yaml'], contract);
  for (const operation of contract.operations) operation.otherNames = otherNamesFor(operation, ledger);
  return { ...contract, ledger, questions: readQuestions(texts['questions.yaml']) };
}
