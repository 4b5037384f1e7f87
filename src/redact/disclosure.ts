import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Disclosure filter: returns whether a word of a target may be shown unchanged. */
export type DisclosureFilter = (word: string) => boolean;

/**
 * Creates the disclosure filter of a response, the only rule of what may be shown. A word may be shown if it is one word or
 * number of at most 32 characters, contains no secret, and contains no whole word of a restricted value in the same response.
 * Values also need a public schema node; see `describeValue`.
 * @param schema schema of the body
 * @param requestTexts identifiers of the request, which are as restricted as restricted values of the body
 */
export function createDisclosureFilter(
  secrets: Secrets,
  body: unknown,
  schema?: Schema,
  requestTexts: string[] = [],
): DisclosureFilter {
  /** Words of the restricted values, collected when the first word is checked. */
  let restricted: Set<string> | undefined;
  return (word) => {
    if (!isWordOrNumber(word) || secrets.overlaps(word)) return false;
    restricted ??= new Set([...requestTexts, ...collectRestrictedTexts(body, schema)].flatMap(splitWords));
    return splitWords(word).every((part) => !restricted?.has(part));
  };
}

/** Filter that rejects every word, for a text that shows no value of a response. */
export const showsNothing: DisclosureFilter = () => false;

const maxWordLength = 32;

/** Maximum number of characters of a number: longer ones may be card or phone numbers. */
const maxNumberLength = 9;

/** Matches words joined by `_` or `-`, each of letters with at most two digits after them, or of one or two digits. */
const wordPattern = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

/** Returns whether a text reads like a name or code, such as `card_declined` or `line_2`, and not like an identifier. */
const isWord = (text: string): boolean =>
  text.length <= maxWordLength && /[A-Za-z]/.test(text) && wordPattern.test(text);

const isWordOrNumber = (text: string) =>
  isWord(text) || (text.length <= maxNumberLength && /^-?\d+(\.\d+)?$/.test(text));

/** Splits a text into whole words and numbers, in lower case. */
const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Collects texts and numbers at and below places classified `restricted`. Recursion is bounded by the depth limit of `readJson`.
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
