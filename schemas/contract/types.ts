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
  /** Name of the component (`components/schemas/NAME`) to which the schema refers. */
  'x-component'?: string;
  'x-data-classification'?: Classification;
  /** Values that the contract reports as seen, without promising that there are no others. */
  'x-values-that-occur'?: string[];
  /** Other names under which the field has been seen, such as `p_user_id`. */
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
  /** `operationId`, such as `getCard`. */
  id: string;
  /** Path below the base address, with parameters such as `{id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Section of the contract that documents the operation. */
  source: string;
  parameters: Parameter[];
  /** HTTP status of the success, the only documented response. */
  status: number;
  mediaType: string;
  /** Schema of the body of a success. */
  schema: Schema;
  /** Sections of the contract that promise status and media type. */
  sources: { status: string; mediaType: string };
  /** Marks of a success: a constant code, such as 200 at `/code`, and the object of the payload, such as `/data`. */
  envelope: { code?: { pointer: string; value: unknown }; payload?: string };
  examples: Record<string, { summary: string; value: unknown }>;
  /** Rules of `spec/requirements.yaml` for this operation. */
  rules: Rule[];
}

/**
 * Check of a rule that JSON Schema cannot express; see the head of `spec/requirements.yaml`. `when` holds values of parameters that
 * a request must have for the rule to apply.
 */
export type Check =
  /** No object of the body has a key twice. */
  | { uniqueKeys: true }
  /** Checks that each number of the body fits into a double. */
  | { finiteNumbers: true }
  /** The body has only fields that the contract names. */
  | { declaredFields: true }
  /** The value at `pointer` is the requested value of the parameter `echoes`. */
  | { echoes: string; pointer: string; when?: Record<string, string> }
  /** The field at `pointer` is present if the fields beside it have the values of `presentWith`. */
  | { presentWith: Record<string, string>; pointer: string }
  /** A request without the parameter `needs` gets no success. */
  | { needs: string; when: Record<string, string> }
  | Relation;

/** Check that compares several responses, or records of a list. */
export type Relation =
  /** No two records of a list have equal keys at `unique` and different values of the field `named` beside the key. */
  | { unique: string; named: string }
  /** The values at the pointers `constant` do not change between two requests with the same value of `parameter`. */
  | { constant: string[]; parameter: string }
  | Listed;

/** Returns whether a check is a `Relation`, which compares several responses or records. */
export const isRelation = (check: object): check is Relation =>
  'unique' in check || 'constant' in check || 'listedBy' in check;

/**
 * Check between a list and the lookup of one of its records. `listedBy` is the id of the list's operation, `key` the pointer to the
 * identifiers in the list. `found` or `parameter` is the parameter of the lookup that takes the identifier. `found` checks that the
 * lookup finds the record, `same` that the value at this pointer is equal in both, `presentAs` that it is in both or in neither.
 */
export type Listed = { listedBy: string; key: string } & (
  | { found: string }
  | { same: string; parameter: string }
  | { presentAs: string; parameter: string }
);

/** Checks with a certain key: `CheckOf<'echoes'>` has `echoes`, `pointer` and `when`. */
export type CheckOf<Kind extends string> = Extract<Check, Record<Kind, unknown>>;

/** Rule of `spec/requirements.yaml`. */
export interface Rule {
  /** Address without its operation, such as `rules/unique-keys`. */
  address: string;
  /** Ids of the operations for which the rule holds; default: all. */
  operations?: string[];
  level: 'MUST' | 'SHOULD';
  /** Sentence of the requirement, also the title of its test. */
  statement: string;
  /** Section of the contract, such as `4.1`. */
  source: string;
  check: Check;
  /** Line in `spec/requirements.yaml`. */
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
  /** Address of the requirement that may be broken. */
  requirement: string;
  /** Only accepted deviation: a value that conforms to another schema, a field with another name, or no field. */
  accepts: { schema: Schema } | { name: string } | { missing: true };
  /** Reason, as reports show it. */
  because: string;
  /** Section of the contract that reports the deviation. */
  source?: string;
  /** Address of the issue that tracks the deviation. */
  link?: string | undefined;
  /** `TARGET_NAME` for which the entry holds; default: every target. */
  target?: string;
  /** Last day on which the entry is in force, as YYYY-MM-DD. */
  until?: string | undefined;
  /** True if a sweep found the deviation: only a sweep of the whole list can show that the deviation is fixed. */
  swept?: true;
  /** Schema of the field or element that the requirement is about; a field with an accepted other name must conform to it. */
  node?: Schema;
}

/** File and line of an entry. */
export interface EntryPlace {
  line: number;
  /** Name of the ledger (`LEDGER_FILE`) as shown in messages; undefined for `spec/ledger.yaml`. */
  file?: string | undefined;
}

/** Open question: something that the contract leaves open; see the head of `spec/questions.yaml`. */
export interface Question {
  /** Key of the answer in recorded files, such as `accept-any`. */
  id: string;
  /** Section of the contract that leaves the question open. */
  section: string;
  question: string;
  /** Way in which the suite finds the answer, in words. */
  asked: string;
  /** Possible answers; `…` stands for words, numbers or names that were seen. */
  answers: string[];
  /** True if requests cannot answer the question; `asked` says why. */
  unaskable?: true;
  /** True if the answer lists what was seen, so that only an addition is a change. */
  grows?: true;
  /** Requests to send, as `operation?query` or `operation/identifier`. */
  requests?: string[];
  /** Value of the `Accept` header, in place of the usual one. */
  accept?: string;
  /** True if the requests carry no credentials. */
  anonymous?: true;
  /** True if any client may send such a request, so that a failure is not due to bad input. */
  ordinary?: true;
  /** Counterpart with which the response is compared: `list` means the same list without the parameter in question. */
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
