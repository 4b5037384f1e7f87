import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation } from '../../schemas/contract/contract.ts';
import { http } from '../../schemas/contract/requirements.ts';
import type { Violation } from '../../schemas/judge/judged.ts';
import { isShownMediaType, shapeOf } from './describe-value.ts';
import type { Shows } from './disclosure.ts';

/** A JSON Schema of what was received, as narrow as can be without a value that may not be shown. */
export interface ReceivedSchema {
  type?: string;
  /** Only what may be shown. */
  const?: string | number | boolean;
  /** The shape of a string. */
  pattern?: string;
  maxItems?: number;
  maxProperties?: number;
  not?: { type: string };
}

/** What an entry of the ledger would have to accept (`accepts` in `spec/ledger.yaml`). */
export type Received = { schema: ReceivedSchema } | { missing: true };

/** What was received in place of what is promised, in the form of an entry of the ledger; undefined where an entry has no form for it. */
export function receivedOf(
  operation: Operation,
  { requirement, value, actual, schema }: Violation,
  shows: Shows,
): Received | undefined {
  if (value === undefined) return actual === undefined ? { missing: true } : undefined;
  if (requirement === http(operation.id).contentType)
    return isShownMediaType(value, shows) ? { schema: { const: value } } : undefined;
  // A sentence in place of a description says all: an HTTP status, or that an identifier is another one.
  if (actual !== undefined)
    return { schema: typeof value === 'number' ? { const: value } : { type: 'string' } };
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && isPublic(schema) && shows(String(value))) return { schema: { const: value } };
  return { schema: schemaOf(value) };
}

function schemaOf(value: unknown): ReceivedSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', maxItems: value.length };
  if (typeof value === 'string') return { type: 'string', pattern: patternOf(value) };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'object') return { type: 'object', maxProperties: Object.keys(value).length };
  return Number.isInteger(value) ? { type: 'integer' } : { type: 'number', not: { type: 'integer' } };
}

/** So much of a string is looked at. */
const longest = 40;

/** A pattern of the shape of a string, or of how a long one begins; `?` is no letter of ASCII, no digit and no space. */
function patternOf(text: string): string {
  const runs = [...shapeOf(text.slice(0, longest))]
    .map((sign) => classes[sign] ?? sign.replace(/[\\^$.*+()[\]{}|/]/, '\\$&'))
    .join('\n')
    .replace(/^(.+)(?:\n\1)+$/gm, (run, one) => `${one}{${run.split('\n').length}}`)
    .replaceAll('\n', '');
  return text.length > longest ? `^${runs}` : `^${runs}$`;
}

const classes: Record<string, string> = { A: '[A-Z]', a: '[a-z]', '0': '[0-9]', '?': '[^A-Za-z0-9 ]' };
