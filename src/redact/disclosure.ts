import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Returns whether reports may show a word of a response unchanged. */
export type DisclosureFilter = (word: string) => boolean;

/**
 * Creates a filter that rejects secrets, private data, long numbers and unusual words.
 * @param body response body. Fields that are `restricted` in `schema` hold private data.
 * @param requestedIdentifiers identifiers in the request, which are private, too
 */
export function createDisclosureFilter(
  secrets: Secrets,
  body: unknown,
  schema?: Schema,
  requestedIdentifiers: string[] = [],
): DisclosureFilter {
  const collectRestrictedWords = () => {
    const restrictedTexts = [...requestedIdentifiers, ...collectRestrictedTexts(body, schema)];
    return new Set(restrictedTexts.flatMap(splitWords));
  };
  let restrictedWords: Set<string> | undefined;
  return (word) => {
    if (!isWordOrNumber(word) || secrets.overlaps(word)) return false;
    // Collected once, and only if a word must be checked.
    restrictedWords ??= collectRestrictedWords();
    const isRestricted = splitWords(word).some((part) => restrictedWords?.has(part));
    return !isRestricted;
  };
}

export const rejectEveryWord: DisclosureFilter = () => false;

const maxWordLength = 32;

/** Maximum length of a shown number. A longer number may be a phone number or a card number (contract sections 2.4, 2.6). */
const maxNumberLength = 9;

/** Matches words such as `card_declined` and `line_2`, but not `a1b2c3` or `card_123`. */
const wordPattern = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

const isWord = (text: string): boolean =>
  text.length <= maxWordLength && /[A-Za-z]/.test(text) && wordPattern.test(text);

const isWordOrNumber = (text: string) =>
  isWord(text) || (text.length <= maxNumberLength && decimalPattern.test(text));

const decimalPattern = /^-?\d+(\.\d+)?$/;

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function collectRestrictedTexts(
  value: unknown,
  schema: Schema | undefined,
  isInRestrictedField = false,
): string[] {
  const isRestricted = isInRestrictedField || schema?.['x-data-classification']?.sensitivity === 'restricted';
  if (Array.isArray(value))
    return value.flatMap((element) => collectRestrictedTexts(element, schema?.items, isRestricted));
  if (isRecord(value)) {
    const members = Object.entries(value);
    return members.flatMap(([name, member]) =>
      collectRestrictedTexts(member, findField(schema, name), isRestricted),
    );
  }
  const isTextOrNumber = typeof value === 'string' || typeof value === 'number';
  return isRestricted && isTextOrNumber ? [String(value)] : [];
}
