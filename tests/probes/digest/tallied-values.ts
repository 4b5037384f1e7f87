import { isPublic } from '../../../schemas/contract/classification.ts';
import type { Schema } from '../../../schemas/contract/contract.ts';
import { describeValue, readsLikeWord, shapeOf, shapeText } from '../../redaction/describe-value.ts';
import { quote } from '../../redaction/drafts.ts';

/** A place in the answers of an operation; `*` stands for every element of an array. */
export type Place = readonly [operation: string, pointer: string];

/** Places in the answers of one operation. */
export const placesOf = (operation: string, ...pointers: string[]): Place[] =>
  pointers.map((pointer) => [operation, pointer]);

/** What a question tallies: places, and what is said of a value there, as a draft. */
export interface TalliedValues {
  places: Place[];
  describe(value: unknown, schema?: Schema): string;
}

/** A word of a vocabulary where the schema says that it may be shown, else only the shape. */
export function word(value: unknown, schema?: Schema): string {
  const hidden = describeValue(value);
  return isPublic(schema) && typeof value === 'string' && readsLikeWord(value)
    ? quote(value, hidden)
    : hidden;
}

const successWords = /^(success|successful|succeeded|ok|okay|done)$/i;

/** A message is free text: words that anybody would expect, or its shape. */
export function message(value: unknown): string {
  if (typeof value !== 'string') return describeValue(value);
  return successWords.test(value) ? value : shapeText(shapeOf(value.slice(0, 24)));
}

const decimal = /^-?\d+(?:\.(\d{1,20}))?$/;
/** A longer text has none of the known forms. */
export const maxFormLength = 60;

/** How an amount is written: as a number or as text, with how many decimals. */
export function decimalForm(value: unknown): string {
  if (typeof value === 'number') return 'a JSON number';
  const found = typeof value === 'string' && value.length <= maxFormLength ? decimal.exec(value) : null;
  if (!found) return 'another form';
  const { length } = found[1] ?? '';
  if (length === 0) return 'an integer as text';
  return `${length} ${length === 1 ? 'decimal' : 'decimals'} as text`;
}
