import type { OpenAPIV3_1 } from 'openapi-types';
import type { JsonPointer } from '../json.ts';
import type { Classification } from './classification.ts';

/** Number of a section of the API documentation (the contract), such as `2.3`. */
export type ContractSection = string;

/** Stable id of a requirement, such as `getCard/data/card/id`. */
export type RequirementAddress = string;

/** JSON Schema from `openapi.yaml`, in which each `$ref` is replaced by the referenced schema. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  'x-source'?: ContractSection;
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /** Values seen so far; others may occur, too (contract 2.3: `period`). */
  'x-values-that-occur'?: string[];
  /** Other names of the field in responses, such as `p_user_id` for `user_id` (contract 2.7). */
  'x-observed-names'?: string[];
};

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** Environment variable with the identifiers to send, such as `CARD_IDS`. */
  'x-identifiers'?: string;
  'x-source': ContractSection;
  'x-data-classification': Classification;
}

/** GET operation, with its documented success response. */
export interface Operation {
  id: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  source: ContractSection;
  parameters: Parameter[];
  status: number;
  mediaType: string;
  schema: Schema;
  sources: { status: ContractSection; mediaType: ContractSection };
  /** Top-level fields of a success, if any: the first constant (`/code` with the value 200), the first required object (`/data`). */
  envelope: {
    code?: { pointer: JsonPointer; value: unknown };
    payload?: JsonPointer;
  };
  examples: Record<string, { summary: string; value: unknown }>;
  rules: Rule[];
}

/** Check of a rule in `spec/requirements.yaml`, such as `{ echoes: 'id', pointer: '/data/card/id' }`. */
export type Check =
  /** No object of the body has a key twice. */
  | { uniqueKeys: true }
  /** No number of the body is too large for a double. */
  | { finiteNumbers: true }
  /** The body has only fields that `openapi.yaml` declares. */
  | { declaredFields: true }
  /** The field at `pointer`, if present, equals the parameter named in `echoes`. `when` restricts the requests. */
  | { echoes: string; pointer: JsonPointer; when?: Record<string, string> }
  /** The field at `pointer` is present beside fields with the values in `presentWith`: `{ token_type: 'CreditCard' }`. */
  | { presentWith: Record<string, string>; pointer: JsonPointer }
  /** The target must reject a request that has the parameters in `when`, but lacks the parameter `needs`. */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check that compares several records or responses. */
export type Relation =
  /** List elements with the same value at `unique`, such as the same `uuid`, also have the same value in the field that `named` names. */
  | { unique: JsonPointer; named: string }
  /** Requests with the same value of `parameter` get the same values at the pointers in `constant`. */
  | { constant: JsonPointer[]; parameter: string }
  | LookupCheck;

export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/** Check that a lookup (`getCustomer`) agrees with the list of its records (`listCustomers`). */
export type LookupCheck = ListedKey &
  /** The lookup finds each record of the list by the request parameter named in `found`, such as `id`. */
  (
    | { found: string }
    /** A value at `same` in the lookup equals a value of that name beside `key` in the list. The lookup sends the key in `parameter`. */
    | { same: JsonPointer; parameter: string }
    /** The field at `presentAs` is present in the lookup if and only if the list has a field of that name beside `key`. */
    | { presentAs: JsonPointer; parameter: string }
  );

interface ListedKey {
  listedBy: string;
  /** JSON Pointer to the key of each list element, where `*` stands for the index. */
  key: JsonPointer;
}

/** `Check` with a certain key: `CheckOf<'needs'>` is the type with `needs` and `when`. */
export type CheckOf<Key extends string> = Extract<Check, Record<Key, unknown>>;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;

/** Check of any kind, with the keys of all kinds as optional properties. */
export type AnyCheck = { [Key in KeyOf<Check>]?: CheckOf<Key>[Key] };

/** Requirement in `spec/requirements.yaml`, which the schemas of `openapi.yaml` cannot express. */
export interface Rule {
  /** Address without the operation: `rules/unique-keys` for `getCard/rules/unique-keys`. */
  address: string;
  /** Ids of the operations that have the rule; default: all. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Title of the test, such as "no object of the body has a key twice". */
  statement: string;
  source: ContractSection;
  check: Check;
  line: number;
}

export interface Contract {
  title: string;
  summary: string;
  /** `info.version` of `openapi.yaml`. */
  edition: string;
  operations: Operation[];
  components: Record<string, Schema>;
  ledger: LedgerEntry[];
  questions: Question[];
  /** First 12 hex digits of the SHA-256 of `openapi.yaml` and `requirements.yaml`. */
  hash: string;
  /** File, line and column of each requirement, such as `spec/openapi.yaml:120:9`. */
  locations: Record<RequirementAddress, string>;
}

/** Tolerated deviation of the target from one requirement. `spec/ledger.yaml` explains the keys. */
export interface LedgerEntry extends LedgerLocation {
  requirement: RequirementAddress;
  accepts: { schema: Schema } | { name: string } | { missing: true };
  because: string;
  source?: ContractSection;
  link?: string | undefined;
  target?: string;
  /** Last day on which the entry applies, as YYYY-MM-DD; default: no end. */
  until?: string | undefined;
  /** True if a sweep, a run over very many records, found the deviation. */
  swept?: true;
  /** Schema of the field that `requirement` names; undefined for other requirements, such as rules. */
  fieldSchema?: Schema;
}

export interface LedgerLocation {
  line: number;
  /** Path of the ledger in messages; undefined for `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Question that the contract leaves open, from `spec/questions.yaml`, which explains the keys. */
export interface Question {
  id: string;
  section: ContractSection;
  question: string;
  asked: string;
  answers: string[];
  unaskable?: true;
  grows?: true;
  requests?: string[];
  accept?: string;
  anonymous?: true;
  ordinary?: true;
  compare?: 'record' | 'list' | 'rules' | 'media type';
  headers?: string;
  words?: string;
  values?: JsonPointer[];
  form?: 'word' | 'flag' | 'message' | 'decimal' | 'card number' | 'token';
  attention?: Record<string, string>;
  says?: Record<string, string>;
}
