import type { OpenAPIV3_1 } from 'openapi-types';
import type { Classification } from './classification.ts';

/** JSON Schema in `openapi.yaml`, with each `$ref` replaced by its target. */
export type Schema = Omit<OpenAPIV3_1.NonArraySchemaObject, 'type' | 'properties' | 'items'> & {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  properties?: Record<string, Schema>;
  items?: Schema;
  const?: unknown;
  /** Section of the contract, such as `2.3`. */
  'x-source'?: string;
  /** Name of the component (`components/schemas/NAME`) from which the schema comes, such as `Card`. */
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /** Values that the contract reports as seen, but not as complete, such as those of `period` (contract 2.3). */
  'x-values-that-occur'?: string[];
  /** Other names under which responses have the field, such as `p_user_id` for `user_id` (contract 2.7). */
  'x-observed-names'?: string[];
};

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** Variable with the identifiers to send as this parameter, such as `CARD_IDS`; undefined if it identifies no record. */
  'x-identifiers'?: string;
  'x-source': string;
  'x-data-classification': Classification;
}

/** GET operation that the contract documents, such as `getCard`. */
export interface Operation {
  id: string;
  /** Path below the base address, with parameters in braces, such as `/svc/ts/api/v1/openapi/cards/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Section of the contract that documents the operation, such as `4.1`. */
  source: string;
  parameters: Parameter[];
  /** HTTP status of the success, the only documented response. */
  status: number;
  mediaType: string;
  schema: Schema;
  /** Sections of the contract that promise status and media type of the success, such as `4.1`. */
  sources: { status: string; mediaType: string };
  /**
   * Parts of a body that show a success: `code`, a field with a constant value such as 200 at `/code`, and `payload`, the pointer
   * to the object with the records, such as `/data`.
   */
  envelope: { code?: { pointer: string; value: unknown }; payload?: string };
  examples: Record<string, { summary: string; value: unknown }>;
  rules: Rule[];
}

/**
 * Check of a rule that JSON Schema cannot express; see the head of `spec/requirements.yaml`. `when` holds values of parameters that
 * a request must have for the rule to apply.
 */
export type Check =
  /** Check that no object of the body has a key twice (RFC 8259 section 4). */
  | { uniqueKeys: true }
  /** Check that each number of the body fits into a double (RFC 8259 section 6). */
  | { finiteNumbers: true }
  /** Check that the body has only fields that the contract names. */
  | { declaredFields: true }
  /** Check that the value at `pointer`, if present, is the requested value of the parameter `echoes`. */
  | { echoes: string; pointer: string; when?: Record<string, string> }
  /**
   * Check that the field at `pointer` is present if the fields beside it have the values of `presentWith`, as `credit_card` for the
   * token type `CreditCard` (contract 2.5).
   */
  | { presentWith: Record<string, string>; pointer: string }
  /**
   * Check that a request without the parameter `needs` gets no success, as one with `type=user` and no `user_id` (contract 4.4).
   */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check of a rule that compares several responses, such as a list and a lookup, or several records of a list. */
export type Relation =
  /** Check that no two records of a list have equal keys at `unique` and different values of the field `named` beside the key. */
  | { unique: string; named: string }
  /** Check that the values at the pointers `constant` do not change between two requests with the same value of `parameter`. */
  | { constant: string[]; parameter: string }
  | LookupCheck;

/** Returns whether the check of a rule is a `Relation`, which compares several responses or records. */
export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/**
 * Check that the lookup of a record agrees with the list that shows it. `listedBy` is the id of the list's operation, and `key` the
 * pointer to the identifiers in the list. `found` or `parameter` is the parameter of the lookup that takes the identifier. `found`
 * checks that the lookup finds the record, `same` that both have an equal value at this pointer, `presentAs` that both or neither
 * have a field there.
 */
export type LookupCheck = { listedBy: string; key: string } & (
  | { found: string }
  | { same: string; parameter: string }
  | { presentAs: string; parameter: string }
);

/** Checks with a certain key: `CheckOf<'echoes'>` has `echoes`, `pointer` and `when`. */
export type CheckOf<Kind extends string> = Extract<Check, Record<Kind, unknown>>;

/** Rule of `spec/requirements.yaml`: a requirement that JSON Schema cannot express. */
export interface Rule {
  /** Address of the rule without its operation, such as `rules/unique-keys`. */
  address: string;
  /** Ids of the operations for which the rule holds; default: all. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Requirement as a sentence, such as "no object has a key twice"; also the title of its test. */
  statement: string;
  /** Section of the contract that states the rule, such as `4.1`. */
  source: string;
  check: Check;
  /** Line of the rule in `spec/requirements.yaml`, from 1. */
  line: number;
}

/** Contents of all files in `spec/`, checked. */
export interface Contract {
  title: string;
  summary: string;
  /** Edition of the contract: `info.version`. */
  edition: string;
  operations: Operation[];
  components: Record<string, Schema>;
  ledger: LedgerEntry[];
  questions: Question[];
  /** First 12 hex digits of the SHA-256 of `openapi.yaml` and `requirements.yaml`, which identify the contract in reports. */
  hash: string;
  /** File, line and column of each requirement, such as `spec/openapi.yaml:120:9`, keyed by address. */
  locations: Record<string, string>;
}

/** Entry of a ledger: a deviation from the contract that is tolerated; see the head of `spec/ledger.yaml`. */
export interface LedgerEntry extends EntryPlace {
  /** Address of the requirement that may be broken, such as `getFeeRules/data/fee_rules/…/user_id`. */
  requirement: string;
  /** Tolerated deviation: a value that conforms to `schema`, the field under another `name`, or a `missing` field. */
  accepts: { schema: Schema } | { name: string } | { missing: true };
  /** Reason why the deviation is tolerated, as reports show it. */
  because: string;
  /** Section of the contract that reports the deviation, such as `2.7`. */
  source?: string;
  /** Address of the issue that tracks the deviation. */
  link?: string | undefined;
  /** Target (`TARGET_NAME`) for which the entry holds; default: every target. */
  target?: string;
  /** Last day on which the ledger entry tolerates the deviation, as YYYY-MM-DD; default: no end. */
  until?: string | undefined;
  /** True if a sweep found the deviation: only a sweep of the whole list can show that the deviation is fixed. */
  swept?: true;
  /**
   * Schema of the field or element that the requirement is about. With `accepts.name`, the value under the other name must conform
   * to it.
   */
  fieldSchema?: Schema;
}

export interface EntryPlace {
  line: number;
  /** Name of the second ledger (`LEDGER_FILE`) as messages show it; undefined for `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Question that the contract leaves open, such as the default of `limit`; see the head of `spec/questions.yaml`. */
export interface Question {
  /** Id of the question, such as `accept-any`: key of its answer in recorded files. */
  id: string;
  section: string;
  question: string;
  /** Way in which the suite finds the answer, in words, such as "The Content-Type of each success." */
  asked: string;
  /** Possible answers to the question; `…` stands for words, numbers or names that were seen. */
  answers: string[];
  /** True if requests cannot answer the question; `asked` says why. */
  unaskable?: true;
  /** True if the answer lists what was seen, so that only an addition is a change. */
  grows?: true;
  /** Requests that the suite sends to answer the question, as `operation?query` or `operation/identifier`. */
  requests?: string[];
  /** Value of the `Accept` header, in place of `application/json`. */
  accept?: string;
  anonymous?: true;
  /** True if any client may send the requests of the question, so that a failure is not due to bad input. */
  ordinary?: true;
  /**
   * Property of the response that answers the question: whether it has a `record`, its `media type`, or whether its `list` or fee
   * `rules` are those that are received without the parameter in question.
   */
  compare?: 'record' | 'list' | 'rules' | 'media type';
  /** Regular expression of the names of response headers that the answer lists. */
  headers?: string;
  /** Regular expression of the parts of a listed header's value that reports may show. */
  words?: string;
  /** JSON Pointers to the values that the answer lists. */
  values?: string[];
  /** Form in which the answer describes each value at the pointers of `values`. */
  form?: 'word' | 'flag' | 'message' | 'decimal' | 'card number' | 'token';
  /** Reason why a report shows an answer under "Needs attention", keyed by the answer. */
  attention?: Record<string, string>;
  /** Words in which reports show an answer, keyed by the answer; the key `…` stands for every other answer. */
  says?: Record<string, string>;
}
