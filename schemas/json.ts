import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';

/** JSON Pointer (RFC 6901) into a body, such as `/data/customers/0/uuid`. */
export type JsonPointer = string;

/** Keys and indices that lead to a value, such as `['data', 'customers', 0]`. */
export type Path = (string | number)[];

/** Faults of one kind in a JSON text, such as repeated keys. */
export interface CountedPointers {
  count: number;
  /** Pointers to the first faults, at most `maxListedViolations` (20). */
  firstPointers: JsonPointer[];
}

/** Maximum number of violations that are listed for one requirement of a response. Further violations are only counted. */
export const maxListedViolations = 20;

/** Parsed JSON body. `repeatedKeys` and `infiniteNumbers` are faults in the JSON text that `JSON.parse` does not report. */
export interface ParsedBody {
  /**
   * Result of `JSON.parse`. If `JSON.parse` rounds away the fraction of a number, the number gets a tiny fraction.
   * For example, `200.00000000000000001` becomes `200.00000000000006` instead of 200, because 200 would count as an integer.
   */
  value: unknown;
  /** Keys that occur again in the same object (RFC 8259, section 4). In `{"a":1,"a":2}`, the second `a` is counted. */
  repeatedKeys: CountedPointers;
  /** Numbers too large for a double (RFC 8259, section 6). `JSON.parse` reads such a number, for example `1e400`, as `Infinity`. */
  infiniteNumbers: CountedPointers;
}

/** Result for a body that the suite cannot judge. `problem` is the reason, such as `not JSON`. */
export interface UnreadableBody {
  problem: 'empty' | 'not UTF-8' | 'not JSON' | 'nested too deeply';
}

/** Maximum depth of nested objects and arrays (RFC 8259, section 9). In a deeper body, recursion could exhaust the stack. */
const maxDepth = 1000;

/** Parses a body as JSON in UTF-8 (RFC 8259). Ignores a byte order mark (section 8.1). */
export function readJson(bytes: Uint8Array): ParsedBody | UnreadableBody {
  if (!isUtf8(bytes)) return { problem: 'not UTF-8' };
  const text = decodeText(bytes);
  if (text.trim() === '') return { problem: 'empty' };
  const parsed = parseJson(text);
  if (!parsed) return { problem: 'not JSON' };
  const { memberCount, depth } = measureValue(parsed.value);
  if (depth > maxDepth) return { problem: 'nested too deeply' };
  const body: ParsedBody = {
    value: parsed.value,
    repeatedKeys: { count: 0, firstPointers: [] },
    infiniteNumbers: { count: 0, firstPointers: [] },
  };
  // Most bodies need no second, slower pass by `jsonc-parser`.
  if (!mayHideFaults(text, memberCount)) return body;
  try {
    addHiddenFaults(text, body);
  } catch (error) {
    if (error instanceof NestingError) return { problem: 'nested too deeply' };
    throw error;
  }
  return body;
}

/** Thrown if the objects and arrays of a text are nested deeper than `maxDepth`. */
class NestingError extends Error {}

/**
 * Matches the beginning of a number that `JSON.parse` may change.
 * A number with an exponent, such as `1e400`, always matches.
 * Any other number matches if its digits and its decimal point are at least 16 characters.
 */
const longNumberPattern = /(?:^|[:[,])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

function mayHideFaults(text: string, parsedMemberCount: number): boolean {
  const mayRepeatKey = countPossibleKeys(text) > parsedMemberCount;
  return mayRepeatKey || longNumberPattern.test(text);
}

function countPossibleKeys(text: string): number {
  let count = 0;
  for (let index = text.indexOf(':'); index !== -1; index = text.indexOf(':', index + 1)) {
    // A colon after a key follows the closing quote or white space. Any other colon is part of a string.
    const mayFollowKey = ' "\t\r\n'.includes(text[index - 1] ?? '');
    if (mayFollowKey) count += 1;
  }
  return count;
}

/** Decodes bytes as UTF-8. Drops a byte order mark (RFC 3629 section 6), and replaces invalid bytes by `�`. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Parses a JSON text. The text `null` gives `{ value: null }`. A text that is not JSON gives undefined. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function findNumberFault(text: string): 'infinite' | 'lost fraction' | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return 'infinite';
  const [mantissa = '', exponent = '0'] = text.split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  // The exponent moves the point: `1.5e3` is an integer, `15e-1` is none.
  const pointIndex = Math.max(0, whole.length + Number(exponent));
  const hasFractionInText = /[1-9]/.test((whole + fraction).slice(pointIndex));
  return hasFractionInText && Number.isInteger(number) ? 'lost fraction' : undefined;
}

function measureValue(value: unknown): { memberCount: number; depth: number } {
  let memberCount = 0;
  let depth = 0;
  // Goes level by level, because recursion could exhaust the stack.
  let containersOfLevel = [value].filter(isObjectOrArray);
  while (containersOfLevel.length > 0) {
    depth += 1;
    const containersOfNextLevel: Record<string, unknown>[] = [];
    for (const container of containersOfLevel) {
      const children = Object.values(container);
      if (!Array.isArray(container)) memberCount += children.length;
      for (const child of children) if (isObjectOrArray(child)) containersOfNextLevel.push(child);
    }
    containersOfLevel = containersOfNextLevel;
  }
  return { memberCount, depth };
}

/**
 * Searches a JSON text for faults that `JSON.parse` hides. Adds the faults to `body.repeatedKeys` and `body.infiniteNumbers`.
 * If `JSON.parse` has rounded away the fraction of a number, gives the number in `body.value` a tiny fraction.
 * @throws {NestingError} if the text is nested deeper than `maxDepth`
 */
function addHiddenFaults(text: string, body: ParsedBody): void {
  // Keys of each object that is not closed yet. The innermost object comes last.
  const openObjectKeys: Set<string>[] = [];
  let depth = 0;
  const enterContainer = () => {
    depth += 1;
    // The parsed value may be less deep: of `{"a":[[[…]]],"a":1}` it has only the second `a`.
    if (depth > maxDepth) throw new NestingError();
  };
  const leaveContainer = () => {
    depth -= 1;
  };
  // Reports each key and number, also those that `JSON.parse` drops.
  visit(text, {
    onArrayBegin: enterContainer,
    onArrayEnd: leaveContainer,
    onObjectBegin: () => {
      enterContainer();
      openObjectKeys.push(new Set());
    },
    onObjectEnd: () => {
      leaveContainer();
      openObjectKeys.pop();
    },
    onObjectProperty: (key, _offset, _length, _line, _column, getPathOfObject) => {
      const knownKeys = openObjectKeys.at(-1);
      if (knownKeys?.has(key)) addPointer(body.repeatedKeys, () => [...getPathOfObject(), key]);
      knownKeys?.add(key);
    },
    onLiteralValue: (value, offset, length, _line, _column, getPath) => {
      if (typeof value !== 'number') return;
      const numberText = text.slice(offset, offset + length);
      const fault = findNumberFault(numberText);
      if (fault === 'infinite') addPointer(body.infiniteNumbers, getPath);
      // `JSON.parse` has rounded the number to an integer. The tiny fraction is to keep it from being judged as one.
      if (fault === 'lost fraction') replaceNumber(body, getPath(), addTinyFraction(value));
    },
  });
}

function addPointer(pointers: CountedPointers, getPath: () => Path): void {
  pointers.count += 1;
  if (pointers.firstPointers.length >= maxListedViolations) return;
  // Called only here, because `jsonc-parser` takes time to compute a path.
  const path = getPath();
  pointers.firstPointers.push(formatPointer(path));
}

const formatPointer = (path: Path): JsonPointer => path.reduce<JsonPointer>(appendStep, '');

/**
 * Adds a tiny fraction to an integer. For example, 200 becomes `200.00000000000006`.
 * An integer above about 3.4e15 becomes a different integer instead.
 */
const addTinyFraction = (number: number) => (number === 0 ? Number.MIN_VALUE : number * (1 + Number.EPSILON));

function replaceNumber(body: { value: unknown }, path: Path, number: number): void {
  const key = path.at(-1);
  if (key === undefined) {
    // The whole body is a number.
    body.value = number;
    return;
  }
  const parent = getValueAtPath(body.value, path.slice(0, -1));
  // If the key is repeated, `JSON.parse` has kept the last value (RFC 8259 section 4), which may be of another type.
  const isNumber = typeof getOwnValue(parent, key) === 'number';
  if (isNumber) (parent as Record<string, unknown>)[key] = number;
}

/** Appends a step to a JSON Pointer, and escapes the step (RFC 6901). `/data` and the step `a/b` give `/data/a~1b`. */
export function appendStep(pointer: JsonPointer, step: string | number): JsonPointer {
  const escapedStep = String(step).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${pointer}/${escapedStep}`;
}

/** Returns the last step of a JSON Pointer, such as `uuid` for `/data/customers/0/uuid`. A step such as `a~1b` stays escaped. */
export const getLastStep = (pointer: JsonPointer): string => pointer.slice(pointer.lastIndexOf('/') + 1);

export const getParentPointer = (pointer: JsonPointer): JsonPointer =>
  pointer.slice(0, pointer.lastIndexOf('/'));
export const getSiblingPointer = (pointer: JsonPointer, name: string): JsonPointer =>
  `${getParentPointer(pointer)}/${name}`;

export const getValue = (value: unknown, pointer: JsonPointer): unknown =>
  getValueAtPath(value, parsePointer(pointer));

/** Returns the value at a path such as `['data', 'customers', 0]`. Returns undefined if the path leads to no value. */
export const getValueAtPath = (value: unknown, path: Path): unknown => path.reduce(getOwnValue, value);

interface MatchingField {
  /** JSON Pointer with indices: `/data/customers/0/email`. */
  pointer: JsonPointer;
  /** Undefined if `parent` lacks the field. */
  value: unknown;
  parent: Record<string, unknown>;
}

/**
 * Finds all fields of a body that match a pattern. A field that its parent object lacks has the value undefined.
 * @param pattern JSON Pointer with `*` for every array element, such as `/data/customers/*`
 */
export function findMatchingFields(body: unknown, pattern: string): MatchingField[] {
  const steps = parsePointer(pattern);
  const fieldName = steps.at(-1) ?? '';
  let parents = [{ pointer: '', value: body }];
  for (const step of steps.slice(0, -1)) parents = parents.flatMap((parent) => listChildren(parent, step));
  const fields: MatchingField[] = [];
  for (const { pointer, value: parent } of parents) {
    if (!isRecord(parent)) continue;
    fields.push({ pointer: `${pointer}/${fieldName}`, value: getOwnValue(parent, fieldName), parent });
  }
  return fields;
}

function listChildren({ pointer, value }: { pointer: JsonPointer; value: unknown }, step: string) {
  const indices = Array.isArray(value) ? [...value.keys()] : [];
  const names = step === '*' ? indices : [step];
  return names.map((name) => ({ pointer: `${pointer}/${name}`, value: getOwnValue(value, name) }));
}

/** Splits a JSON Pointer into steps, and unescapes each step (RFC 6901). `/data/a~1b` gives `['data', 'a/b']`. */
export const parsePointer = (pointer: JsonPointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the value of an object's field or array's element. Returns undefined for an inherited property such as `toString`. */
export const getOwnValue = (value: unknown, name: string | number): unknown =>
  isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;

type WithoutUndefined<Source> = {
  [Name in keyof Source as undefined extends Source[Name] ? never : Name]: Source[Name];
} & {
  [Name in keyof Source as undefined extends Source[Name] ? Name : never]?: Exclude<Source[Name], undefined>;
};

/** Copies an object without its undefined properties. `{ a: 1, b: undefined }` gives `{ a: 1 }`. */
export function omitUndefined<Source extends object>(source: Source): WithoutUndefined<Source> {
  const definedEntries = Object.entries(source).filter(([, value]) => value !== undefined);
  return Object.fromEntries(definedEntries) as unknown as WithoutUndefined<Source>;
}

/** Copies some properties of an object into a new object. Undefined properties are left out. */
export function pickDefined<Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
): Pick<Source, Name> {
  const picked: Partial<Source> = {};
  for (const name of names) {
    if (source[name] !== undefined) picked[name] = source[name];
  }
  return picked as Pick<Source, Name>;
}

/** Returns the byte offset of an error of `Tokenizer` (`@streamparser/json`), which only the message of the error holds. */
export function parseErrorOffset({ message }: Error): number | undefined {
  const [, offset] = /absolute position "(\d+)"/.exec(message) ?? [];
  return offset === undefined ? undefined : Number(offset);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObjectOrArray(value) && !Array.isArray(value);

export const isObjectOrArray = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
