import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { Argument, Arguments } from './request.ts';

/** What is kept of a response: bodies are not, so that a page of any size costs nothing once it was judged. */
export interface ResponseSummary<Content = unknown> {
  /** Whether it was an error response: no success, and nothing of what a success carries. */
  rejected: boolean;
  /** Whether the target itself failed: HTTP 5xx, or such a code in the body. */
  failed?: boolean;
  content: Content;
  /** The contract leaves this error response open: it is recorded, and not judged. */
  leaveOpen(): void;
}

/** What an exchanges file works with. */
export interface Session<Content = unknown> {
  target: Target;
  operation: Operation;
  /** Sends a request of the file's own operation; one that was sent before is not sent again. */
  ask(parameters?: Arguments): Promise<ResponseSummary<Content>>;
}

/** A request of another operation, found in responses; it is sent after every operation has asked. */
export interface Lookup {
  operation: string;
  parameters: Arguments;
}

/** Forms of records of which one is looked up each, in an ordinary run and in a sweep. */
export const maxShapes = { ordinary: 40, swept: 200 };

/** How the records of a list are swept (`src/sweep`): a page of them, and the lookup of one. */
export interface SweptList {
  /** What the records are called, in the plural. */
  noun: string;
  /** JSON Pointer of the list in a success. */
  pointer: string;
  /** The field that identifies a record. */
  key: string;
  /** Parameters of a page. `offset` counts records or pages: which, is found out. */
  page(limit: number, offset: number): Arguments;
  /** The forms that the records of a page have, each once. */
  shapes(body: unknown): string[];
  /** Asks for pages once more, and finds a record of each shape that they show, to be looked up. */
  samples(session: Session, pages: Arguments[]): Promise<Lookup[]>;
}

/** An exchanges file: it is named after its operation, and asks that. */
export interface Exchanges<Content = unknown> {
  /**
   * Asks in any order, and decides afterwards. Nothing that it is given waits for a decision, or for another
   * operation, so that no asking can wait for itself.
   */
  default(session: Session<Content>): Promise<Lookup[] | undefined>;
  /** The greatest number of requests that this may take, lookups included. */
  maxRequests(target: Target, operation: Operation): number;
  /** What is kept of a body; of none, when the response holds nothing that can be read. Small, and never throws. */
  summarize?(body: unknown, repeat: string): Content;
  /** The list that is followed to its end, or sampled, where `SWEEP` says so. */
  sweptList?: SweptList;
  /** What is requested with an identifier of a file (`USER_IDS=@users.txt`), where its parameter alone does not do. */
  byIdentifier?: Record<string, (identifier: Argument) => Arguments>;
}

/** The exchanges file of an operation is named like it. @throws when an operation has none. */
export const exchangesOf = ({ id }: Pick<Operation, 'id'>): Promise<Exchanges> => import(`./${id}.ts`);
