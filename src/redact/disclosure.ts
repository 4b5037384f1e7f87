import type { Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { isRecord } from '../../schemas/json.ts';
import type { Secrets } from './secrets.ts';

/** Whether a word of a target may be shown as it is. */
export type Shows = (word: string) => boolean;

/**
 * The one rule of what may be shown of a response. A word is shown if it is one word or number of at most 32 characters,
 * holds no secret, and no whole word of a value that is restricted in the same response. Values are shown only where
 * their schema node is public; see `describeValue`.
 * @param schema of the body
 * @param own texts of the request that are as restricted, such as its identifiers
 */
export function showsOf(secrets: Secrets, body: unknown, schema?: Schema, own: string[] = []): Shows {
  let restricted: Set<string> | undefined;
  return (word) => {
    if (!isPlain(word) || secrets.touches(word)) return false;
    restricted ??= new Set([...own, ...restrictedTexts(body, schema)].flatMap(wordsOf));
    return wordsOf(word).every((part) => !restricted?.has(part));
  };
}

/** Shows nothing: for what nobody knows the response of. */
export const showsNothing: Shows = () => false;

const longest = 32;

/** A number of more digits may be that of a card or a phone. */
const longestNumber = 9;

const word = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

/** Whether a text reads like one word of a vocabulary; digits stand at the end of its parts, as in `line_2`. */
const isWord = (text: string): boolean => text.length <= longest && /[A-Za-z]/.test(text) && word.test(text);

const isPlain = (text: string) =>
  isWord(text) || (text.length <= longestNumber && /^-?\d+(\.\d+)?$/.test(text));

/** Whole words and numbers of a text, in lower case. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Texts and numbers at places that are classified `restricted`, and at all below them. No body is deeper than `readJson` reads. */
function restrictedTexts(value: unknown, schema: Schema | undefined, isBelow = false): string[] {
  const isRestricted = isBelow || schema?.['x-data-classification']?.sensitivity === 'restricted';
  if (Array.isArray(value))
    return value.flatMap((element) => restrictedTexts(element, schema?.items, isRestricted));
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, member]) =>
      restrictedTexts(member, findField(schema, name), isRestricted),
    );
  return isRestricted && (typeof value === 'string' || typeof value === 'number') ? [`${value}`] : [];
}
