import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Response as a file such as `getCard.ts` receives it: without the body, because large pages must not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /**
   * True for an error without a record, such as HTTP 404 or 500. False if there is no response, or one such as HTTP 503, which
   * says nothing about the request.
   */
  rejected: boolean;
  /**
   * True for a lasting server error such as HTTP 500, by status or by code of the body, and for an undocumented status such as
   * 302. Undefined if there is no response, or one such as HTTP 503, which says nothing about the request.
   */
  failed?: boolean;
  /** Result of `summarize`, such as the identifiers on a page; undefined if the file of the operation has no `summarize`. */
  content: Content;
  /** Removes the judgement of this response, because the contract leaves open whether the request is rejected (section 7). */
  excludeFromVerdict(): void;
}

/** Argument of the function that sends the requests of an operation: the default export of `src/operations/ID.ts`. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request and judges the response. For the same parameters again, returns the earlier response. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request for a record that a list showed, such as `getCustomer` with the `uuid` of a listed customer. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/** Maximum number of listed records to look up, one of each record shape (fields and their types). */
export const maxShapes = { ordinary: 40, swept: 200 };

export interface SweptList {
  /** Plural noun for the records, such as `customers`. */
  noun: string;
  /** JSON Pointer to the list in a body, such as `/data/customers`. */
  pointer: string;
  /** Field that identifies a record, such as `uuid`. */
  key: string;
  /** Builds the parameters of a page, such as `limit=20&offset=40`. */
  page(limit: number, offset: number): Arguments;
  /** Returns the distinct shapes of the records on a page, such as `{name:string,uuid:string}`. */
  shapes(body: unknown): string[];
  /** Requests pages with these parameters. Returns a lookup of one record of each shape on them. */
  samples(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of `src/operations/ID.ts`, the file that sends the requests of an operation. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of listed records, which other operations then send. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests to a conforming target, lookups of listed records included. */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes a body for `ResponseSummary.content`. The body of an error response or an unreadable body is undefined. Must not
   * throw.
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /**
   * Builds the parameters for an identifier of a file (`USER_IDS=@users.txt`), keyed by variable. Needed only if the request
   * requires other parameters, too.
   */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
