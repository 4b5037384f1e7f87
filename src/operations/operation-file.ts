import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/**
 * Response as the file of an operation (`src/operations/ID.ts`) receives it. The body is not part of it, because large pages must
 * not stay in memory.
 */
export interface ResponseSummary<Content = unknown> {
  /** True for an error response: neither a success nor a body with a record. False if nothing was received. */
  rejected: boolean;
  /**
   * True for a server error that is not temporary, by HTTP status or code of the body, and for another undocumented status below
   * 400.
   */
  failed?: boolean;
  /** Result of the function `summarize` of the file for the body; undefined without such a function. */
  content: Content;
  /** Drops the findings of this response, if the contract leaves open whether the request is rejected (contract section 7). */
  excludeFromVerdict(): void;
}

/** Argument of the function that `src/operations/ID.ts` exports by default, which sends the requests of its operation. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request of the operation. For the same parameters again, returns the earlier response. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request for a listed record. `operation` is the id of another operation, which sends it after its own requests. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/** Maximum number of record shapes of which a record is looked up: in an ordinary run, and in a sweep. */
export const maxShapes = { ordinary: 40, swept: 200 };

/** Requests of a sweep (`src/sweep`) for a list: its pages, and a lookup for each record shape. */
export interface SweptList {
  /** Name of the records in the plural, such as `customers`. */
  noun: string;
  /** JSON Pointer of the list in a success, such as `/data/customers`. */
  pointer: string;
  /** Name of the field that identifies a record, such as `uuid`. */
  key: string;
  /** Returns the parameters of a page. `offset` counts records or pages; the sweep infers which. */
  page(limit: number, offset: number): Arguments;
  /** Returns the distinct shapes (names and types of fields) of the records of a page. */
  shapes(body: unknown): string[];
  /** Requests the pages with these parameters, and returns a lookup for one record of each shape on them. */
  samples(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of the file of an operation, `src/operations/ID.ts`. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of listed records, which other operations send. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests to a conforming target, including the lookups that a list leads to. */
  estimateRequests(target: Target, operation: Operation): number;
  /** Summarizes a body, which is undefined for an error response and for an unreadable body. Must not throw. */
  summarize?(body: unknown, curlCommand: string): Content;
  /** List whose records a sweep (`SWEEP`) judges, all or a sample; undefined if the operation lists nothing. */
  sweptList?: SweptList;
  /**
   * Functions that return the parameters of a request for an identifier of a file (`USER_IDS=@users.txt`), keyed by variable.
   * Needed only if the request requires further parameters.
   */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

/** Loads the file of an operation. @throws if there is no file of that name */
export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
