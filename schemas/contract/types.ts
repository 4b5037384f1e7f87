import type { OpenAPIV3_1 } from 'openapi-types';
import type { Classification } from './classification.ts';

/** Schema of the contract, its references resolved. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  'x-source'?: string;
  /** Name of the component (`components/schemas/NAME`) to which the schema refers. */
  'x-component'?: string;
  'x-data-classification'?: Classification;
  'x-values-that-occur'?: string[];
  'x-observed-names'?: string[];
};

/** Path or query parameter of an operation. */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** Configuration variable that holds its values, such as `CARD_IDS`. */
  'x-identifiers'?: string;
  'x-source': string;
  'x-data-classification': Classification;
}

/** Documented GET operation. */
export interface Operation {
  id: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  source: string;
  parameters: Parameter[];
  /** HTTP status of the success, the only documented response. */
  status: number;
  mediaType: string;
  schema: Schema;
  /** Sections of the contract that promise status and media type. */
  sources: { status: string; mediaType: string };
  /** Marks of a success: the pointer to a constant code, and the pointer to the object with the payload. */
  envelope: { code?: { pointer: string; value: unknown }; payload?: string };
  examples: Record<string, { summary: string; value: unknown }>;
  /** Rules of `spec/requirements.yaml` for this operation. */
  rules: Rule[];
}

/** Check of a rule that JSON Schema cannot express; see the head of `spec/requirements.yaml`. */
export type Check =
  | { uniqueKeys: true }
  | { finiteNumbers: true }
  | { declaredFields: true }
  | { echoes: string; pointer: string; when?: Record<string, string> }
  | { presentWith: Record<string, string>; pointer: string }
  | { needs: string; when: Record<string, string>; pointer: string }
  | Relation;

/** Rule between responses. */
export type Relation = { unique: string; named: string } | { constant: string[]; parameter: string } | Listed;

/** Returns whether a check compares responses with each other. */
export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/** Rule between a list and the lookup of its records; `key` identifies the elements of the list. */
export type Listed = { listedBy: string; key: string } & (
  | { found: string }
  | { same: string; parameter: string }
  | { presentAs: string; parameter: string }
);

/** Check that has a key, such as `CheckOf<'echoes'>`. */
export type CheckOf<Kind extends string> = Extract<Check, Record<Kind, unknown>>;

/** Rule of `spec/requirements.yaml`. */
export interface Rule {
  address: string;
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  statement: string;
  source: string;
  check: Check;
  line: number;
}

/** Contents of `spec/`. */
export interface Contract {
  title: string;
  summary: string;
  /** Edition of the contract: `info.version`. */
  edition: string;
  operations: Operation[];
  /** Schemas of `components/schemas`, keyed by name. */
  components: Record<string, Schema>;
  ledger: LedgerEntry[];
  questions: Question[];
  /** First 12 hex digits of the SHA-256 of `openapi.yaml` and `requirements.yaml`. */
  hash: string;
  /** Text of `openapi.yaml`. */
  text: string;
}

/** Tolerated deviation; see the head of `spec/ledger.yaml`. */
export interface LedgerEntry extends EntryPlace {
  requirement: string;
  accepts: { schema: Schema } | { name: string } | { missing: true };
  because: string;
  source?: string;
  link?: string | undefined;
  target?: string;
  /** Last day on which the entry is in force, as YYYY-MM-DD. */
  until?: string | undefined;
  /** Deviation found by a sweep: only a sweep of the whole list can show that it is fixed. */
  swept?: true;
  /** Schema of the field, for an entry that accepts another name. */
  node?: Schema;
}

/** File and line of an entry. */
export interface EntryPlace {
  line: number;
  /** Ledger of the caller (`LEDGER_FILE`) as shown in messages; undefined for `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Open question: something that the contract leaves open; see the head of `spec/questions.yaml`. */
export interface Question {
  id: string;
  section: string;
  question: string;
  asked: string;
  answers: string[];
  unaskable?: true;
  grows?: true;
  /** Requests to send, as `operation?query` or `operation/identifier`. */
  requests?: string[];
  accept?: string;
  anonymous?: true;
  ordinary?: true;
  /** Counterpart with which the response is compared. */
  compare?: 'record' | 'list' | 'rules' | 'media type';
  /** Pattern of the header names to list, and pattern of the parts of their values that may be shown. */
  headers?: string;
  words?: string;
  /** Pointers to the values to list in the answer, and the form in which each is described. */
  values?: string[];
  form?: 'word' | 'flag' | 'message' | 'decimal' | 'card number' | 'token';
  /** Answers that a report shows under "Needs attention", each with the reason. */
  attention?: Record<string, string>;
  /** Answers in words that fit the question; `…` stands for every other answer. */
  says?: Record<string, string>;
}
