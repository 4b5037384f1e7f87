import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** Summary of a response, as `OperationContext.send` returns it. Has no body, because large pages must not stay in memory. */
export interface ResponseSummary<Content = unknown> {
  /** True if the target responded with a lasting error, such as HTTP 404 or 500, and the body has no record. */
  rejected: boolean;
  /** True for HTTP 500 or 302, for example, but not for 404. Undefined if no response shows anything about the target, as with HTTP 503. */
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

/** Maximum number of listed records to look up: for the ordinary requests of a run, and for a sweep of the list. */
export const maxLookups = { ofRun: 40, ofSweep: 200 };

export interface SweptList {
  /** Plural noun, such as `customers`. */
  noun: string;
  pointer: string;
  /** Name of the identifying field, such as `uuid`. */
  key: string;
  /** Builds the parameters of a page, such as `limit=20&offset=40`. */
  createPageArguments(limit: number, offset: number): Arguments;
  /** Lists the distinct shapes (field names and types) of the records with a usable `key` on a page: `['{name:string,uuid:string}']`. */
  shapes(body: unknown): string[];
  /** Requests `pages`. Selects records to look up: one for each shape (field names and types), at most `maxLookups.ofSweep`. */
  selectLookups(context: OperationContext, pages: Arguments[]): Promise<Lookup[]>;
}

/** Exports of a file such as `src/operations/getCard.ts`. */
export interface OperationRequests<Content = unknown> {
  /**
   * Sends the requests of the operation. May return lookups for another operation to send later: `listCustomers` returns requests of
   * `getCustomer`.
   */
  default(context: OperationContext<Content>): Promise<Lookup[] | undefined>;
  /**
   * Estimates how many requests of this operation a run sends to a conforming target, without repetitions, probes and sweep. For
   * `getCustomer`, includes lookups of listed customers.
   */
  estimateRequests(target: Target, operation: Operation): number;
  /**
   * Summarizes a response for `ResponseSummary.content`. Must not throw.
   * @param body undefined if the body cannot be read, and for an error without a record
   * @param curlCommand command that sends the request again
   */
  summarize?(body: unknown, curlCommand: string): Content;
  sweptList?: SweptList;
  /** Builders of the parameters of a lookup, keyed by variable: `USER_IDS` builds `type=user&user_id=…`. Default: only the identifier. */
  argumentBuilders?: Record<string, (identifier: Argument) => Arguments>;
}

export function findOperation({ operations }: Contract, id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`the contract has no operation ${id}`);
  return operation;
}

export const loadOperationRequests = ({ id }: Pick<Operation, 'id'>): Promise<OperationRequests> =>
  import(`./${id}.ts`);
