import type { OpenAPIV3_1 } from 'openapi-types';
import type { JsonPointer } from '../json.ts';
import type { Classification } from './classification.ts';

/** Section of the contract that promises or mentions something, such as `2.3`. */
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
  /** Name of the schema in `components/schemas`, such as `Card`; undefined if the schema has no name. */
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /**
   * Values of the field that the contract reports as seen, without promising that there are no others (contract 2.3: `period`).
   */
  'x-values-that-occur'?: string[];
  /** Other names that responses use for the field, such as `p_user_id` in place of `user_id` (contract 2.7). */
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

/** GET operation of the contract. */
export interface Operation {
  /** `operationId`, such as `getCard`. */
  id: string;
  /** Path of the URL after the base URL, with parameters in braces, such as `/svc/ts/api/v1/openapi/cards/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  source: ContractSection;
  parameters: Parameter[];
  /** HTTP status of the success, the only response that the contract documents. */
  status: number;
  mediaType: string;
  schema: Schema;
  sources: { status: ContractSection; mediaType: ContractSection };
  /**
   * Fields by which a body is recognized as a success: `code` is the field that must have a constant `value`, such as `/code`
   * with 200; `payload` is the object that contains the record or list, such as `/data`.
   */
  envelope: { code?: { pointer: JsonPointer; value: unknown }; payload?: JsonPointer };
  examples: Record<string, { summary: string; value: unknown }>;
  rules: Rule[];
}

/**
 * Condition in the `check` of a rule in `spec/requirements.yaml`. Its first key tells which kind of check it is. With `when`, the
 * check applies only to requests that have these parameters, such as `{ type: 'user' }`.
 */
export type Check =
  /** No object of the body has the same key twice (RFC 8259 section 4). */
  | { uniqueKeys: true }
  /** Each number of the body is within the range of a double (RFC 8259 section 6). */
  | { finiteNumbers: true }
  /** The body has no field that the contract does not declare. */
  | { declaredFields: true }
  /** The field at `pointer`, if present, equals the parameter named by `echoes`: the `id` of the card is the requested `id`. */
  | { echoes: string; pointer: JsonPointer; when?: Record<string, string> }
  /**
   * The field at `pointer` is present if another field of the same object has the value in `presentWith`: `credit_card` must be
   * present with `{ token_type: 'CreditCard' }` (contract 2.5).
   */
  | { presentWith: Record<string, string>; pointer: JsonPointer }
  /** A request without the parameter named by `needs` must not succeed: `type=user` requires `user_id` (contract 4.4). */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check that compares several records of a list, a list with a lookup of one record, or two responses to the same request. */
export type Relation =
  /**
   * Two records of a list that are equal at `unique`, such as `uuid`, are also equal in the field `named`, such as
   * `reference_number`.
   */
  | { unique: JsonPointer; named: string }
  /**
   * The fields at `constant` have the same values when a record is requested again. `parameter` is the parameter with the
   * identifier of the record, such as `id`.
   */
  | { constant: JsonPointer[]; parameter: string }
  | LookupCheck;

export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/** List whose records are compared with lookups, which are requests for one record by its identifier. */
interface ListReference {
  /** Id of the list operation, such as `listCustomers`. */
  listedBy: string;
  /** Pointer to the identifiers in the list, such as the `uuid` of each customer, with `*` in place of the index. */
  key: JsonPointer;
}

/** Check that a lookup finds each record of a list. `found` is the name of the parameter with the identifier, such as `id`. */
interface FoundCheck extends ListReference {
  found: string;
}

/** Check that a field of a record, at the pointer `same`, has the same value in a lookup and in the list. */
interface SameValueCheck extends ListReference {
  same: JsonPointer;
  /** Name of the parameter of the lookup with the identifier, such as `id`. */
  parameter: string;
}

/** Check that a field of a record, at the pointer `presentAs`, is present both in a lookup and in the list, or in neither. */
interface SamePresenceCheck extends ListReference {
  presentAs: JsonPointer;
  /** Name of the parameter of the lookup with the identifier of the record, such as `id`. */
  parameter: string;
}

/** Check that lookups of single records agree with the list of all records. */
export type LookupCheck = FoundCheck | SameValueCheck | SamePresenceCheck;

/** Selects the member of `Check` with a certain key: `CheckOf<'echoes'>` is the type with `echoes`, `pointer` and `when`. */
export type CheckOf<Key extends string> = Extract<Check, Record<Key, unknown>>;

/**
 * Entry of `spec/requirements.yaml`: a requirement that no JSON Schema can express, such as "each number of the body is finite".
 */
export interface Rule {
  /** Id such as `rules/unique-keys`, to which the operation is added in a `RequirementAddress`: `getCard/rules/unique-keys`. */
  address: string;
  /** Ids of the operations that must keep the rule; default: all. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Rule in words, which is also the title of its test: "no object of the body has a key twice". */
  statement: string;
  source: ContractSection;
  check: Check;
  /** Line of the rule in `spec/requirements.yaml`, from 1. */
  line: number;
}

/** Contract in memory: the checked content of all files in `spec/`. */
export interface Contract {
  title: string;
  summary: string;
  /** `info.version` of `openapi.yaml`. */
  edition: string;
  operations: Operation[];
  /** Schemas under `components/schemas` of `openapi.yaml`, keyed by name such as `Card`. */
  components: Record<string, Schema>;
  ledger: LedgerEntry[];
  questions: Question[];
  /** First 12 hex digits of the SHA-256 of `openapi.yaml` and `requirements.yaml`. Tells which contract a report is about. */
  hash: string;
  /** File, line and column of each requirement in `spec/`, such as `spec/openapi.yaml:120:9`. */
  locations: Record<RequirementAddress, string>;
}

/** Entry of a ledger such as `spec/ledger.yaml`: a deviation of the target from one requirement, which does not fail a run. */
export interface LedgerEntry extends EntryPlace {
  requirement: RequirementAddress;
  /**
   * Deviation that is accepted: a value that conforms to `schema`, the field under the other name `name`, or no field
   * (`missing`).
   */
  accepts: { schema: Schema } | { name: string } | { missing: true };
  because: string;
  /** Section that mentions the deviation, such as `2.7`. */
  source?: ContractSection;
  /** URL of the issue in which the fix of the target is tracked. */
  link?: string | undefined;
  /** Name of the only target to which the entry applies, compared with `TARGET_NAME`; default: every target. */
  target?: string;
  /** Last day on which the entry applies, as YYYY-MM-DD; default: no end. */
  until?: string | undefined;
  /**
   * True if the deviation was found by a sweep, which requests many records of a list. Only a sweep of the whole list can show
   * that the target is fixed.
   */
  swept?: true;
  /** Schema of the field that the requirement is about. With `accepts.name`, it judges the value that has the other name. */
  fieldSchema?: Schema;
}

export interface EntryPlace {
  /** Line of the entry in its ledger, from 1. */
  line: number;
  /** Path of the ledger as written in `LEDGER_FILE`; undefined for `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Entry of `spec/questions.yaml`: a question that the contract does not answer, such as "What is the default of `limit`?" */
export interface Question {
  /** Stable id, such as `accept-any`. */
  id: string;
  section: ContractSection;
  question: string;
  /**
   * Way in which the suite finds the answer, such as "The Content-Type of each success." If `unaskable`, the reason why requests
   * cannot answer the question.
   */
  asked: string;
  /** Possible answers, such as `refused as …`. `…` stands for words, numbers or names from responses. */
  answers: string[];
  unaskable?: true;
  /** True if the answer is a list of what was seen. A later answer counts as changed only if it adds something to the list. */
  grows?: true;
  /** Requests to send, as `operation?query` or `operation/identifier`, such as `getFeeRules?type=business`. */
  requests?: string[];
  /** `Accept` header of the requests; default: `application/json`. */
  accept?: string;
  /** True to send no credentials. */
  anonymous?: true;
  /** True if any client may send such requests, so that an error in the response is not caused by bad input. */
  ordinary?: true;
  /**
   * Property of the response that is the answer: whether it has a `record`; its `media type`; or whether its `list`, or its fee
   * `rules`, equal those in the response to a request without the parameter in question.
   */
  compare?: 'record' | 'list' | 'rules' | 'media type';
  /** Regular expression. The answer lists the response headers whose names match. */
  headers?: string;
  /** Regular expression for header values. Reports show only the parts of a value that match. */
  words?: string;
  /** Pointers of fields. The answer lists the values of these fields. */
  values?: JsonPointer[];
  /**
   * Form in which the answer shows each value. `word`, the default, shows a public word such as `Active`. `decimal` shows how a
   * number is written, such as "2 decimals as text". `card number` shows which digits are not masked, such as "last 4 digits".
   */
  form?: 'word' | 'flag' | 'message' | 'decimal' | 'card number' | 'token';
  /** Answers that reports show under "Needs attention": the key is the answer, the value the reason. */
  attention?: Record<string, string>;
  /** Wording of answers in reports: the key is the answer, the value the words to show. The key `…` is for every other answer. */
  says?: Record<string, string>;
}
