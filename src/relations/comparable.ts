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
  /** Base address of the request, if a recording has several. Records of different base addresses are not compared. */
  scope?: string;
}

/**
 * Returns the kind and the body of a response for its comparison with others. If the body was not judged, for example because an
 * object in it has duplicate keys, the kind is `other`, so that nothing is compared.
 */
export function getComparableContent(
  { id }: Operation,
  judgement: JudgedResponse | undefined,
): Pick<ComparableResponse<unknown>, 'kind' | 'body'> {
  const { kind = 'other', body, exercised: judgedCounts = {} } = judgement ?? {};
  if (kind !== 'success') return { kind, body: undefined };
  // The empty JSON Pointer is that of the whole body.
  const bodyAddress = formatAddress(id, '');
  const isBodyJudged = Object.hasOwn(judgedCounts, bodyAddress);
  return isBodyJudged ? { kind, body } : { kind: 'other', body: undefined };
}

/** Record, such as a customer, that a response shows. Equal `key` means the same record, perhaps with other values. */
export interface ComparableRecord<Source> {
  view: RecordView;
  key: string;
  /** Number from `encodeField` for each field of `view.fields`. */
  values: number[];
  source: Source;
  /** Index in the list, from 0; 0 for a lookup. */
  index: number;
}

export const incomparable = 0;
const [absent, present] = [1, 2];

/**
 * Lists the records that a list or lookup shows. A rejected lookup shows that its record is `absent`. Empty for any other error, and
 * for a lookup that shows another record than the requested one.
 */
export function listRecords<Source>(
  view: RecordView,
  response: ComparableResponse<Source>,
  hashText: HashText,
): ComparableRecord<Source>[] {
  if (view.isList) return listRecordsOfList(view, response, hashText);
  const { parameters, source } = response;
  const identifier = parameters[view.key];
  const values = encodeLookup(view, response, hashText);
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

/** Encodes each compared field as a number. Undefined if the response says nothing about the requested record. */
function encodeLookup(
  { fields }: RecordView,
  response: ComparableResponse<unknown>,
  hashText: HashText,
): number[] | undefined {
  const { kind, body } = response;
  // Of a rejected lookup, only the absence of the record is compared.
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

const readIndex = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/**
 * Hashes an identifier together with its base address (`scope`, empty if all responses have one), so that equal identifiers at
 * two addresses differ. First converts a UUID to lower case.
 */
export const hashKey = (
  identifier: string,
  { scope = '' }: Pick<ComparableResponse<unknown>, 'scope'>,
  hashText: HashText,
): string => hashText(scope + normalizeIdentifier(identifier));

/**
 * Encodes a field as a 32-bit number: `present`, `absent`, a hash of the value, or `incomparable` if the value is missing or breaks
 * its schema.
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
 * Returns whether a body shows the requested identifier in each field with an `echoes` rule (contract sections 4.1, 4.3,
 * 4.4). True if there is no such rule.
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
