import type { OpenAPIV3_1 } from 'openapi-types';
import type { JsonPointer } from '../json.ts';
import type { Classification } from './classification.ts';

/** Section of the API documentation (the written contract), such as `2.3`. Comments cite section 2.3 as "contract 2.3". */
export type ContractSection = string;

/** Stable id of a requirement, such as `getCard/data/card/id` or `getCard/http/status`: key in reports, tag of its test. */
export type RequirementAddress = string;

/** JSON Schema from `openapi.yaml`, with each `$ref` replaced by the schema that it refers to. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  'x-source'?: ContractSection;
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /** Values that the contract reports as seen, without promising that there are no others (contract 2.3: `period`). */
  'x-values-that-occur'?: string[];
  /** Other names of the field in responses, such as `p_user_id` in place of `user_id` (contract 2.7). */
  'x-observed-names'?: string[];
};

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** Environment variable with the values to send, such as `CARD_IDS`; undefined if the parameter is no identifier. */
  'x-identifiers'?: string;
  'x-source': ContractSection;
  'x-data-classification': Classification;
}

/** GET operation. `status`, `mediaType` and `schema` are those of a success: the contract documents no other response. */
export interface Operation {
  id: string;
  /** Path of the URL after the base URL: `/svc/ts/api/v1/openapi/cards/{id}`. */
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
  /**
   * Fields by which a body is recognized as a success. The field at `code.pointer`, such as `/code`, has the value `code.value`.
   * The field at `payload`, such as `/data`, contains the record or list.
   */
  envelope: { code?: { pointer: JsonPointer; value: unknown }; payload?: JsonPointer };
  examples: Record<string, { summary: string; value: unknown }>;
  rules: Rule[];
}

/** Check of a rule in `spec/requirements.yaml`. `when` limits a check to requests with these parameters: `{ type: 'user' }`. */
export type Check =
  | { uniqueKeys: true }
  /** No number of the body is too large for a double. */
  | { finiteNumbers: true }
  | { declaredFields: true }
  /** The field at `pointer` equals the request parameter that `echoes` names, such as `id`. */
  | { echoes: string; pointer: JsonPointer; when?: Record<string, string> }
  /** The field at `pointer` is present if the fields beside it have the values in `presentWith`. */
  | { presentWith: Record<string, string>; pointer: JsonPointer }
  /** A request without the parameter that `needs` names, but with those in `when`, must be rejected. */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check that compares several records or responses. */
export type Relation =
  /** If two records of a list have equal values at `unique`, the neighbouring fields that `named` names are equal, too. */
  | { unique: JsonPointer; named: string }
  /** A second request with the same value of `parameter` gets the same values at the pointers in `constant`. */
  | { constant: JsonPointer[]; parameter: string }
  | LookupCheck;

export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/** Check that lookups agree with the list of all records. `found` names a parameter: a lookup with it finds each listed record. */
export type LookupCheck = {
  /** Id of the list operation, such as `listCustomers`. */
  listedBy: string;
  /** Pointer to the identifiers in the list, such as the `uuid` of each customer, with `*` in place of the index. */
  key: JsonPointer;
} & (
  | { found: string }
  /** A lookup sends the key of a record as `parameter`. The field at `same` equals the field with the same name in the list. */
  | { same: JsonPointer; parameter: string }
  /** The field at `presentAs` is present exactly if the record in the list has the field of the same name. */
  | { presentAs: JsonPointer; parameter: string }
);

/** Member of `Check` with a certain key: `CheckOf<'needs'>` is the type with `needs` and `when`. */
export type CheckOf<Key extends string> = Extract<Check, Record<Key, unknown>>;

/** Entry of `spec/requirements.yaml`: a requirement that no JSON Schema can express. */
export interface Rule {
  /** Address without the operation: `rules/unique-keys` for the requirement `getCard/rules/unique-keys`. */
  address: string;
  /** Ids of the operations that must keep the rule; default: all. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Rule in words, and title of its test: "no object of the body has a key twice". */
  statement: string;
  source: ContractSection;
  check: Check;
  /** Line of the rule in `spec/requirements.yaml`, from 1. */
  line: number;
}

export interface Contract {
  title: string;
  summary: string;
  /** `info.version` of `openapi.yaml`. */
  edition: string;
  operations: Operation[];
  /** Named schemas of `openapi.yaml`, such as `Card`. */
  components: Record<string, Schema>;
  ledger: LedgerEntry[];
  questions: Question[];
  /** First 12 hex digits of the SHA-256 of `openapi.yaml` and `requirements.yaml`. */
  hash: string;
  /** Line and column of each requirement, such as `spec/openapi.yaml:120:9`. */
  locations: Record<RequirementAddress, string>;
}

/** Tolerated deviation of the target from one requirement. The head of `spec/ledger.yaml` describes the keys. */
export interface LedgerEntry extends LedgerLocation {
  requirement: RequirementAddress;
  /** Accepted deviation: a value that conforms to `schema`, the field under another `name`, or no field. */
  accepts: { schema: Schema } | { name: string } | { missing: true };
  because: string;
  source?: ContractSection;
  link?: string | undefined;
  target?: string;
  /** Last day on which the entry applies, as YYYY-MM-DD; default: no end. */
  until?: string | undefined;
  /** True if a sweep (lookup of all records) found the deviation. Then only a sweep of all records can show that it is fixed. */
  swept?: true;
  /** Schema of the field in `requirement`. With `accepts.name`, the value under the other name must conform to it. */
  fieldSchema?: Schema;
}

export interface LedgerLocation {
  /** Line in the ledger, from 1. */
  line: number;
  /** Path of the ledger as written in `LEDGER_FILE`; undefined for `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Entry of `spec/questions.yaml`: a question that the contract leaves open. The head of the file describes the keys. */
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
  /**
   * Form in which the answer shows a received value. `word` (default): the value, if it is public. `flag`: true or false.
   * `message`: the text, if it is common, such as `OK`. `decimal`: the notation, such as "2 decimals as text". `card number`: how
   * many digits are visible. `token`: the type of the payment token.
   */
  form?: 'word' | 'flag' | 'message' | 'decimal' | 'card number' | 'token';
  attention?: Record<string, string>;
  says?: Record<string, string>;
}
