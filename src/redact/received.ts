import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation } from '../../schemas/contract/contract.ts';
import { hasValidValue } from '../../schemas/contract/ledger.ts';
import { getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { getLastStep } from '../../schemas/json.ts';
import type { Violation } from '../../schemas/judge/judged.ts';
import { describeName, describeShape, isDisclosableMediaType, withheld } from './describe-value.ts';
import type { DisclosureFilter } from './disclosure.ts';

/** JSON Schema as narrow as possible without disclosing the value: `{ type: 'string', pattern: '^[A-Z][a-z]{2}$' }` for `Abc`. */
export interface ProposedSchema {
  type?: string;
  const?: string | number | boolean;
  pattern?: string;
  maxItems?: number;
  maxProperties?: number;
  not?: { type: string };
}

/** `accepts` of a ledger entry (`spec/ledger.yaml`): a schema for the value, or for a missing field another name or its absence. */
export type ProposedAccepts = { schema: ProposedSchema } | { name: string } | { missing: true };

/**
 * Returns the `accepts` of a ledger entry that would tolerate a violation, so that a report can propose the entry. Undefined if no
 * entry can do so without disclosing the value.
 */
export function proposeAccepts(
  operation: Operation,
  violation: Violation,
  mayShow: DisclosureFilter,
): ProposedAccepts | undefined {
  const { requirement, value, actual, schema } = violation;
  // `actual` describes another fault than a value or a missing field, such as a duplicate key.
  if (value === undefined && actual !== undefined) return undefined;
  if (value === undefined) return describeOtherName(violation, mayShow) ?? { missing: true };
  if (requirement === getHttpAddresses(operation.id).contentType)
    return isDisclosableMediaType(value, mayShow) ? { schema: { const: value } } : undefined;
  // A violation with a value and `actual` is about an HTTP status (a number), or about an identifier that differs.
  if (actual !== undefined)
    return { schema: typeof value === 'number' ? { const: value } : { type: 'string' } };
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && isPublic(schema) && mayShow(String(value))) return { schema: { const: value } };
  return { schema: describeSchema(value) };
}

/**
 * Returns the name under which an object has a missing field, as `accepts` of a ledger entry. Undefined if there is none, if the
 * name may not be shown, or if such an entry would not tolerate the violation.
 */
function describeOtherName(
  { foundAt, parent, schema }: Violation,
  mayShow: DisclosureFilter,
): ProposedAccepts | undefined {
  if (foundAt === undefined || !schema) return undefined;
  const name = getLastStep(foundAt);
  const isTolerable = describeName(name, mayShow) !== withheld && hasValidValue(parent, name, schema);
  return isTolerable ? { name } : undefined;
}

function describeSchema(value: unknown): ProposedSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', maxItems: value.length };
  if (typeof value === 'string') return { type: 'string', pattern: describePattern(value) };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'object') return { type: 'object', maxProperties: Object.keys(value).length };
  return Number.isInteger(value) ? { type: 'integer' } : { type: 'number', not: { type: 'integer' } };
}

const maxPatternLength = 40;

/** Builds a regular expression from the shape of a string: `^[A-Z][a-z]{2}$` for `Abc`. Covers only the first 40 characters. */
function describePattern(text: string): string {
  const escapePattern = (character: string) => character.replace(/[\\^$.*+()[\]{}|/]/, '\\$&');
  const pattern = [...describeShape(text.slice(0, maxPatternLength))]
    .map((character) => characterClasses[character] ?? escapePattern(character))
    // One class a line, so that the next step can shorten equal neighbours: `[0-9]`, `[0-9]` to `[0-9]{2}`.
    .join('\n')
    .replace(/^(.+)(?:\n\1)+$/gm, (run, shapeClass) => `${shapeClass}{${run.split('\n').length}}`)
    .replaceAll('\n', '');
  return text.length > maxPatternLength ? `^${pattern}` : `^${pattern}$`;
}

/** Keyed by the character of a shape (`describeShape`). Other characters of a shape stand for themselves. */
const characterClasses: Record<string, string> = {
  A: '[A-Z]',
  a: '[a-z]',
  '0': '[0-9]',
  '?': '[^A-Za-z0-9 ]',
};
