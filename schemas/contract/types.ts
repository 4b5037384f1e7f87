import type { OpenAPIV3_1 } from 'openapi-types';
import type { Classification } from './classification.ts';

/** JSON Schema from `openapi.yaml`, with each `$ref` replaced by the schema that it refers to. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  /** Section of the contract that describes this part, such as `2.3`. */
  'x-source'?: string;
  /**
   * Name under `components/schemas` that a `$ref` to this schema had, such as `Card`; undefined for a schema written in place.
   */
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /** Values that the contract has seen in a field without promising that there are no others, such as those of `period` (2.3). */
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
  'x-source': string;
  'x-data-classification': Classification;
}

/** GET operation of the contract. `id` is its `operationId`, such as `getCard`. */
export interface Operation {
  id: string;
  /** Path of the URL after the base URL, with parameters in braces, such as `/svc/ts/api/v1/openapi/cards/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Section of the contract that documents the operation, such as `4.1`. */
  source: string;
  parameters: Parameter[];
  /** HTTP status of the only response that the contract documents: the success. */
  status: number;
  mediaType: string;
  /** Schema of the body of a success. */
  schema: Schema;
  /** Sections of the contract that promise the HTTP status and the media type, such as `4.1`. */
  sources: { status: string; mediaType: string };
  /**
   * Fields by which a body is recognized as a success: `code` is the field that must have a constant `value`, such as `/code`
   * with 200; `payload` is the JSON Pointer of the object that contains the record or list, such as `/data`.
   */
  envelope: { code?: { pointer: string; value: unknown }; payload?: string };
  examples: Record<string, { summary: string; value: unknown }>;
  rules: Rule[];
}

/**
 * Condition that the `check` of a rule in `spec/requirements.yaml` states. The first key tells the kind of check. `when` is a
 * filter: the check applies only to requests with these parameter values, such as `{ type: 'user' }`.
 */
export type Check =
  /** No object of the body has the same key twice (RFC 8259 section 4). */
  | { uniqueKeys: true }
  /** Each number of the body is within the range of a double (RFC 8259 section 6). */
  | { finiteNumbers: true }
  /** The body has no field that the contract does not declare. */
  | { declaredFields: true }
  /** The field at `pointer`, if present, equals the parameter named `echoes`: `id` of the card equals the requested `id`. */
  | { echoes: string; pointer: string; when?: Record<string, string> }
  /**
   * The field at `pointer` is present if another field of the same object has the value in `presentWith`: `credit_card` must be
   * present with `{ token_type: 'CreditCard' }` (contract 2.5).
   */
  | { presentWith: Record<string, string>; pointer: string }
  /** A request without the parameter named `needs` is no success: `type=user` requires `user_id` (contract 4.4). */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check that needs several records or responses: records of a list, a list and a lookup, or two responses to one request. */
export type Relation =
  /**
   * Records of a list with the same key, found at `unique`, have the same value in the field `named`: one `uuid`, one customer.
   */
  | { unique: string; named: string }
  /** The fields at the pointers `constant` have the same values when a request is repeated with the same value of `parameter`. */
  | { constant: string[]; parameter: string }
  | LookupCheck;

export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/** List whose records a check compares with the responses to lookups. */
interface ListReference {
  /** Id of the list operation, such as `listCustomers`. */
  listedBy: string;
  /** JSON Pointer, with `*` for every element, to the identifiers in the list: `uuid` of each customer. */
  key: string;
}

/**
 * Check that a lookup finds each record of a list. `found` is the parameter of the lookup that sends the identifier, such as
 * `id`.
 */
interface FoundCheck extends ListReference {
  found: string;
}

/**
 * Check that the field at the JSON Pointer `same` has an equal value in the list. `parameter` sends the identifier, such as `id`.
 */
interface SameValueCheck extends ListReference {
  same: string;
  parameter: string;
}

/**
 * Check that the field at the JSON Pointer `presentAs` is present in the lookup if, and only if, the list has it for the record.
 */
interface SamePresenceCheck extends ListReference {
  presentAs: string;
  /** Parameter of the lookup that sends the identifier, such as `id`. */
  parameter: string;
}

/** Check that a lookup returns the same record as a list. */
export type LookupCheck = FoundCheck | SameValueCheck | SamePresenceCheck;

/** Selects the member of `Check` with a certain key: `CheckOf<'echoes'>` is the type with `echoes`, `pointer` and `when`. */
export type CheckOf<Key extends string> = Extract<Check, Record<Key, unknown>>;

/**
 * Entry of `spec/requirements.yaml`: a requirement that no JSON Schema can express, such as "each number of the body is finite".
 */
export interface Rule {
  /** Id of the rule, such as `rules/unique-keys`. With the operation in front, the address of a requirement. */
  address: string;
  /** Ids of the operations that must keep the rule; default: all. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Rule in words, such as "no object of the body has a key twice"; also the title of its test. */
  statement: string;
  /** Section of the contract that states the rule, such as `4.1`. */
  source: string;
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
  /**
   * File, line and column of each requirement, such as `spec/openapi.yaml:120:9`, keyed by address such as `getCard/http/status`.
   */
  locations: Record<string, string>;
}

/** Entry of a ledger such as `spec/ledger.yaml`: a deviation from the contract that does not fail a run. */
export interface LedgerEntry extends EntryPlace {
  /** Address of the requirement from which the target may deviate, such as `getFeeRules/data/fee_rules/…/user_id`. */
  requirement: string;
  /**
   * Deviation that is accepted: a value that conforms to `schema`, the field under the other name `name`, or no field
   * (`missing`).
   */
  accepts: { schema: Schema } | { name: string } | { missing: true };
  /** Reason for the entry, which reports show. */
  because: string;
  /** Section of the contract that mentions the deviation, such as `2.7`. */
  source?: string;
  /** URL of the issue in which the fix of the target is tracked. */
  link?: string | undefined;
  /** `TARGET_NAME` of the only target to which the entry applies; default: every target. */
  target?: string;
  /** Last day on which the entry applies, as YYYY-MM-DD; default: no end. */
  until?: string | undefined;
  /** True if a sweep found the deviation, so that only a sweep of the whole list can show that the target is fixed. */
  swept?: true;
  /** Schema of the field that the requirement is about, to check a value under the other name `accepts.name`. */
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
  /** Section of the contract that leaves the question open, such as `4.2`. */
  section: string;
  question: string;
  /** How the suite finds the answer, in words: "The Content-Type of each success." If `unaskable`, why it cannot. */
  asked: string;
  /** Possible answers, such as `refused as …`. `…` stands for words, numbers or names from responses. */
  answers: string[];
  /** True if no request can answer the question. */
  unaskable?: true;
  /** True if the answer is a list of what was seen. A later answer counts as changed only if it adds something to the list. */
  grows?: true;
  /** Requests to send, as `operation?query` or `operation/identifier`, such as `getFeeRules?type=business`. */
  requests?: string[];
  /** `Accept` header of the requests; default: `application/json`. */
  accept?: string;
  /** True if the requests are sent without credentials. */
  anonymous?: true;
  /** True if any client may send such requests, so that a server error in response is not caused by bad input. */
  ordinary?: true;
  /**
   * What to look at in the response: whether it has a `record`; its `media type`; or whether its `list`, or its fee `rules`,
   * equal those in the response to a request without the parameter in question.
   */
  compare?: 'record' | 'list' | 'rules' | 'media type';
  /** Regular expression. The answer lists the response headers whose names match. */
  headers?: string;
  /** Regular expression for header values. Reports show only the parts of a value that match. */
  words?: string;
  /** JSON Pointers. The answer lists the values of these fields. */
  values?: string[];
  /** How the answer describes each field of `values`. */
  form?: 'word' | 'flag' | 'message' | 'decimal' | 'card number' | 'token';
  /** Answers that reports show under "Needs attention": the key is the answer, the value the reason. */
  attention?: Record<string, string>;
  /** Wording of answers in reports: the key is the answer, the value the words to show. The key `…` is for every other answer. */
  says?: Record<string, string>;
}
