import type { Schema } from '../../../schemas/contract/contract.ts';
import { readJson } from '../../../schemas/json/read.ts';

export const read = (text: string, schema?: Schema) => readJson(Buffer.from(text), schema);

/** What is found in a text, with all that can be iterated over. */
export function found(text: string) {
  const document = read(text);
  if (!('value' in document)) return document;
  const { value, repeatedKeys, infiniteNumbers } = document;
  return { value, repeatedKeys: [...repeatedKeys], infiniteNumbers: [...infiniteNumbers] };
}
