import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Summary of a response. The body is dropped after it was judged, so that large pages do not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /** True for an error response: no success, and no record. */
  rejected: boolean;
  /** True for HTTP 5xx, or such a code in the body, or a status that the contract does not mention. */
  failed?: boolean;
  /** Result of `summarize`. */
  content: Content;
  /** Drops the judgement of an error response that the contract leaves open (contract section 7). */
  excludeFromVerdict(): void;
}

/** Parameter of the default export of `src/operations/<operation id>.ts`, which sends the requests of its operation. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request of the operation. Equal parameters share one request. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request of another operation, for a record that a response listed. That operation sends the request. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/** Maximum number of record shapes. One record of each shape is looked up. */
export const maxShapes = { ordinary: 40, swept: 200 };

/** How a sweep (`src/sweep`) requests a list: its pages, and a lookup for each record shape. */
export interface SweptList {
  /** Name of the records, in the plural. */
  noun: string;
  /** JSON Pointer of the list in a success. */
  pointer: string;
  /** The field that identifies a record. */
  key: string;
  /** Returns the parameters of a page. `offset` counts records or pages; the sweep infers which. */
  page(limit: number, offset: number): Arguments;
  /** Returns the distinct shapes of the records of a page. */
  shapes(body: unknown): string[];
  /** Requests pages again, and returns a lookup for each record shape on them. */
  samples(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of `src/operations/<operation id>.ts`. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of other operations. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Estimates the number of requests to a conforming target, including the lookups that a list leads to. */
  estimateRequests(target: Target, operation: Operation): number;
  /** Summarizes a body, which is undefined for an error response and for an unreadable body. Never throws. */
  summarize?(body: unknown, curlCommand: string): Content;
  /** List that a sweep (`SWEEP`) follows to its end, or samples. */
  sweptList?: SweptList;
  /** Returns the parameters of a request for an identifier of a file (`USER_IDS=@users.txt`), if other parameters are required. */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

/** Loads the file of an operation. @throws if there is no file of that name */
export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
