import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Summary of a response, as `OperationContext.send` returns it. Has no body, because large pages must not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /**
   * True if the target responded with an error such as HTTP 404 or 500. False for a temporary error such as HTTP 503, and for an error
   * response whose body has a record.
   */
  rejected: boolean;
  /** True for HTTP 500, or an undocumented status such as 302. Undefined if that is not known: no response, or a temporary error. */
  failed?: boolean;
  content: Content;
  /** Removes the judgement of the response from the verdict. Call this if the contract does not define the response (section 7). */
  excludeFromVerdict(): void;
}

/** Target, operation and sender, passed to the default export of a file such as `src/operations/getCard.ts`. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request and judges the response. A second call with the same parameters returns the same response without sending. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request for one record of a list, such as `getCustomer` with the `uuid` of a listed customer. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/**
 * Maximum number of listed records to look up. Each has another shape (field names and types), such as `{name:string,uuid:string}`.
 * `ofSweep` applies to a sweep of the whole list, `ofRun` to the other pages that a run requests.
 */
export const maxLookups = { ofRun: 40, ofSweep: 200 };

export interface SweptList {
  noun: string;
  pointer: string;
  key: string;
  /** Builds the parameters of a page, such as `limit=20&offset=40`. */
  createPageArguments(limit: number, offset: number): Arguments;
  /**
   * Returns the shape (field names and types) of each record, without repetitions: `['{name:string,uuid:string}']` if all are alike.
   */
  shapes(body: unknown): string[];
  /** Requests pages. Returns lookups of their records: one for each shape (field names and types), at most `maxLookups.ofSweep`. */
  selectLookups(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of a file such as `src/operations/getCard.ts`. */
export interface OperationRequests<Content = unknown> {
  /**
   * Sends the requests of the operation. May return further requests, which the suite sends when it runs their operation:
   * `listCustomers` returns `getCustomer` requests for listed customers.
   */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests of this operation to a conforming target, including its lookups of listed records. */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes a response for `ResponseSummary.content`. Must not throw.
   * @param body parsed body; undefined for an error, or if the body cannot be read
   * @param curlCommand shell command that repeats the request
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /**
   * Functions that build the parameters of a lookup from an identifier, keyed by the variable with the identifiers: the function for
   * `USER_IDS` returns `user_id` and `type=user`. For any other variable, the identifier is the only parameter.
   */
  argumentBuilders?: Record<string, (identifier: Argument) => Arguments>;
}

export function findOperation({ operations }: Contract, id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`the contract has no operation ${id}`);
  return operation;
}

export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
