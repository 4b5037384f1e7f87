import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Returns whether reports may show a word of a response unchanged. */
export type DisclosureFilter = (word: string) => boolean;

/**
 * Creates a filter that allows a single word or short number, unless it overlaps a secret, or occurs in a restricted value
 * (`x-data-classification`) of the same response. For a whole value, `describeValue` also requires that the contract classifies it
 * as public.
 * @param requestTexts identifiers of the request, whose words are rejected like those of restricted values
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

/** Maximum length of a shown number, because longer ones may be phone or card numbers (contract sections 2.4 and 2.6). */
const maxNumberLength = 9;

/**
 * Matches names and codes such as `card_declined` or `line_2`. Each part, between `_` or `-`, has at most two digits, and only at
 * its end, so that no identifier matches.
 */
const wordPattern = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

const isWord = (text: string): boolean =>
  text.length <= maxWordLength && /[A-Za-z]/.test(text) && wordPattern.test(text);

const isWordOrNumber = (text: string) =>
  isWord(text) || (text.length <= maxNumberLength && decimalPattern.test(text));

const decimalPattern = /^-?\d+(\.\d+)?$/;

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Collects texts and numbers in `restricted` fields, nested ones included. The depth limit of `readJson` bounds the recursion. */
function collectRestrictedTexts(
  value: unknown,
  schema: Schema | undefined,
  isInRestrictedField = false,
): string[] {
  const isRestricted = isInRestrictedField || schema?.['x-data-classification']?.sensitivity === 'restricted';
  if (Array.isArray(value))
    return value.flatMap((element) => collectRestrictedTexts(element, schema?.items, isRestricted));
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, member]) =>
      collectRestrictedTexts(member, findField(schema, name), isRestricted),
    );
  return isRestricted && (typeof value === 'string' || typeof value === 'number') ? [`${value}`] : [];
}
