import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/**
 * Response as the file of an operation receives it, such as `src/operations/getCard.ts`. Does not include the body, because large
 * pages must not stay in memory.
 */
export interface ResponseSummary<Content = unknown> {
  /**
   * True for an error response without a record, such as HTTP 404 or 500. False if there is no response, or one that says nothing
   * about the request, such as HTTP 503.
   */
  rejected: boolean;
  /**
   * True for a lasting server error such as HTTP 500, by status or by code of the body, and for an undocumented status such as 302.
   * Undefined if there is no response, or one that says nothing about the request, such as HTTP 503.
   */
  failed?: boolean;
  /** Result of `summarize` in the file of the operation, such as the identifiers on a page; undefined without such a function. */
  content: Content;
  /**
   * Removes the judgement of this response from the verdict, because the contract leaves open whether the request is rejected
   * (section 7).
   */
  excludeFromVerdict(): void;
}

/** Argument of the default export of `src/operations/ID.ts`, the function that sends the requests of the operation. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request of the operation, and judges the response. For the same parameters again, returns the earlier response. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/**
 * Request for a record that a list shows. `operation` is the id of the operation to request, such as `getCustomer` for a customer of
 * `listCustomers`. The run of `getCustomer` sends the lookup after its other requests.
 */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/**
 * Maximum number of lookups of listed records, one for each record shape (fields and their types): in an ordinary run, and in a
 * sweep.
 */
export const maxShapes = { ordinary: 40, swept: 200 };

/**
 * List of records that a sweep (`SWEEP`: a run that judges every record or a sample) requests page by page, and the lookups of its
 * records.
 */
export interface SweptList {
  /** Plural noun for the records of the list, such as `customers`. */
  noun: string;
  /** JSON Pointer to the list in the body of a success, such as `/data/customers`. */
  pointer: string;
  /** Name of the field whose value identifies each record of the list, such as `uuid`. */
  key: string;
  /**
   * Builds the parameters of the request for a page of the list, such as `limit=20&offset=40`. The sweep infers whether `offset`
   * counts records or pages.
   */
  page(limit: number, offset: number): Arguments;
  /**
   * Returns the distinct shapes of the records on a page, each as a text of the names and types of fields:
   * `{name:string,uuid:string}`.
   */
  shapes(body: unknown): string[];
  /** Requests the pages of the list with these parameters. Returns a lookup for one record of each shape on them. */
  samples(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of `src/operations/ID.ts`, the file that sends the requests of the operation ID. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of records that its responses list, which other operations then send. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests of the operation to a conforming target, including lookups of records that a list shows. */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes the body of a response, for `ResponseSummary.content`. The body is undefined for an error response and for an
   * unreadable body. Must not throw.
   */
  summarize?(body: unknown, curlCommand: string): Content;
  /** List whose records a sweep (`SWEEP`) judges, all or a sample; undefined if the operation lists no records. */
  sweptList?: SweptList;
  /**
   * Builds the parameters of a request for an identifier of a file (`USER_IDS=@users.txt`), keyed by the variable. Needed only if
   * the request requires parameters besides the identifier.
   */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

/** Loads the file of an operation, such as `src/operations/getCard.ts`. @throws if there is no such file */
export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
