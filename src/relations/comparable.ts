import type { Operation } from '../../schemas/contract/contract.ts';
import { isSameIdentifier, normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import { formatAddress } from '../../schemas/contract/nodes.ts';
import { findMatchingFields, getLastStep } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import { type HashText, shortenHash } from '../redact/keyed-hash.ts';
import type { ComparedField, RecordView } from './rules.ts';

export interface ComparableResponse<Source> {
  operation: Operation;
  parameters: Record<string, string>;
  /** `success`: the response shows records. `rejection`: the requested record does not exist. Other kinds are not compared. */
  kind: ResponseKind;
  body: unknown;
  source: Source;
  /** Base address of the request. Only set if a recording has several, whose records must not be compared with each other. */
  scope?: string;
}

/** Returns the kind and the body of a response to compare. The kind `other` means that the response is not compared. */
export function getComparableContent(
  { id }: Operation,
  judgement: JudgedResponse | undefined,
): Pick<ComparableResponse<unknown>, 'kind' | 'body'> {
  const { kind = 'other', body, exercised: judgedCounts = {} } = judgement ?? {};
  if (kind !== 'success') return { kind, body: undefined };
  // Some bodies are not judged, for example because an object has duplicate keys. The empty JSON Pointer is that of the whole body.
  const bodyAddress = formatAddress(id, '');
  const isBodyJudged = Object.hasOwn(judgedCounts, bodyAddress);
  return isBodyJudged ? { kind, body } : { kind: 'other', body: undefined };
}

/** Record that a response shows, such as a customer. Holds hashes instead of the identifier and the values. */
export interface ComparableRecord<Source> {
  view: RecordView;
  /** Hash of the identifier (`hashKey`). Two records with one key are the same customer, perhaps with other values. */
  key: string;
  /** Hashed values of `view.fields`, in the same order (`encodeField`). */
  values: number[];
  source: Source;
  /** Index in the list, from 0. Always 0 for a lookup. */
  index: number;
}

/** Number in `ComparableRecord.values` of a field that the response does not show, or whose value breaks its schema. */
export const incomparable = 0;
const absent = 1;
const present = 2;

/** Lists the records that a response shows: each customer of a list, or the one record of a lookup. */
export function listRecords<Source>(
  view: RecordView,
  response: ComparableResponse<Source>,
  hashText: HashText,
): ComparableRecord<Source>[] {
  if (view.isList) return listRecordsOfList(view, response, hashText);
  const { parameters, source } = response;
  const requestedIdentifier = parameters[view.key];
  const values = encodeLookup(view, response, hashText);
  if (requestedIdentifier === undefined || !values) return [];
  return [{ view, key: hashKey(requestedIdentifier, response, hashText), values, source, index: 0 }];
}

function listRecordsOfList<Source>(
  view: RecordView,
  response: ComparableResponse<Source>,
  hashText: HashText,
): ComparableRecord<Source>[] {
  const { kind, body, source } = response;
  if (kind !== 'success') return [];
  const identifierFields = findMatchingFields(body, view.key);
  // An identifier that breaks its schema identifies nothing.
  const validFields = identifierFields.filter(({ value }) => typeof view.readKey(value) === 'string');
  return validFields.map(({ value: identifier, parent: record, pointer }) => ({
    view,
    key: hashKey(identifier as string, response, hashText),
    values: view.fields.map((field) => encodeField(field, record, hashText)),
    source,
    index: readIndex(pointer),
  }));
}

/** Encodes the compared fields of a looked-up record as numbers. Undefined if the response shows nothing about this record. */
function encodeLookup(
  { fields }: RecordView,
  response: ComparableResponse<unknown>,
  hashText: HashText,
): number[] | undefined {
  const { kind, body } = response;
  // A rejection such as HTTP 404 shows that the record does not exist. Its fields cannot be compared.
  if (kind === 'rejection')
    return fields.map(({ compares }) => (compares === 'record' ? absent : incomparable));
  if (kind !== 'success' || !hasRequestedRecord(response)) return undefined;
  return fields.map((field) => {
    if (field.compares === 'record') return present;
    // Finds the parent object of the field even if the field is absent.
    const [match] = findMatchingFields(body, field.pointer);
    return encodeField(field, match?.parent, hashText);
  });
}

/** Returns 3 for `/data/customers/3/uuid`. */
const readIndex = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/** Hashes an identifier together with its base address. Converts a UUID to lower case, so that its letter case does not matter. */
export const hashKey = (
  identifier: string,
  { scope = '' }: Pick<ComparableResponse<unknown>, 'scope'>,
  hashText: HashText,
): string => hashText(scope + normalizeIdentifier(identifier));

/**
 * Encodes a field of a record as a 32-bit number, usually a hash of its value. If only the presence of the field is compared, the
 * number is `present` or `absent`.
 * @param parent object to which the field belongs; undefined if the response lacks this object
 */
function encodeField(
  { pointer, compares, read }: ComparedField,
  parent: Record<string, unknown> | undefined,
  hashText: HashText,
): number {
  if (compares === 'record') return present;
  if (!parent) return incomparable;
  const name = getLastStep(pointer);
  const isFieldAbsent = !Object.hasOwn(parent, name);
  if (isFieldAbsent) return compares === 'presence' ? absent : incomparable;
  const value = read(parent[name]);
  // The value breaks its schema.
  if (value === undefined) return incomparable;
  if (compares === 'presence') return present;
  // The NUL keeps the number 1 apart from the string "1".
  const text = typeof value === 'string' ? normalizeIdentifier(value) : `\0${JSON.stringify(value)}`;
  return shortenHash(hashText(text));
}

/**
 * Returns whether a response shows the requested record: for `getCard` with `id=7`, whether `/data/card/id` is `7`. Compares the fields
 * with an `echoes` rule (contract sections 4.1, 4.3, 4.4). True if the operation has no such rule.
 */
export const hasRequestedRecord = ({
  operation,
  parameters,
  body,
}: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'body'>) =>
  operation.rules.every(({ check }) => {
    if (!('echoes' in check)) return true;
    const requestedIdentifier = parameters[check.echoes];
    const [shownIdentifier] = findMatchingFields(body, check.pointer);
    if (requestedIdentifier === undefined || typeof shownIdentifier?.value !== 'string') return false;
    return isSameIdentifier(shownIdentifier.value, requestedIdentifier);
  });
