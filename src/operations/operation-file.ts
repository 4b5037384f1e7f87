import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Response to a request of `OperationContext.send`. Has no body, because large pages must not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /** True for an error such as HTTP 404 or 500 without a record in its body. False for a temporary error such as HTTP 503. */
  rejected: boolean;
  /** True for a server error, or an undocumented status such as 302; undefined without a response, or for a temporary error. */
  failed?: boolean;
  content: Content;
  /** Excludes the response from the verdict, for a request to which the contract does not define the response (section 7). */
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

/** Maximum number of listed records to look up, one for each combination of fields and types: `swept` in a sweep of the whole list. */
export const maxShapes = { ordinary: 40, swept: 200 };

export interface SweptList {
  noun: string;
  pointer: string;
  key: string;
  /** Builds the parameters of a page, such as `limit=20&offset=40`. */
  createPageArguments(limit: number, offset: number): Arguments;
  /** Returns the fields and types of the records on a page, each combination once, such as `{name:string,uuid:string}`. */
  shapes(body: unknown): string[];
  /** Requests pages. Returns lookups of records on these pages, one for each combination of fields and types. */
  selectLookups(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of a file such as `src/operations/getCard.ts`. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of listed records for the suite to send afterwards. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests of this operation to a conforming target, including its lookups of listed records. */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes a response for `ResponseSummary.content`. Must not throw.
   * @param body parsed body; undefined for an error, or if the body cannot be read
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /**
   * Functions that build all parameters of a request from an identifier, keyed by variable: `user_id` and `type=user` for an
   * identifier of `USER_IDS`. Needed only if the request has further parameters than the identifier.
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
