import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';

/** JSON Pointer (RFC 6901) into a body, such as `/data/customers/0/uuid`. */
export type JsonPointer = string;

/** Number of mistakes of one kind in a JSON text, and pointers to the first ones, at most `maxListedViolations`. */
export interface CountedPointers {
  count: number;
  firstPointers: JsonPointer[];
}

/** Maximum number of violations of one requirement in one response that are listed. Further ones are only counted. */
export const maxListedViolations = 20;

/** Parsed body, and the faults of its text that `JSON.parse` hides. */
export interface ParsedBody {
  /** Parsed value. If parsing lost a fraction, a double a little farther from 0, so that `200.00000000000000001` is not 200. */
  value: unknown;
  /** Repeated keys of objects (RFC 8259, section 4). Each occurrence except the first counts. */
  repeatedKeys: CountedPointers;
  /** Numbers beyond the range of a double, such as `1e400` (RFC 8259, section 6). */
  infiniteNumbers: CountedPointers;
}

/** Body that cannot be parsed. `nested too deeply` is a limit of this suite; each other problem breaks the contract. */
export interface UnreadableBody {
  problem: 'empty' | 'not UTF-8' | 'not JSON' | 'nested too deeply';
}

/** Maximum depth of objects and arrays in a body, so that no recursion exhausts the stack. RFC 8259, section 9, allows a limit. */
const maxDepth = 1000;

/** Parses a body as UTF-8 and JSON (RFC 8259), ignoring a byte order mark (section 8.1). */
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
  if (mayHideFaults(text, memberCount)) findHiddenFaults(text, body);
  return body;
}

/** Matches a number that may not fit into a double: with an exponent, or with 16 digits (a decimal point counts as one). */
const longNumberPattern = /(?:^|[:[,])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Returns whether `JSON.parse` may have dropped a repeated key or rounded a number. */
const mayHideFaults = (text: string, parsedMemberCount: number): boolean =>
  longNumberPattern.test(text) || countPossibleKeys(text) > parsedMemberCount;

/** Counts the colons that may follow a key: one for each key, and possibly some within strings. */
function countPossibleKeys(text: string): number {
  let count = 0;
  for (let index = text.indexOf(':'); index !== -1; index = text.indexOf(':', index + 1)) {
    // After any other character, a colon is part of a string.
    const mayFollowKey = ' "\t\r\n'.includes(text[index - 1] ?? '');
    if (mayFollowKey) count += 1;
  }
  return count;
}

/** Decodes UTF-8 without the byte order mark (RFC 3629 section 6). Replaces invalid bytes by `�`. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Returns undefined if a text is not JSON, and `{ value: null }` for the text `null`. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * Returns what `JSON.parse` does wrong with a number: `infinite` beyond the range of a double, such as `1e400`; `lost fraction` if
 * it becomes an integer, such as `200.00000000000000001`; undefined for any other number.
 */
function findNumberFault(text: string): 'infinite' | 'lost fraction' | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return 'infinite';
  // `1.5e3` is an integer although its text has a fraction.
  const hasExponent = /e/i.test(text);
  const hasFraction = /\.\d*[1-9]/.test(text);
  return hasFraction && !hasExponent && Number.isInteger(number) ? 'lost fraction' : undefined;
}

/**
 * Counts the members of all objects in a JSON value, and the levels of nested objects and arrays: `depth` is 0 for `7` and 1 for
 * `[]`. Does not recurse, because recursion could exhaust the stack.
 */
function measureValue(value: unknown): { memberCount: number; depth: number } {
  let [memberCount, depth] = [0, 0];
  let containers = [value].filter(isObjectOrArray);
  while (containers.length > 0) {
    depth += 1;
    const nestedContainers: Record<string, unknown>[] = [];
    for (const container of containers) {
      const children = Object.values(container);
      if (!Array.isArray(container)) memberCount += children.length;
      for (const child of children) if (isObjectOrArray(child)) nestedContainers.push(child);
    }
    containers = nestedContainers;
  }
  return { memberCount, depth };
}

type Path = (string | number)[];

/** Parses a text again: adds its repeated keys and infinite numbers to `body`, and corrects integers that have lost a fraction. */
function findHiddenFaults(text: string, body: ParsedBody): void {
  // Keys of each object that is not closed yet. The innermost object comes last.
  const openObjectKeys: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void openObjectKeys.push(new Set()),
    onObjectEnd: () => void openObjectKeys.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, getPath) => {
      const objectKeys = openObjectKeys.at(-1);
      if (objectKeys?.has(key)) addPointer(body.repeatedKeys, () => [...getPath(), key]);
      objectKeys?.add(key);
    },
    onLiteralValue: (value, offset, length, _line, _column, getPath) => {
      if (typeof value !== 'number') return;
      const fault = findNumberFault(text.slice(offset, offset + length));
      if (fault === 'infinite') addPointer(body.infiniteNumbers, getPath);
      if (fault === 'lost fraction') replaceNumber(body, getPath(), computeNextDouble(value));
    },
  });
}

function addPointer(pointers: CountedPointers, getPath: () => Path): void {
  pointers.count += 1;
  // `jsonc-parser` computes a path only if `getPath` is called, so that further paths cost no time.
  if (pointers.firstPointers.length < maxListedViolations)
    pointers.firstPointers.push(getPath().reduce<string>(appendStep, ''));
}

/** Returns a double that is slightly farther from 0 than a number; for 0, the smallest positive double. */
const computeNextDouble = (number: number) => number * (1 + Number.EPSILON) || Number.MIN_VALUE;

/** Sets the number at a path in `body.value`. Does nothing if a later repetition of a key has overwritten that number. */
function replaceNumber(body: { value: unknown }, path: Path, number: number): void {
  const pathFromBody: Path = ['value', ...path];
  const key = pathFromBody.pop() as string | number;
  const parent = pathFromBody.reduce<unknown>(getOwnValue, body);
  if (typeof getOwnValue(parent, key) === 'number') (parent as Record<string, unknown>)[key] = number;
}

/** Appends a field name or an index to a JSON Pointer. Escapes `/` and `~` (RFC 6901). */
export const appendStep = (pointer: JsonPointer, step: string | number): JsonPointer =>
  `${pointer}/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the last step of a JSON Pointer, with `~0` and `~1` as they are: `uuid` for `/data/customers/0/uuid`. */
export const getLastStep = (pointer: JsonPointer): string => pointer.slice(pointer.lastIndexOf('/') + 1);

export const getParentPointer = (pointer: JsonPointer): JsonPointer =>
  pointer.slice(0, pointer.lastIndexOf('/'));
export const getSiblingPointer = (pointer: JsonPointer, name: string): JsonPointer =>
  `${getParentPointer(pointer)}/${name}`;

export const getValue = (value: unknown, pointer: JsonPointer): unknown =>
  parsePointer(pointer).reduce(getOwnValue, value);

/** Finds the fields at a pointer, in which `*` is any element. `parent` should have the field; if not, `value` is undefined. */
export function findMatchingFields(body: unknown, pattern: string) {
  const steps = parsePointer(pattern);
  const name = steps.at(-1) ?? '';
  return findObjects(body, steps.slice(0, -1), '').map(({ pointer, object }) => ({
    pointer: `${pointer}/${name}`,
    value: getOwnValue(object, name),
    parent: object,
  }));
}

/** Finds the objects to which `steps` lead from `value`, with `*` for each array element. @param pointer JSON Pointer of `value` */
function findObjects(
  value: unknown,
  steps: string[],
  pointer: JsonPointer,
): { pointer: JsonPointer; object: Record<string, unknown> }[] {
  const [step, ...laterSteps] = steps;
  if (step === undefined) return isRecord(value) ? [{ pointer, object: value }] : [];
  if (step !== '*') return findObjects(getOwnValue(value, step), laterSteps, `${pointer}/${step}`);
  const elements = Array.isArray(value) ? value : [];
  return elements.flatMap((element, index) => findObjects(element, laterSteps, `${pointer}/${index}`));
}

/** Splits a JSON Pointer, and unescapes its steps (RFC 6901): `['data', 'a/b']` for `/data/a~1b`. */
export const parsePointer = (pointer: JsonPointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns a field or an array element. Undefined if there is none, or if the field is inherited, such as `toString`. */
export const getOwnValue = (value: unknown, name: string | number): unknown =>
  isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;

type WithoutUndefined<Source> = {
  [Name in keyof Source as undefined extends Source[Name] ? never : Name]: Source[Name];
} & {
  [Name in keyof Source as undefined extends Source[Name] ? Name : never]?: Exclude<Source[Name], undefined>;
};

/** Copies an object without the properties whose value is undefined. Keeps the order of the others. */
export const omitUndefined = <Source extends object>(source: Source): WithoutUndefined<Source> =>
  Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined),
  ) as unknown as WithoutUndefined<Source>;

/** Copies the named properties of an object, except those that are undefined. */
export const pickDefined = <Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
): Pick<Source, Name> =>
  omitUndefined(Object.fromEntries(names.map((name) => [name, source[name]]))) as unknown as Pick<
    Source,
    Name
  >;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObjectOrArray(value) && !Array.isArray(value);

export const isObjectOrArray = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
