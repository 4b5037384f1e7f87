import { isObjectOrArray, isRecord } from '../../../schemas/json/read.ts';
import { quoteName } from '../../redaction/describe-value.ts';

/** Beyond this an error is no record of a known form. */
export const maxFields = 12;

/** What kind of body an answer has. */
export function formOf(bytes: Uint8Array, body: unknown, contentType: string): string {
  if (isObjectOrArray(body)) return 'JSON';
  if (bytes.length === 0) return 'no body';
  return /html/i.test(contentType) ? 'an HTML page' : 'another body';
}

/** Names of the fields of a body, one more than the most that are listed. */
export function fieldsOf(body: unknown): string[] {
  if (!isRecord(body)) return [];
  return Object.keys(body)
    .slice(0, maxFields + 1)
    .sort()
    .map(quoteName);
}
