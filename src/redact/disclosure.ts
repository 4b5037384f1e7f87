import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Returns whether reports may show a word of a response unchanged. */
export type DisclosureFilter = (word: string) => boolean;

/**
 * Creates the filter that alone decides which words of a response reports may show: one word or number of at most 32 characters
 * that contains no secret, and no word of a restricted value in the same response. To be shown, a value also needs a public schema
 * (`describeValue`).
 * @param requestTexts identifiers of the request, which are as restricted as restricted values of the body
 */
export function createDisclosureFilter(
  secrets: Secrets,
  body: unknown,
  schema?: Schema,
  requestTexts: string[] = [],
): DisclosureFilter {
  // Collected only when the first word is checked.
  let restrictedWords: Set<string> | undefined;
  return (word) => {
    if (!isWordOrNumber(word) || secrets.overlaps(word)) return false;
    restrictedWords ??= new Set(
      [...requestTexts, ...collectRestrictedTexts(body, schema)].flatMap(splitWords),
    );
    return splitWords(word).every((part) => !restrictedWords?.has(part));
  };
}

export const showsNothing: DisclosureFilter = () => false;

const maxWordLength = 32;

/** Longer numbers may be phone or card numbers (contract 2.4 and 2.6). */
const maxNumberLength = 9;

/**
 * Matches names and codes such as `card_declined` or `line_2`, and no identifiers: parts of letters with at most two digits after
 * them, or of one or two digits.
 */
const wordPattern = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

/** Returns whether a text reads like a name or code, such as `card_declined` or `line_2`, and not like an identifier. */
const isWord = (text: string): boolean =>
  text.length <= maxWordLength && /[A-Za-z]/.test(text) && wordPattern.test(text);

const isWordOrNumber = (text: string) =>
  isWord(text) || (text.length <= maxNumberLength && decimalPattern.test(text));

const decimalPattern = /^-?\d+(\.\d+)?$/;

/** Splits a text into words and numbers, in lower case: `Card-Declined 2` into `card`, `declined` and `2`. */
const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Collects the texts and numbers of a body at and below fields whose sensitivity is `restricted`. `readJson` bounds the recursion
 * by its depth limit.
 */
function collectRestrictedTexts(
  value: unknown,
  schema: Schema | undefined,
  isInRestricted = false,
): string[] {
  const isRestricted = isInRestricted || schema?.['x-data-classification']?.sensitivity === 'restricted';
  if (Array.isArray(value))
    return value.flatMap((element) => collectRestrictedTexts(element, schema?.items, isRestricted));
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, member]) =>
      collectRestrictedTexts(member, findField(schema, name), isRestricted),
    );
  return isRestricted && (typeof value === 'string' || typeof value === 'number') ? [`${value}`] : [];
}
