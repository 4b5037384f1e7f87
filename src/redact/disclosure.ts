import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Returns whether reports may show a word of a response unchanged. */
export type DisclosureFilter = (word: string) => boolean;

/**
 * Creates a filter that allows words and short numbers. Rejects words of secrets, and words of restricted values
 * (`x-data-classification`) in the response.
 * @param requestedIdentifiers identifiers in the request, whose words the filter rejects, too
 */
export function createDisclosureFilter(
  secrets: Secrets,
  body: unknown,
  schema?: Schema,
  requestedIdentifiers: string[] = [],
): DisclosureFilter {
  // Collected only when the first word is checked.
  let restrictedWords: Set<string> | undefined;
  return (word) => {
    if (!isWordOrNumber(word) || secrets.overlaps(word)) return false;
    restrictedWords ??= new Set(
      [...requestedIdentifiers, ...collectRestrictedTexts(body, schema)].flatMap(splitWords),
    );
    return splitWords(word).every((part) => !restrictedWords?.has(part));
  };
}

export const rejectEveryWord: DisclosureFilter = () => false;

const maxWordLength = 32;

/** Maximum characters of a number in a report. Longer ones, which may be phone or card numbers (sections 2.4, 2.6), are hidden. */
const maxNumberLength = 9;

/** Matches `card_declined` and `line_2`. Rejects identifiers: allows at most two digits in a row, and no letter right after them. */
const wordPattern = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

const isWord = (text: string): boolean =>
  text.length <= maxWordLength && /[A-Za-z]/.test(text) && wordPattern.test(text);

const isWordOrNumber = (text: string) =>
  isWord(text) || (text.length <= maxNumberLength && decimalPattern.test(text));

const decimalPattern = /^-?\d+(\.\d+)?$/;

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Collects the texts and numbers in all fields that the contract classifies as `restricted`, nested fields included. */
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
