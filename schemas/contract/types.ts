import type { OpenAPIV3_1 } from 'openapi-types';
import type { JsonPointer } from '../json.ts';
import type { Classification } from './classification.ts';

/** Number of a section of the contract, such as `2.3`. The contract is the documentation of the API. */
export type ContractSection = string;

/** Stable id of a requirement, such as `getCard/data/card/id`. */
export type RequirementAddress = string;

/** JSON Schema from `openapi.yaml`. Each `$ref` is already replaced by the referenced schema. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  'x-source'?: ContractSection;
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /**
   * Values that occur according to the contract, such as `['Lifetime', 'Transaction', 'Monthly', 'Daily']` for `period`.
   * The contract does not say that the list is complete (contract 2.3).
   */
  'x-values-that-occur'?: string[];
  /** Other names that responses have used for this field, such as `p_user_id` for `user_id` (contract 2.7). */
  'x-observed-names'?: string[];
};

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** Name of the environment variable that configures the identifiers for this parameter, such as `CARD_IDS`. */
  'x-identifiers'?: string;
  'x-source': ContractSection;
  'x-data-classification': Classification;
}

/** Operation of the API, which is called with HTTP GET. `status`, `mediaType` and `schema` describe the success response. */
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
  /**
   * Fields at the top level of a success body. `code` is the first field with `const` in its schema, such as
   * `{ pointer: '/code', value: 200 }`. `code` is undefined if no field has `const`.
   * `payload` is the JSON Pointer of the first required field of type object, such as `/data`.
   * `payload` is undefined if no required field has the type object.
   */
  envelope: {
    code?: { pointer: JsonPointer; value: unknown };
    payload?: JsonPointer;
  };
  examples: Record<string, { summary: string; value: unknown }>;
  rules: Rule[];
}

/** Check in `spec/requirements.yaml`, such as `{ echoes: 'id', pointer: '/data/card/id' }`. Each kind of check has its own keys. */
export type Check =
  /** No object of the body has a key twice. */
  | { uniqueKeys: true }
  /** No number of the body is too large for a double. */
  | { finiteNumbers: true }
  /** The body has only fields that `openapi.yaml` declares. */
  | { declaredFields: true }
  /**
   * The field at `pointer` equals the request parameter that `echoes` names. A missing or invalid field is not checked.
   * A request without the parameter is not checked, either. If `when` is set, the check applies only to requests with the parameter
   * values in `when`, such as `{ type: 'user' }`.
   */
  | { echoes: string; pointer: JsonPointer; when?: Record<string, string> }
  /** The field at `pointer` is present if its siblings have the values in `presentWith`, such as `{ token_type: 'CreditCard' }`. */
  | { presentWith: Record<string, string>; pointer: JsonPointer }
  /**
   * A request with the parameter values in `when` gets no success without the parameter that `needs` names.
   * For example, a request with `type=user` needs `user_id` (contract 4.4).
   */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check that compares records. The compared records may come from different responses. */
export type Relation =
  /**
   * List elements with the same key also have the same value in a second field. `unique` is the JSON Pointer of the key. `named` is
   * the name of the second field, such as `reference_number`. For example, customers with the same `uuid` have the same
   * `reference_number`.
   */
  | { unique: JsonPointer; named: string }
  /**
   * A record has the same values at the pointers in `constant` each time it is requested. `parameter` names the request parameter
   * that identifies the record.
   */
  | { constant: JsonPointer[]; parameter: string }
  | LookupCheck;

export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/** Check that compares a lookup with a list. A customer from `getCustomer` must agree with the same customer in `listCustomers`. */
export type LookupCheck = ListedKey &
  /** The lookup finds each record that the list shows. `found` is the request parameter that identifies a record, such as `id`. */
  (
    | { found: string }
    /**
     * The field at `same` in the lookup equals the field with the same name in the list element. For example, the lookup's
     * `/data/customer/email` equals `email` in the list element. If either value is missing or invalid, nothing is compared.
     * `parameter` is the request parameter that identifies the record, such as `id`.
     */
    | { same: JsonPointer; parameter: string }
    /**
     * The lookup has the field at `presentAs` if and only if the list element has the field with the same name. For example, the
     * lookup has `/data/customer/email` if and only if the list element has `email`.
     */
    | { presentAs: JsonPointer; parameter: string }
  );

interface ListedKey {
  listedBy: string;
  /**
   * JSON Pointer of the field that identifies each list element, such as `uuid` in the elements of `/data/customers`.
   * The pointer has `*` in place of the index of the element.
   */
  key: JsonPointer;
}

/** Variant of `Check` that has a given key. For example, `CheckOf<'needs'>` is the variant with `needs` and `when`. */
export type CheckOf<Key extends string> = Extract<Check, Record<Key, unknown>>;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;

/** `Check` whose variant is unknown, so that code can read a key that the check may lack. */
export type AnyCheck = { [Key in KeyOf<Check>]?: CheckOf<Key>[Key] };

/** Requirement in `spec/requirements.yaml`. A rule says what no schema of `openapi.yaml` can express. */
export interface Rule {
  /** Address without the operation: `rules/unique-keys` for `getCard/rules/unique-keys`. */
  address: string;
  /** Ids of the operations that have the rule, such as `['getCard']`. By default, all operations have the rule. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Title of the test for this rule, such as "no object of the body has a key twice". */
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
  /** Last day on which the entry applies, such as `2026-12-31`. By default, the entry applies without end. */
  until?: string | undefined;
  /** True if a sweep found the deviation. A sweep is a run over very many records, such as the whole list of customers. */
  swept?: true;
  /** Schema of the value that `requirement` is about. Undefined if the requirement is of another kind than `node`. */
  fieldSchema?: Schema;
}

export interface LedgerLocation {
  line: number;
  /** Path of the ledger file, as shown in messages. Undefined if the file is `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Question that the contract leaves open. `spec/questions.yaml` lists the questions and explains the keys. */
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
