import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Summary of a response, as `OperationContext.send` returns it. Has no body, because large pages must not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /**
   * True if the target responded with an error such as HTTP 404 or 500. False for a success, without a response, for a temporary error
   * such as HTTP 503, and for an error whose body nevertheless has the requested record.
   */
  rejected: boolean;
  /** True for HTTP 500, and for an undocumented status such as 302. Undefined without a response, and for a temporary error. */
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
 * Maximum number of listed records to look up, one for each shape (field names and types) such as `{name:string,uuid:string}`.
 * `ofSweep`: in a sweep of the whole list. `ofRun`: on the few pages that a run without a sweep requests.
 */
export const maxLookups = { ofRun: 40, ofSweep: 200 };

export interface SweptList {
  noun: string;
  pointer: string;
  key: string;
  /** Builds the parameters of a page, such as `limit=20&offset=40`. */
  createPageArguments(limit: number, offset: number): Arguments;
  /** Lists the distinct shapes (field names and types) of the records of a page: `['{name:string,uuid:string}']` if all are alike. */
  shapes(body: unknown): string[];
  /** Requests pages. Selects records to look up: one for each shape (field names and types), at most `maxLookups.ofSweep`. */
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
   * @param body parsed body; undefined if it cannot be read, and for an error whose body has no record
   * @param curlCommand shell command that repeats the request
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /**
   * Functions that build the parameters of a lookup from an identifier, keyed by environment variable: `USER_IDS` builds
   * `type=user&user_id=…`. For a variable without a function, the identifier is the only parameter.
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
