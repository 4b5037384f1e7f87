import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation } from '../../schemas/contract/contract.ts';
import { hasValidValue } from '../../schemas/contract/ledger.ts';
import { http } from '../../schemas/contract/requirements.ts';
import { getLastStep } from '../../schemas/json.ts';
import type { Violation } from '../../schemas/judge/judged.ts';
import { describeName, describeShape, isDisclosableMediaType, withheld } from './describe-value.ts';
import type { DisclosureFilter } from './disclosure.ts';

/** JSON Schema that a received value conforms to, as narrow as possible without disclosing the value. */
export interface ReceivedSchema {
  type?: string;
  /** Value, only if it may be shown. */
  const?: string | number | boolean;
  /** Regular expression of the shape of a string, such as `^[A-Z][a-z]{2}$`. */
  pattern?: string;
  maxItems?: number;
  maxProperties?: number;
  not?: { type: string };
}

/** Value of `accepts` in a ledger entry (`spec/ledger.yaml`): `name` is another name under which the object has the value. */
export type Received = { schema: ReceivedSchema } | { name: string } | { missing: true };

/**
 * Returns the `accepts` of a ledger entry that would tolerate a violation, for a report to propose; undefined if no entry can
 * express the violation without disclosing the value.
 */
export function describeReceived(
  operation: Operation,
  violation: Violation,
  mayShow: DisclosureFilter,
): Received | undefined {
  const { requirement, value, actual, schema } = violation;
  if (value === undefined && actual !== undefined) return undefined;
  if (value === undefined) return describeOtherName(violation, mayShow) ?? { missing: true };
  if (requirement === http(operation.id).contentType)
    return isDisclosableMediaType(value, mayShow) ? { schema: { const: value } } : undefined;
  // A violation with a text of its own is about one HTTP status, or about an identifier that differs.
  if (actual !== undefined)
    return { schema: typeof value === 'number' ? { const: value } : { type: 'string' } };
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && isPublic(schema) && mayShow(String(value))) return { schema: { const: value } };
  return { schema: describeSchema(value) };
}

/** Returns the other name of a missing field if the name may be shown, and if an entry with that name would tolerate the violation. */
function describeOtherName(
  { foundAt, parent, schema }: Violation,
  mayShow: DisclosureFilter,
): Received | undefined {
  if (foundAt === undefined || !schema) return undefined;
  const name = getLastStep(foundAt);
  const isTolerable = describeName(name, mayShow) !== withheld && hasValidValue(parent, name, schema);
  return isTolerable ? { name } : undefined;
}

/** Returns a schema that shows of a value no more than its type and size, and of a string its shape. */
function describeSchema(value: unknown): ReceivedSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', maxItems: value.length };
  if (typeof value === 'string') return { type: 'string', pattern: describePattern(value) };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'object') return { type: 'object', maxProperties: Object.keys(value).length };
  return Number.isInteger(value) ? { type: 'integer' } : { type: 'number', not: { type: 'integer' } };
}

/** Maximum number of characters of a string in its pattern. */
const maxPatternLength = 40;

/**
 * Builds a regular expression from the shape of a string, or from the start of a long one: `^[A-Z][a-z]{2}$` for `Abc`. A `?` in
 * the shape becomes any character but ASCII letters, digits and spaces.
 */
function describePattern(text: string): string {
  // One class a line, so that the second expression can shorten equal neighbours: `[0-9]`, `[0-9]` to `[0-9]{2}`.
  const patternRuns = [...describeShape(text.slice(0, maxPatternLength))]
    .map((character) => characterClasses[character] ?? character.replace(/[\\^$.*+()[\]{}|/]/, '\\$&'))
    .join('\n')
    .replace(/^(.+)(?:\n\1)+$/gm, (run, shapeClass) => `${shapeClass}{${run.split('\n').length}}`)
    .replaceAll('\n', '');
  return text.length > maxPatternLength ? `^${patternRuns}` : `^${patternRuns}$`;
}

/** Pattern of each character that stands for others in a shape. Other characters stand for themselves. */
const characterClasses: Record<string, string> = {
  A: '[A-Z]',
  a: '[a-z]',
  '0': '[0-9]',
  '?': '[^A-Za-z0-9 ]',
};
