import type { Evidence } from '../../../probes/evidence.ts';
import { answersOf, countIn, idsIn, printsIn } from '../../../probes/inferences.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';

/** Identities of the first customers of an answer, in its order. @throws IndecisiveError where one has none */
export const idsOf = (recorded: RecordedExchange | undefined, count?: number) =>
  idsIn('customers', recorded, count);

/** The same of all that have an identity. */
export const knownIdsOf = (recorded: RecordedExchange | undefined) => identitiesOf(recorded).filter(Boolean);

/** The same, with an empty text in the place of one that has no identity. */
export const identitiesOf = (recorded: RecordedExchange | undefined) => printsIn('customers', recorded);

/** How many customers an answer lists. */
export const countOf = (recorded: RecordedExchange | undefined) => countIn('customers', recorded);

/** The list without any parameter. */
export const plainList = ({ asked }: Evidence) => asked('listCustomers');

/** The longest page from the beginning, not narrowed to a source. */
export function longestPage(evidence: Evidence): RecordedExchange | undefined {
  const pages = answersOf(evidence, 'listCustomers').filter(isFromBeginning);
  return pages.toSorted((one, other) => countOf(other) - countOf(one))[0];
}

/** Whether the list was asked for from the beginning, not narrowed to a source, and with documented parameters alone. */
export const isFromBeginning = ({ operation, parameters }: RecordedExchange) =>
  operation === 'listCustomers' &&
  [...parameters.keys()].every((name) => name === 'limit') &&
  parameters.getAll('limit').length < 2;

/** How many different customers there are. */
export const sizeOf = (ids: string[]) => new Set(ids).size;
/** Whether the same customers are listed, in any order. */
export const isSameSet = (one: string[], other: string[]) =>
  sizeOf(one) === sizeOf(other) && sizeOf([...one, ...other]) === sizeOf(one);
/** Whether the same customers are listed in the same order. */
export const isSame = (one: string[], other: string[]) => one.join() === other.join();

/** Pages of the whole list, not narrowed to a source. */
export const pagesOf = (evidence: Evidence) =>
  answersOf(evidence, 'listCustomers').filter(({ parameters }) => !parameters.has('linked_source_type'));

/** How many customers the list is known to have, at least. */
export function population(evidence: Evidence): number {
  const pages = pagesOf(evidence);
  return Math.max(new Set(pages.flatMap(knownIdsOf)).size, countOf(longestOf(pages)));
}

/** The page that holds the most. */
export function longestOf(pages: RecordedExchange[]): RecordedExchange | undefined {
  const [longest] = pages.toSorted((one, other) => countOf(other) - countOf(one));
  return longest;
}

/** The limit of a request, 0 where it has none. */
export const limitOf = ({ parameters }: RecordedExchange) => Number(parameters.get('limit'));
