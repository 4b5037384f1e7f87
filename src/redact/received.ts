import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation } from '../../schemas/contract/contract.ts';
import { hasValidValue } from '../../schemas/contract/ledger.ts';
import { getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { getLastStep } from '../../schemas/json.ts';
import type { Violation } from '../../schemas/judge/judged.ts';
import { describeName, describeShape, isDisclosableMediaType, withheld } from './describe-value.ts';
import type { DisclosureFilter } from './disclosure.ts';

/**
 * JSON Schema that accepts a received value. Shows the value (`const`) only if it may be disclosed, otherwise its shape:
 * `{ type: 'string', pattern: '^[A-Z][a-z]{2}$' }` for `Abc`.
 */
export interface ProposedSchema {
  type?: string;
  const?: string | number | boolean;
  pattern?: string;
  maxItems?: number;
  maxProperties?: number;
  not?: { type: string };
}

/** Value of `accepts` in `spec/ledger.yaml`: the field may have such values, have another name, or be missing. */
export type ProposedAccepts = { schema: ProposedSchema } | { name: string } | { missing: true };

/** Proposes `accepts` for a ledger entry that tolerates a violation. Undefined if no entry can tolerate it without showing its value. */
export function proposeAccepts(
  operation: Operation,
  violation: Violation,
  mayShow: DisclosureFilter,
): ProposedAccepts | undefined {
  const { requirement, value, actual, schema } = violation;
  // `value` alone: a wrong value. `actual` alone: a fault such as a duplicate key. Both: an HTTP status, or another identifier than
  // the requested one. Neither: a missing field.
  const isMissingField = value === undefined && actual === undefined;
  if (isMissingField) return proposeOtherName(violation, mayShow) ?? { missing: true };
  const isFaultWithoutValue = value === undefined;
  if (isFaultWithoutValue) return undefined;
  if (requirement === getHttpAddresses(operation.id).contentType)
    return isDisclosableMediaType(value, mayShow) ? { schema: { const: value } } : undefined;
  const isHttpStatus = actual !== undefined && typeof value === 'number';
  if (isHttpStatus) return { schema: { const: value } };
  const isOtherIdentifier = actual !== undefined;
  if (isOtherIdentifier) return { schema: { type: 'string' } };
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && isPublic(schema) && mayShow(String(value))) return { schema: { const: value } };
  return { schema: proposeSchema(value) };
}

/** Proposes `{ name: 'dialCode' }` for a missing `dial_code`; undefined without a similar field that is valid and may be shown. */
function proposeOtherName(
  { similarFieldPointer, parent: parentOfField, schema }: Violation,
  mayShow: DisclosureFilter,
): ProposedAccepts | undefined {
  if (similarFieldPointer === undefined || !schema) return undefined;
  const name = getLastStep(similarFieldPointer);
  const isShown = describeName(name, mayShow) !== withheld;
  return isShown && hasValidValue(parentOfField, name, schema) ? { name } : undefined;
}

/** Proposes a schema that hides the value. Arrays and objects may have at most as many members as the received one. */
function proposeSchema(value: unknown): ProposedSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', maxItems: value.length };
  if (typeof value === 'string') return { type: 'string', pattern: buildShapePattern(value) };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'object') return { type: 'object', maxProperties: Object.keys(value).length };
  return Number.isInteger(value) ? { type: 'integer' } : { type: 'number', not: { type: 'integer' } };
}

const maxPatternLength = 40;

/** Builds a pattern of the shape of a string: `^[A-Z][a-z]{2}$` for `Abc`. Covers only the first 40 characters. */
function buildShapePattern(text: string): string {
  const escapeCharacter = (character: string) => character.replace(/[\\^$.*+()[\]{}|/]/, '\\$&');
  const shape = describeShape(text.slice(0, maxPatternLength));
  const runOfOneCharacter = /(.)\1*/g;
  const pattern = shape.replace(runOfOneCharacter, (run, character) => {
    const characterClass = classesByShapeCharacter[character] ?? escapeCharacter(character);
    return run.length > 1 ? `${characterClass}{${run.length}}` : characterClass;
  });
  return text.length > maxPatternLength ? `^${pattern}` : `^${pattern}$`;
}

const classesByShapeCharacter: Record<string, string> = {
  A: '[A-Z]',
  a: '[a-z]',
  '0': '[0-9]',
  '?': '[^A-Za-z0-9 ]',
};
