import type { Operation } from '../../schemas/contract/contract.ts';
import { isSameIdentifier, normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import { formatAddress } from '../../schemas/contract/nodes.ts';
import { findMatchingFields, getLastStep } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import { type HashText, shortenHash } from './keyed-hash.ts';
import type { Field, RecordView } from './rules.ts';

export interface ComparableResponse<Source> {
  operation: Operation;
  parameters: Record<string, string>;
  /** A `success` shows records, and a `rejection` the absence of the requested one. Any other class shows nothing. */
  kind: ResponseKind;
  /** Parsed body of a success; undefined for any other response, and for a body that was not judged. */
  body: unknown;
  /** Reference such as a `SentRequest`, by which the request is repeated or reported. */
  source: Source;
  /** Base address, only if a recording has several, because records of different ones are not compared. */
  scope?: string;
}

/**
 * Returns class and body of a response for the rules between responses. The class is `other`, so that nothing is compared, without
 * a judgement, or if the body of a success was not judged, for example because of duplicate keys.
 */
export function getComparableContent(
  { id }: Operation,
  judgement: JudgedResponse | undefined,
): Pick<ComparableResponse<unknown>, 'kind' | 'body'> {
  const { kind = 'other', body, exercised = {} } = judgement ?? {};
  if (kind !== 'success') return { kind, body: undefined };
  const isBodyJudged = Object.hasOwn(exercised, formatAddress(id, ''));
  return isBodyJudged ? { kind, body } : { kind: 'other', body: undefined };
}

/** Hashed record of a response. Equal keys mean the same record. */
export interface ComparableRecord<Source> {
  view: RecordView;
  /** Result of `hashKey`, which stands for identifier and base address. */
  key: string;
  /** 32-bit number for each of `view.fields`; 0 if the field cannot be compared. */
  values: number[];
  source: Source;
  /** Index of the record in its list, from 0; 0 for the record of a lookup. */
  index: number;
}

const [absent, present] = [1, 2];

/**
 * Lists the records that a response shows: those of a list, or the one of a lookup. A rejected lookup shows that its record is
 * absent. Empty for any other error, and for a lookup that shows another record than the requested one.
 */
export function listRecords<Source>(
  view: RecordView,
  response: ComparableResponse<Source>,
  hashText: HashText,
): ComparableRecord<Source>[] {
  const { parameters, kind, body, source } = response;
  const createRecord = (
    identifier: string,
    read: (field: Field) => number,
    index = 0,
  ): ComparableRecord<Source> => ({
    view,
    key: hashKey(identifier, response, hashText),
    values: view.fields.map(read),
    source,
    index,
  });
  if (view.isList) {
    const places = kind === 'success' ? findMatchingFields(body, view.key) : [];
    // `readKey` returns undefined for an identifier that breaks its own schema, and so identifies nothing.
    const identifiedPlaces = places.filter(({ value }) => typeof view.readKey(value) === 'string');
    return identifiedPlaces.map(({ value, parent, pointer }) =>
      createRecord(value as string, (field) => readField(field, parent, hashText), readIndex(pointer)),
    );
  }
  const identifier = parameters[view.key];
  if (identifier === undefined) return [];
  // Of a rejected lookup, only the absence of the record is compared.
  const readAbsence = ({ as }: Field) => (as === 'record' ? absent : 0);
  if (kind === 'rejection') return [createRecord(identifier, readAbsence)];
  if (kind !== 'success' || !isRequested(response)) return [];
  const readLookup = (field: Field) => {
    // Its pointer is `http`, which leads to no place in the body.
    if (field.as === 'record') return present;
    const [place] = findMatchingFields(body, field.pointer);
    return readField(field, place?.parent, hashText);
  };
  return [createRecord(identifier, readLookup)];
}

/** Reads the first array index in a pointer: 3 for `/data/customers/3/uuid`. */
const readIndex = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/** Hashes an identifier, normalized (UUIDs in lower case), together with the base address. */
export const hashKey = (
  identifier: string,
  { scope = '' }: Pick<ComparableResponse<unknown>, 'scope'>,
  hashText: HashText,
): string => hashText(scope + normalizeIdentifier(identifier));

/**
 * Converts a field of a record to a number that can be compared: `present`, `absent`, or a hash of the value. Returns 0 if the
 * value is missing or breaks its own schema, or if the object of the field is missing.
 */
function readField(field: Field, parent: Record<string, unknown> | undefined, hashText: HashText): number {
  const { pointer, as, read } = field;
  if (as === 'record') return present;
  const name = getLastStep(pointer);
  if (!parent || !Object.hasOwn(parent, name)) return parent && as === 'presence' ? absent : 0;
  const value = read(parent[name]);
  if (value === undefined) return 0;
  // The NUL keeps the number 1 apart from the string "1".
  const text = typeof value === 'string' ? normalizeIdentifier(value) : `\0${JSON.stringify(value)}`;
  return as === 'presence' ? present : shortenHash(hashText(text));
}

/**
 * Returns whether a lookup shows the requested record, by its `echoes` rules; true without such a rule. Another record breaks the
 * rule (contract sections 4.1, 4.3 and 4.4), and tells nothing about the requested one.
 */
export const isRequested = ({
  operation,
  parameters,
  body,
}: Omit<ComparableResponse<unknown>, 'kind' | 'source'>) =>
  operation.rules.every(({ check }) => {
    if (!('echoes' in check)) return true;
    const [place] = findMatchingFields(body, check.pointer);
    const identifier = parameters[check.echoes];
    if (identifier === undefined || typeof place?.value !== 'string') return false;
    return isSameIdentifier(place.value, identifier);
  });
