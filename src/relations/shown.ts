import type { Operation } from '../../schemas/contract/contract.ts';
import { isSameIdentifier, normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import { formatAddress } from '../../schemas/contract/nodes.ts';
import { findMatchingFields, getLastStep } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import { type HashText, shortenHash } from './keyed-hash.ts';
import type { ComparedField, RecordView } from './rules.ts';

export interface ComparableResponse<Source> {
  operation: Operation;
  parameters: Record<string, string>;
  /** A `success` shows records, and a `rejection` shows that the requested record is absent. Any other kind shows nothing. */
  kind: ResponseKind;
  /** Parsed and judged body of a `success`; undefined for any other response. */
  body: unknown;
  /** Request of the response, such as a `SentRequest`, for repeating and reporting it. */
  source: Source;
  /** Base address of the request, if a recording has several: records of different base addresses are not compared. */
  scope?: string;
}

/**
 * Returns kind and body of a response for the rules that compare responses. The kind is `other`, so that nothing is compared, if
 * the response was not judged, or if the body of a success was not judged, for example because of duplicate keys.
 */
export function getComparableContent(
  { id }: Operation,
  judgement: JudgedResponse | undefined,
): Pick<ComparableResponse<unknown>, 'kind' | 'body'> {
  const { kind = 'other', body, exercised = {} } = judgement ?? {};
  if (kind !== 'success') return { kind, body: undefined };
  // The address of the whole body.
  const isBodyJudged = Object.hasOwn(exercised, formatAddress(id, ''));
  return isBodyJudged ? { kind, body } : { kind: 'other', body: undefined };
}

/**
 * One record, such as a customer, that a response shows, with hashes of its identifier and fields. Equal `key` means the same
 * record, perhaps with other values.
 */
export interface ComparableRecord<Source> {
  view: RecordView;
  /** Hash of the identifier and the base address (`hashKey`). */
  key: string;
  /** Number from `encodeField` for each field of `view.fields`. */
  values: number[];
  source: Source;
  /** Index of the record in its list, from 0; 0 for the record of a lookup. */
  index: number;
}

const [incomparable, absent, present] = [0, 1, 2];

/**
 * Lists the records that a response shows: those of a list, or the one of a lookup. A rejected lookup shows that its record is
 * absent. Empty for any other error, and for a lookup that shows another record than the requested one.
 */
export function listRecords<Source>(
  view: RecordView,
  response: ComparableResponse<Source>,
  hashText: HashText,
): ComparableRecord<Source>[] {
  if (view.isList) return listRecordsOfList(view, response, hashText);
  const { parameters, source } = response;
  const identifier = parameters[view.key];
  const values = readLookup(view, response, hashText);
  if (identifier === undefined || !values) return [];
  return [{ view, key: hashKey(identifier, response, hashText), values, source, index: 0 }];
}

function listRecordsOfList<Source>(
  view: RecordView,
  response: ComparableResponse<Source>,
  hashText: HashText,
): ComparableRecord<Source>[] {
  const { kind, body, source } = response;
  if (kind !== 'success') return [];
  // `readKey` returns undefined for an identifier that breaks its schema, and so identifies nothing.
  const identifiers = findMatchingFields(body, view.key).filter(
    ({ value }) => typeof view.readKey(value) === 'string',
  );
  return identifiers.map(({ value, parent, pointer }) => ({
    view,
    key: hashKey(value as string, response, hashText),
    values: view.fields.map((field) => encodeField(field, parent, hashText)),
    source,
    index: readIndex(pointer),
  }));
}

/** Returns a number for each compared field of a lookup; undefined if the response says nothing about the requested record. */
function readLookup(
  { fields }: RecordView,
  response: ComparableResponse<unknown>,
  hashText: HashText,
): number[] | undefined {
  const { kind, body } = response;
  // Of a rejected lookup, only the absence of the record is compared.
  if (kind === 'rejection') return fields.map(({ compares }) => (compares === 'record' ? absent : 0));
  if (kind !== 'success' || !hasRequestedRecord(response)) return undefined;
  return fields.map((field) => {
    // The pointer of such a field is `http`, which leads to no field of the body.
    if (field.compares === 'record') return present;
    const [match] = findMatchingFields(body, field.pointer);
    return encodeField(field, match?.parent, hashText);
  });
}

/** Reads the first array index in a JSON Pointer: 3 for `/data/customers/3/uuid`. */
const readIndex = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/** Hashes an identifier (UUIDs in lower case) together with the base address of the request. */
export const hashKey = (
  identifier: string,
  { scope = '' }: Pick<ComparableResponse<unknown>, 'scope'>,
  hashText: HashText,
): string => hashText(scope + normalizeIdentifier(identifier));

/**
 * Encodes a field of a record as a 32-bit number: `present`, `absent`, or a hash of the value. `incomparable` if the value is
 * missing or breaks its schema.
 * @param parent object that has the field; undefined if the response lacks this object
 */
function encodeField(
  { pointer, compares, read }: ComparedField,
  parent: Record<string, unknown> | undefined,
  hashText: HashText,
): number {
  if (compares === 'record') return present;
  if (!parent) return incomparable;
  const name = getLastStep(pointer);
  if (!Object.hasOwn(parent, name)) return compares === 'presence' ? absent : incomparable;
  const value = read(parent[name]);
  if (value === undefined) return incomparable;
  if (compares === 'presence') return present;
  // The NUL keeps the number 1 apart from the string "1".
  const text = typeof value === 'string' ? normalizeIdentifier(value) : `\0${JSON.stringify(value)}`;
  return shortenHash(hashText(text));
}

/**
 * Returns whether a response shows the identifier that was requested, by the `echoes` rules of the operation (contract sections 4.1,
 * 4.3 and 4.4); true if it has no such rule, false if the response has no identifier. If false, the response is no evidence about
 * the requested record.
 */
export const hasRequestedRecord = ({
  operation,
  parameters,
  body,
}: Omit<ComparableResponse<unknown>, 'kind' | 'source'>) =>
  operation.rules.every(({ check }) => {
    if (!('echoes' in check)) return true;
    const requestedIdentifier = parameters[check.echoes];
    const [shownIdentifier] = findMatchingFields(body, check.pointer);
    if (requestedIdentifier === undefined || typeof shownIdentifier?.value !== 'string') return false;
    return isSameIdentifier(shownIdentifier.value, requestedIdentifier);
  });
