import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';

/** Number of places in a JSON text (`count`), and JSON Pointers to the first ones (`first`), at most `maxListedPlaces`. */
export interface CountedPointers {
  count: number;
  first: string[];
}

/** Maximum length of `CountedPointers.first`, and of the list of violations that is kept for each requirement. */
export const maxListedPlaces = 20;

/**
 * Parsed JSON body, with the duplicate keys and the infinite numbers that `JSON.parse` hides. If `JSON.parse` rounds a fraction to
 * an integer, `value` has a slightly greater double, so that `200.00000000000000001` is not judged as 200.
 */
export interface ParsedBody {
  value: unknown;
  /** Places of the members whose key occurs earlier in the same object (RFC 8259, section 4). */
  repeatedKeys: CountedPointers;
  /** Places of the numbers beyond the range of a double, such as `1e400` (RFC 8259, section 6). */
  infiniteNumbers: CountedPointers;
}

/** Reason why a body cannot be read. `nested too deeply` is a limit of this suite; the other reasons break the contract. */
export interface UnreadableBody {
  problem: 'empty' | 'not UTF-8' | 'not JSON' | 'nested too deeply';
}

/**
 * Maximum nesting of objects and arrays (RFC 8259, section 9, allows a limit): `jsonc-parser` and the recursive functions of this
 * suite need stack for each level.
 */
const maxDepth = 1000;

/**
 * Parses a body strictly: UTF-8 (a byte order mark is ignored, as RFC 8259, section 8.1 allows) and RFC 8259 grammar. Parses the
 * text a second time only if `JSON.parse` may have lost a key or a digit.
 */
export function readJson(body: Uint8Array): ParsedBody | UnreadableBody {
  if (!isUtf8(body)) return { problem: 'not UTF-8' };
  const text = decodeText(body);
  if (text.trim() === '') return { problem: 'empty' };
  const parsed = parseJson(text);
  if (!parsed) return { problem: 'not JSON' };
  const { members, depth } = measureValue(parsed.value);
  // Checked before the second pass (`findLostContent`), because `jsonc-parser` recurses.
  if (depth > maxDepth) return { problem: 'nested too deeply' };
  const document = { value: parsed.value, repeatedKeys: createPlaces(), infiniteNumbers: createPlaces() };
  if (canLoseContent(text, members)) findLostContent(text, document);
  return document;
}

/** Matches a number that a double may be unable to hold: with an exponent, or with at least 16 characters before it. */
const longNumberPattern = /(?:^|[:[,])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/**
 * Returns whether `JSON.parse` may have lost a key or a digit of a text. A string that looks like JSON only causes a needless
 * second pass.
 * @param members number of members in the parsed value, which is smaller than in the text if a key is repeated
 */
const canLoseContent = (text: string, members: number): boolean =>
  longNumberPattern.test(text) || countPossibleMembers(text) > members;

/** Counts the colons that may follow a key, also within strings: an upper bound for the number of members in a JSON text. */
function countPossibleMembers(text: string): number {
  let members = 0;
  for (let index = text.indexOf(':'); index !== -1; index = text.indexOf(':', index + 1)) {
    // After any other character, a colon is part of a string.
    const mayEndKey = ' "\t\r\n'.includes(text[index - 1] ?? '');
    if (mayEndKey) members += 1;
  }
  return members;
}

const createPlaces = (): CountedPointers => ({ count: 0, first: [] });

/** Decodes the UTF-8 text of a body, without its byte order mark (RFC 3629 section 6). Replaces invalid bytes by `�`. */
export function decodeText(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Parses a text with `JSON.parse`; undefined if it is not JSON. The value is wrapped, because it may be null or false. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * Returns how `JSON.parse` changes a number that is written as `text`: `infinite` for `1e400`, `rounded` for a fraction without
 * exponent that becomes an integer, undefined for any other number.
 */
function findNumberFault(text: string): 'infinite' | 'rounded' | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return 'infinite';
  const hasFraction = /\.\d*[1-9]/.test(text) && !/e/i.test(text);
  return hasFraction && Number.isInteger(number) ? 'rounded' : undefined;
}

/**
 * Counts the members of all objects in a value, and the levels of nested objects and arrays (0 for a scalar). Does not recurse,
 * because nesting may be deep.
 */
function measureValue(value: unknown): { members: number; depth: number } {
  const size = { members: 0, depth: 0 };
  // Each pass counts the objects and arrays of one level, and collects those of the next.
  for (let level = [value].filter(isObjectOrArray); level.length > 0; size.depth += 1) {
    const nextLevel: Record<string, unknown>[] = [];
    for (const container of level) {
      const children = Object.values(container);
      if (!Array.isArray(container)) size.members += children.length;
      for (const child of children) if (isObjectOrArray(child)) nextLevel.push(child);
    }
    level = nextLevel;
  }
  return size;
}

type Path = (string | number)[];

/** Adds the duplicate keys and infinite numbers of a JSON text to `document`, and corrects rounded numbers in `document.value`. */
function findLostContent(text: string, document: ParsedBody): void {
  /** Keys so far of each object that has begun and not ended, the innermost object last. */
  const openObjectKeys: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void openObjectKeys.push(new Set()),
    onObjectEnd: () => void openObjectKeys.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      const objectKeys = openObjectKeys.at(-1);
      if (objectKeys?.has(key)) addPlace(document.repeatedKeys, () => [...path(), key]);
      objectKeys?.add(key);
    },
    onLiteralValue: (value, offset, length, _line, _column, path) => {
      // The number as it is written, such as `1e400`.
      const literal = text.slice(offset, offset + length);
      const fault = typeof value === 'number' && findNumberFault(literal);
      if (fault === 'infinite') addPlace(document.infiniteNumbers, path);
      if (fault === 'rounded') replaceNumber(document, path(), computeAdjacentDouble(Number(value)));
    },
  });
}

/** Adds a place to `places`. Calls `path` only if its pointer is kept, because `jsonc-parser` computes it on demand. */
function addPlace(places: CountedPointers, path: () => Path): void {
  places.count += 1;
  if (places.first.length < maxListedPlaces) places.first.push(formatPointer(path()));
}

/** Returns a double that is slightly greater in magnitude than a number; the smallest positive double for 0. */
const computeAdjacentDouble = (number: number) => number * (1 + Number.EPSILON) || Number.MIN_VALUE;

/**
 * Replaces the number at a path of `document.value`; an empty path means the whole value. Does nothing if a later duplicate key
 * has put a value of another type there.
 */
function replaceNumber(document: { value: unknown }, path: Path, number: number): void {
  const key = path.pop();
  const parent = path.reduce<unknown>((value, step) => getOwnValue(value, step), document.value);
  if (key === undefined) document.value = number;
  else if (typeof getOwnValue(parent, key) === 'number') (parent as Record<string, unknown>)[key] = number;
}

/** Formats a path as a JSON Pointer (RFC 6901), such as `/data/customers/0`. */
const formatPointer = (path: Path): string => path.reduce<string>(appendStep, '');

/** Appends a member name or an index to a pointer, escaped as in RFC 6901. */
export const appendStep = (pointer: string, step: string | number): string =>
  `${pointer}/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the last step of a pointer, still escaped: `uuid` for `/data/customers/0/uuid`. */
export const getLastStep = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Returns the pointer to the object that holds a field: `/data/card` for `/data/card/id`. */
export const getParentPointer = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** Returns the pointer to another field of the same object: `/data/card/title` for `/data/card/id` and `title`. */
export const getSiblingPointer = (pointer: string, name: string): string =>
  `${getParentPointer(pointer)}/${name}`;

/** Returns the value at a JSON Pointer such as `/data/card/id`; undefined if there is none. */
export const getValue = (value: unknown, pointer: string): unknown =>
  parsePointer(pointer).reduce(getOwnValue, value);

/** Field of a body: its pointer, its value (undefined if the field is missing), and the object that has or lacks the field. */
interface MatchingField {
  pointer: string;
  value: unknown;
  parent: Record<string, unknown>;
}

/**
 * Finds the field that the last step of a pointer names, in each object to which the earlier steps lead; a step `*` leads to every
 * element of an array. Also returns the places where such an object lacks the field, with `value` undefined.
 */
export function findMatchingFields(body: unknown, pattern: string): MatchingField[] {
  const steps = parsePointer(pattern);
  const name = steps.at(-1) ?? '';
  const places: MatchingField[] = [];
  const followSteps = (value: unknown, depth: number, pointer: string): void => {
    const step = steps[depth] ?? '';
    const isLastStep = depth === steps.length - 1;
    if (isLastStep) {
      if (isRecord(value))
        places.push({ pointer: `${pointer}/${name}`, value: getOwnValue(value, name), parent: value });
    } else if (step === '*') {
      const elements = Array.isArray(value) ? value : [];
      for (const [index, element] of elements.entries())
        followSteps(element, depth + 1, `${pointer}/${index}`);
    } else followSteps(getOwnValue(value, step), depth + 1, `${pointer}/${step}`);
  };
  followSteps(body, 0, '');
  return places;
}

/** Splits a JSON Pointer into unescaped steps (RFC 6901). */
export const parsePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns an own member of an object or array, never an inherited one such as `toString`; undefined if there is none. */
export const getOwnValue = (value: unknown, name: string | number): unknown =>
  isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Returns a copy of an object with only the named members, without those that are undefined. */
export const pickDefined = <Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
): Pick<Source, Name> =>
  Object.fromEntries(
    names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])),
  ) as unknown as Pick<Source, Name>;

/** Returns whether a value is an object and not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObjectOrArray(value) && !Array.isArray(value);

export const isObjectOrArray = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
