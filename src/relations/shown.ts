import type { Operation } from '../../schemas/contract/contract.ts';
import { isSameIdentifier, normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import { formatAddress } from '../../schemas/contract/nodes.ts';
import { findPlaces, getLastStep } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { type HashOf, shortenHash } from './keyed-hash.ts';
import type { Field, RecordView } from './rules.ts';

/** Parts of a response that the rules between responses need. */
export interface Seen<Source> {
  operation: Operation;
  /** Raw values of the parameters, by name. */
  parameters: Record<string, string>;
  /** Class of the response. A success shows records, a rejection that a record is absent, any other class nothing. */
  kind: ResponseKind;
  /** Parsed body of a success; undefined if there is none, if it was not judged, or if the response is no success. */
  body: unknown;
  /** Reference to the response, such as a `SentRequest`, to repeat or report its request. */
  source: Source;
  /** Base address of the response, if a recording has several: only records of the same base address are compared. */
  scope?: string;
}

/**
 * Returns kind and body of a judged response, as the rules between responses need them. A success whose body was not judged, for
 * example because of duplicate keys, counts as `other`: no rule compares it.
 */
export function shownBy(
  { id }: Operation,
  judgement: Judged | undefined,
): Pick<Seen<unknown>, 'kind' | 'body'> {
  const { kind = 'other', body, exercised = {} } = judgement ?? {};
  if (kind !== 'success') return { kind, body: undefined };
  return Object.hasOwn(exercised, formatAddress(id, ''))
    ? { kind, body }
    : { kind: 'other', body: undefined };
}

/** Record as a response shows it, in comparable form. */
export interface ComparableRecord<Source> {
  view: RecordView;
  /** Keyed hash of the identifier. */
  key: string;
  /** A 32-bit number for each of `view.fields`, 0 if the field cannot be compared. */
  values: number[];
  source: Source;
  /** Index in the list, from 0. */
  index: number;
}

/** Comparable numbers of a field whose presence is compared; 0 means that it cannot be compared. */
const [absent, present] = [1, 2];

/**
 * Lists the records that a response shows in a view: those of a list, or the one of a lookup. A rejection shows an absent record.
 */
export function listRecords<Source>(
  view: RecordView,
  response: Seen<Source>,
  hashOf: HashOf,
): ComparableRecord<Source>[] {
  const { parameters, kind, body, source } = response;
  const createRecord = (
    identifier: string,
    read: (field: Field) => number,
    index = 0,
  ): ComparableRecord<Source> => ({
    view,
    key: hashKey(identifier, response, hashOf),
    values: view.fields.map(read),
    source,
    index,
  });
  if (view.isList)
    return (kind === 'success' ? findPlaces(body, view.key) : [])
      .filter(({ value }) => typeof view.readKey(value) === 'string')
      .map(({ value, parent, pointer }) =>
        createRecord(value as string, (field) => readField(field, parent, hashOf), readIndex(pointer)),
      );
  const identifier = parameters[view.key];
  if (identifier === undefined) return [];
  if (kind === 'rejection') return [createRecord(identifier, ({ as }) => (as === 'record' ? absent : 0))];
  if (kind !== 'success' || !isRequested(response)) return [];
  const findParent = ({ pointer }: Field) => findPlaces(body, pointer)[0]?.parent;
  return [
    createRecord(identifier, (field) =>
      field.as === 'record' ? present : readField(field, findParent(field), hashOf),
    ),
  ];
}

/** Reads the first array index in a pointer: 3 for `/data/customers/3/uuid`. */
const readIndex = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/** Hashes the normalized identifier of a record together with the base address of its response, if that is known. */
export const hashKey = (
  identifier: string,
  { scope = '' }: Pick<Seen<unknown>, 'scope'>,
  hashOf: HashOf,
): string => hashOf(scope + normalizeIdentifier(identifier));

/**
 * Converts a field to a number that can be compared: a hash of its value, or `present` or `absent`. Returns 0 if a missing value or
 * one that breaks its own schema is not to be compared.
 */
function readField(field: Field, parent: Record<string, unknown> | undefined, hashOf: HashOf): number {
  const { pointer, as, read } = field;
  if (as === 'record') return present;
  const name = getLastStep(pointer);
  if (!parent || !Object.hasOwn(parent, name)) return parent && as === 'presence' ? absent : 0;
  const value = read(parent[name]);
  if (value === undefined) return 0;
  // The NUL keeps the number 1 apart from the string "1".
  const text = typeof value === 'string' ? normalizeIdentifier(value) : `\0${JSON.stringify(value)}`;
  return as === 'presence' ? present : shortenHash(hashOf(text));
}

/**
 * Returns whether a lookup shows the requested record. A response with another record breaks an `echoes` rule (contract sections
 * 4.1, 4.3 and 4.4) and says nothing about the requested record.
 */
export const isRequested = ({ operation, parameters, body }: Omit<Seen<unknown>, 'kind' | 'source'>) =>
  operation.rules.every(({ check }) => {
    if (!('echoes' in check)) return true;
    const [place] = findPlaces(body, check.pointer);
    const identifier = parameters[check.echoes];
    if (identifier === undefined || typeof place?.value !== 'string') return false;
    return isSameIdentifier(place.value, identifier);
  });
