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
  /**
   * Kind of the response. A list is compared only if the kind is `success`. A lookup is compared if the kind is `success` or
   * `rejection`.
   */
  kind: ResponseKind;
  body: unknown;
  source: Source;
  /** True if a shared cache has sent a stored response. Default: false. */
  isFromCache?: boolean;
  /** Base address of a recorded request. Undefined if the suite has sent the request itself. */
  scope?: string;
}

type ComparableContent = Pick<ComparableResponse<unknown>, 'kind' | 'body' | 'isFromCache'>;

/**
 * Selects `kind`, `body` and `isFromCache` of a judged response for comparison. The body is undefined unless the kind is `success`.
 * The kind is `other` for a success whose body was not judged, for example because an object has duplicate keys. The kind is also
 * `other` if `judgement` is undefined, for example after a timeout.
 */
export function getComparableContent(
  { id }: Operation,
  judgement: JudgedResponse | undefined,
): ComparableContent {
  const { kind = 'other', body, exercised: judgedCounts = {}, isFromCache = false } = judgement ?? {};
  if (kind !== 'success') return { kind, body: undefined, isFromCache };
  const emptyPointer = '';
  const addressOfWholeBody = formatAddress(id, emptyPointer);
  const isBodyJudged = Object.hasOwn(judgedCounts, addressOfWholeBody);
  return isBodyJudged ? { kind, body, isFromCache } : { kind: 'other', body: undefined, isFromCache };
}

/**
 * Record in a response, with hashes in place of identifier and values.
 * A rejected lookup also gives a record, which stands for a missing record.
 */
export interface ComparableRecord<Source> {
  view: RecordView;
  /** Hash of the identifier. */
  key: string;
  /** Numbers, one for each of `view.fields`. Equal field values have equal numbers. */
  values: number[];
  source: Source;
  /** Index of the record in the list, from 0. A record of a lookup has index 0. */
  index: number;
}

/** Stands in `ComparableRecord.values` for a field that cannot be compared. */
export const incomparable = 0;
const absent = 1;
const present = 2;

/**
 * Lists the records of a response that can be compared. A list gives all its records with a valid identifier.
 * A successful lookup gives the requested record, or no record if the body does not show the requested record. A rejected lookup
 * gives one record, which stands for the missing record. A response of any other kind gives no record.
 */
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
  // A record whose identifier violates its schema cannot be recognized in another response.
  const validFields = identifierFields.filter(({ value }) => typeof view.normalizeKey(value) === 'string');
  return validFields.map(({ value: identifier, parent: record, pointer }) => ({
    view,
    key: hashKey(identifier as string, response, hashText),
    values: view.fields.map((field) => encodeField(field, record, hashText)),
    source,
    index: readIndex(pointer),
  }));
}

function encodeLookup(
  { fields }: RecordView,
  response: ComparableResponse<unknown>,
  hashText: HashText,
): number[] | undefined {
  const { kind, body } = response;
  if (kind === 'rejection') return fields.map(encodeFieldOfMissingRecord);
  if (kind !== 'success' || !hasRequestedRecord(response)) return undefined;
  return fields.map((field) => {
    if (field.compares === 'record') return present;
    // Finds the parent object of the field even if the field is absent.
    const [match] = findMatchingFields(body, field.pointer);
    return encodeField(field, match?.parent, hashText);
  });
}

const encodeFieldOfMissingRecord = ({ compares }: ComparedField): number =>
  compares === 'record' ? absent : incomparable;

const readIndex = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/** Hashes an identifier. If `scope` is set, identifiers of different scopes have different hashes. */
export const hashKey = (
  identifier: string,
  { scope = '' }: Pick<ComparableResponse<unknown>, 'scope'>,
  hashText: HashText,
): string => hashText(scope + normalizeIdentifier(identifier));

function encodeField(
  { pointer, compares, normalize }: ComparedField,
  parent: Record<string, unknown> | undefined,
  hashText: HashText,
): number {
  if (compares === 'record') return present;
  if (!parent) return incomparable;
  const name = getLastStep(pointer);
  const isFieldPresent = Object.hasOwn(parent, name);
  if (!isFieldPresent) return compares === 'presence' ? absent : incomparable;
  const value = normalize(parent[name]);
  const violatesSchema = value === undefined;
  if (violatesSchema) return incomparable;
  return compares === 'presence' ? present : hashValue(value, hashText);
}

function hashValue(value: unknown, hashText: HashText): number {
  // The NUL keeps the number 1 apart from the string "1".
  const text = typeof value === 'string' ? normalizeIdentifier(value) : `\0${JSON.stringify(value)}`;
  return shortenHash(hashText(text));
}

/**
 * Returns whether a body shows the requested record. For `id=7`, for example, the field `/data/card/id` must be `7`.
 * Returns true if the operation has no rule that `echoes` a parameter.
 */
export const hasRequestedRecord = ({
  operation,
  parameters,
  body,
}: Pick<ComparableResponse<unknown>, 'operation' | 'parameters' | 'body'>): boolean =>
  operation.rules.every(({ check }) => {
    // Rules of contract sections 4.1, 4.3 and 4.4.
    if (!('echoes' in check)) return true;
    const requestedIdentifier = parameters[check.echoes];
    // In a list, only the first element is checked.
    const [field] = findMatchingFields(body, check.pointer);
    const shownIdentifier = field?.value;
    if (requestedIdentifier === undefined || typeof shownIdentifier !== 'string') return false;
    return isSameIdentifier(shownIdentifier, requestedIdentifier);
  });
