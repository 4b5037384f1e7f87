import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Summary of a response. The body is dropped once it was judged, so that a page of any size costs nothing afterwards. */
export interface ResponseSummary<Content = unknown> {
  /** True for an error response: no success, and nothing of what a success carries. */
  rejected: boolean;
  /** True for HTTP 5xx, or such a code in the body. */
  failed?: boolean;
  content: Content;
  /** Drops the judgement of an error response that the contract leaves open (contract section 7). */
  excludeFromVerdict(): void;
}

/** What the file of an operation works with. */
export interface OperationContext<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request of the operation. Equal parameters share one request. */
  send(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** Request of another operation that responses have led to. Sent by that operation. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/** Greatest number of record shapes of which one record each is looked up. */
export const maxShapes = { ordinary: 40, swept: 200 };

/** How the records of a list are swept (`src/sweep`): a page of them, and the lookup of a record. */
export interface SweptList {
  /** What the records are called, in the plural. */
  noun: string;
  /** JSON Pointer of the list in a success. */
  pointer: string;
  /** The field that identifies a record. */
  key: string;
  /** Returns the parameters of a page. `offset` counts records or pages; the sweep finds out which. */
  page(limit: number, offset: number): Arguments;
  /** Returns the distinct shapes of the records of a page. */
  shapes(body: unknown): string[];
  /** Requests pages once more, and returns a lookup for each shape that they show. */
  samples(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** File of an operation, named after it: what is requested, and what follows from the responses. */
export interface OperationRequests<Content = unknown> {
  /** Sends the requests of the operation. Returns lookups of other operations. */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /** Returns the greatest number of requests that this may take, lookups included. */
  maxRequests(target: Target, operation: Operation): number;
  /** Returns what is kept of a body; the body is undefined if nothing in the response could be read. Never throws. */
  summarize?(body: unknown, curlCommand: string): Content;
  /** The list that `SWEEP` follows to its end, or samples. */
  sweptList?: SweptList;
  /** Parameters for an identifier of a file (`USER_IDS=@users.txt`), if the identifier alone is no request. */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

/** Loads the file of an operation. @throws if there is none. */
export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
