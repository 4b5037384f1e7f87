import { closest } from 'fastest-levenshtein';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Target } from '../client/target.ts';
import { type Argument, type Arguments, InvalidRequest } from './request.ts';

/** Summary of a response. The body is left out to save memory. */
export interface ResponseSummary<Content = unknown> {
  /**
   * True if the response is no success and contains no record, such as HTTP 404 or 500. False for a success, and for an error with
   * a record. Also false if no response could be judged, for example after HTTP 503.
   */
  rejected: boolean;
  /** Kind of the response, such as `success`. Undefined if no response could be judged. */
  kind?: ResponseKind;
  /** HTTP status, or the error code in the body, such as 404. Undefined if no response could be judged. */
  code?: number;
  /** Result of `OperationRequests.summarize`. Undefined if the file of the operation does not export this function. */
  content: Content;
  /** Excludes the response from the verdict. Call this function if the contract leaves the response open (section 7). */
  excludeFromVerdict(): void;
}

/** Argument of the default export of a file such as `src/operations/getCard.ts`. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request and judges the response. For equal parameters, sends nothing and returns the earlier response. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request for one listed record, such as `getCustomer` with a listed `uuid`. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/** Maximum number of listed records to look up: `ofRun` for the ordinary requests of a run, `ofSweep` for a sweep. */
export const maxLookups = { ofRun: 40, ofSweep: 200 };

export interface SweptList {
  /** Plural noun for the records, such as `customers`. */
  noun: string;
  pointer: string;
  /** Name of the identifying field, such as `uuid`. */
  key: string;
  /** Builds the parameters of a page, such as `limit=20&offset=40`. */
  createPageArguments(limit: number, offset: number): Arguments;
  /**
   * Lists the different shapes of the records on a page: `['{name:string,uuid:string}']`. A shape holds field names and types.
   * Records that cannot be looked up, for example because they have no `uuid`, are left out.
   * @param body parsed body of the page
   */
  shapes(body: unknown): string[];
  /** Requests `pages` of the list. Returns lookups of one record for each shape, but at most `maxLookups.ofSweep` lookups. */
  selectLookups(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of a file such as `src/operations/getCard.ts`. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. May return lookups that another operation sends later. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates how many requests of this operation a run sends to a conforming target. */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes a response for `ResponseSummary.content`. Must not throw.
   * @param body parsed body. Undefined if no body could be read, or if the response is an error without a record.
   * @param curlCommand command that sends the request again
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /** Builders of a lookup's parameters, keyed by variable: `USER_IDS` builds `type=user&user_id=…`. */
  argumentBuilders?: Record<string, (identifier: Argument) => Arguments>;
}

/**
 * Returns the operation with an id such as `getCard`.
 * @throws {InvalidRequest} if the contract has no operation with this id
 */
export function findOperation({ operations }: Contract, id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation) return operation;
  const knownIds = operations.map((candidate) => candidate.id);
  throw new InvalidRequest(`the contract has no operation ${id}: did you mean ${closest(id, knownIds)}?`);
}

/** Lists the operations that need no identifier, those with the fewest required parameters first. */
export const listApiCheckOperations = ({ operations }: Contract): Operation[] =>
  operations
    .filter((operation) => !requiresIdentifier(operation))
    .toSorted((first, second) => countRequiredParameters(first) - countRequiredParameters(second));

const requiresIdentifier = ({ parameters }: Operation): boolean =>
  parameters.some((parameter) => parameter.required && parameter['x-identifiers']);

const countRequiredParameters = ({ parameters }: Operation): number =>
  parameters.filter(({ required }) => required).length;

export const hasConstantRule = ({ rules }: Operation): boolean =>
  rules.some(({ check }) => 'constant' in check);

/** Returns the ids of the lists to compare with an operation: `['listCustomers']` for `getCustomer`. */
export const getComparedListIds = ({ rules }: Operation): string[] => [
  ...new Set(rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []))),
];

export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
