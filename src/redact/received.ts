import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation } from '../../schemas/contract/contract.ts';
import { hasValidValue } from '../../schemas/contract/ledger.ts';
import { getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { getLastStep } from '../../schemas/json.ts';
import type { Violation } from '../../schemas/judge/judged.ts';
import { describeName, describeShape, isDisclosableMediaType, withheld } from './describe-value.ts';
import type { DisclosureFilter } from './disclosure.ts';

/** JSON Schema that a received value fulfils, such as `{ const: 'Abc' }`. */
export interface ProposedSchema {
  type?: string;
  const?: string | number | boolean;
  pattern?: string;
  maxItems?: number;
  maxProperties?: number;
  not?: { type: string };
}

/** Value of `accepts` in a ledger entry. The entry accepts another value (`schema`), another field name, or a missing field. */
export type ProposedAccepts = { schema: ProposedSchema } | { name: string } | { missing: true };

/**
 * Proposes the value of `accepts` in a ledger entry, such as `{ schema: { const: 'Blocked' } }`. An entry with this value would
 * tolerate the violation.
 * @param mayShow filter for received values and names. For a rejected value, the schema describes only type or shape.
 * @returns undefined if no entry can tolerate the violation, as for a duplicate key. Also undefined for a wrong media type that a
 *   report must not show.
 */
export function proposeAccepts(
  operation: Operation,
  violation: Violation,
  mayShow: DisclosureFilter,
): ProposedAccepts | undefined {
  const { requirement, value, actual: description, schema } = violation;
  if (value === undefined) {
    // A fault such as a duplicate key is described as "the same key twice". A missing field has no description.
    const isMissingField = description === undefined;
    if (!isMissingField) return undefined;
    return proposeOtherName(violation, mayShow) ?? { missing: true };
  }
  const isMediaType = requirement === getHttpAddresses(operation.id).contentType;
  // An entry can only accept a media type by its value, which it would show.
  if (isMediaType) return isDisclosableMediaType(value, mayShow) ? { schema: { const: value } } : undefined;
  // Only an HTTP status ("HTTP 500"), an object that lacks a field, and the identifier of another record have a description.
  const isDescribed = description !== undefined;
  if (isDescribed) return { schema: proposeSchemaOfStatusOrType(value) };
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const isShown = isScalar && isPublic(schema) && mayShow(String(value));
  return { schema: isShown ? { const: value } : proposeSchema(value) };
}

function proposeOtherName(
  { similarFieldPointer, parent: parentOfField, schema }: Violation,
  mayShow: DisclosureFilter,
): ProposedAccepts | undefined {
  if (similarFieldPointer === undefined || !schema) return undefined;
  const name = getLastStep(similarFieldPointer);
  const isShown = describeName(name, mayShow) !== withheld;
  return isShown && hasValidValue(parentOfField, name, schema) ? { name } : undefined;
}

function proposeSchemaOfStatusOrType(value: unknown): ProposedSchema {
  const isHttpStatus = typeof value === 'number';
  if (isHttpStatus) return { const: value };
  return { type: typeof value === 'object' ? 'object' : 'string' };
}

function proposeSchema(value: unknown): ProposedSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', maxItems: value.length };
  if (typeof value === 'string') return { type: 'string', pattern: buildShapePattern(value) };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'object') return { type: 'object', maxProperties: Object.keys(value).length };
  return Number.isInteger(value) ? { type: 'integer' } : { type: 'number', not: { type: 'integer' } };
}

const maxPatternLength = 40;

/** Builds a pattern for texts of the same shape: `^[A-Z][a-z]{2}$` for `Abc`. Describes only the first 40 characters. */
function buildShapePattern(text: string): string {
  const shape = describeShape(text.slice(0, maxPatternLength));
  const runOfOneCharacter = /(.)\1*/g;
  const pattern = shape.replace(runOfOneCharacter, buildRunPattern);
  const isCutOff = text.length > maxPatternLength;
  return isCutOff ? `^${pattern}` : `^${pattern}$`;
}

/** Builds a pattern for equal characters of a shape: `[a-z]{2}` for `aa`. In a shape, `a` stands for any letter from a to z. */
function buildRunPattern(run: string, shapeCharacter: string): string {
  const characterPattern = classesByShapeCharacter[shapeCharacter] ?? escapeCharacter(shapeCharacter);
  return run.length > 1 ? `${characterPattern}{${run.length}}` : characterPattern;
}

const escapeCharacter = (character: string) => character.replace(/[\\^$.*+()[\]{}|/]/, '\\$&');

const classesByShapeCharacter: Record<string, string> = {
  A: '[A-Z]',
  a: '[a-z]',
  '0': '[0-9]',
  '?': '[^A-Za-z0-9 ]',
};
