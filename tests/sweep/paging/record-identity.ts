import { ownValue } from '../../../schemas/own-value.ts';

/** What tells records apart: the value of their key; else all that one holds, which another one may hold, and which may change. */
export function identityOf(record: unknown, key: string): string {
  const value = ownValue(record, key);
  return typeof value === 'string' ? value : `${withoutKey}${JSON.stringify(record) ?? ''}`.slice(0, longest);
}

const [withoutKey, longest] = ['\0', 10_000];

/** Whether a record has no value of its key. */
export const isWithoutKey = (identity: string) => identity.startsWith(withoutKey);
