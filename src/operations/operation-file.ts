import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Response without its body, as `send` returns it to a file such as `getCard.ts`: large pages must not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /**
   * True for an error response without a record, such as HTTP 404 or 500. False if there is no response, or only a temporary error
   * such as HTTP 503.
   */
  rejected: boolean;
  /**
   * True for a server error such as HTTP 500, by status or by the code in the body, and for an undocumented status such as 302.
   * Undefined if there is no response, or only a temporary error such as HTTP 503.
   */
  failed?: boolean;
  /** Result of `OperationRequests.summarize`, such as the identifiers on a page; undefined if the file exports no `summarize`. */
  content: Content;
  /** Removes this response from the verdict, if the contract leaves open whether the request is rejected (contract section 7). */
  excludeFromVerdict(): void;
}

/** Argument of the default export of a file such as `src/operations/getCard.ts`, which sends the requests of an operation. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /**
   * Sends a request and judges the response. A second call with the same parameters sends nothing and returns the same response.
   */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request for one record of a list, such as `getCustomer` with the `uuid` of a listed customer. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/**
 * Maximum number of listed records to look up, in an ordinary run and in a sweep. Records with the same fields and types have one
 * shape, such as `{name:string,uuid:string}`, and only one record of each shape is looked up.
 */
export const maxShapes = { ordinary: 40, swept: 200 };

export interface SweptList {
  /** Plural noun for the records, such as `customers`. */
  noun: string;
  /** JSON Pointer to the list in a body, such as `/data/customers`. */
  pointer: string;
  /** Field that identifies a record, such as `uuid`. */
  key: string;
  /** Builds the parameters of the request for a page, such as `limit=20&offset=40`. */
  page(limit: number, offset: number): Arguments;
  /** Returns each combination of fields and types that a record on the page has, such as `{name:string,uuid:string}`. */
  shapes(body: unknown): string[];
  /** Requests the pages. Returns a lookup of one record for each combination of fields and types that occurs on them. */
  selectLookups(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of a file such as `src/operations/getCard.ts`, which sends the requests of an operation. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of listed records, which the suite sends afterwards. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests of this operation to a conforming target, including lookups that other operations return. */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes a response for `ResponseSummary.content`. Must not throw.
   * @param body parsed body; undefined if the response is an error, or its body cannot be read
   * @param curlCommand command that repeats the request
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /**
   * Functions that build the parameters for an identifier of a file (`USER_IDS=@users.txt`), keyed by variable. Needed only if the
   * request requires further parameters, as `user_id` requires `type=user`.
   */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
