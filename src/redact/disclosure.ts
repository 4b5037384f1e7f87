import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Disclosure filter: returns whether reports may show a word of a response unchanged. */
export type DisclosureFilter = (word: string) => boolean;

/**
 * Creates the disclosure filter of a response, which alone decides what reports may show of it. A text may be shown if it is one
 * word or number of at most 32 characters, contains no secret, and contains no whole word of a restricted value in the same
 * response. Values also need a public schema; see `describeValue`.
 * @param schema schema of the body, with the sensitivity of each field
 * @param requestTexts identifiers of the request, which are as restricted as restricted values of the body
 */
export function createDisclosureFilter(
  secrets: Secrets,
  body: unknown,
  schema?: Schema,
  requestTexts: string[] = [],
): DisclosureFilter {
  /** Words of the restricted values, collected only when the first word is checked. */
  let restrictedWords: Set<string> | undefined;
  return (word) => {
    if (!isWordOrNumber(word) || secrets.overlaps(word)) return false;
    restrictedWords ??= new Set(
      [...requestTexts, ...collectRestrictedTexts(body, schema)].flatMap(splitWords),
    );
    return splitWords(word).every((part) => !restrictedWords?.has(part));
  };
}

/** Disclosure filter that rejects every word, for a report that shows no value of a response. */
export const showsNothing: DisclosureFilter = () => false;

const maxWordLength = 32;

/**
 * Maximum number of characters of a number that may be shown: a longer one may be a phone or card number (contract 2.4 and 2.6).
 */
const maxNumberLength = 9;

/**
 * Matches words joined by `_` or `-`, such as `card_declined` or `line_2`. Each word has letters with at most two digits after
 * them, or only one or two digits.
 */
const wordPattern = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

/** Returns whether a text reads like a name or code, such as `card_declined` or `line_2`, and not like an identifier. */
const isWord = (text: string): boolean =>
  text.length <= maxWordLength && /[A-Za-z]/.test(text) && wordPattern.test(text);

/** Returns whether a text is a word (`isWord`) or a short decimal number such as `-1.50`. */
const isWordOrNumber = (text: string) =>
  isWord(text) || (text.length <= maxNumberLength && /^-?\d+(\.\d+)?$/.test(text));

/** Splits a text into words and numbers, in lower case: `Card-Declined 2` into `card`, `declined` and `2`. */
const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Collects the texts and numbers of a body at and below places whose sensitivity is `restricted`. Recursion is bounded by the depth
 * limit of `readJson`.
 * @param isInRestricted true if a place above the value is restricted
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
