import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';

/** Places of a text: how many there are, and JSON Pointers of the first ones. */
export interface Places {
  count: number;
  first: string[];
}

/** How many places are kept of what may be found any number of times. */
export const maxFirst = 20;

/**
 * A body that was read as JSON, with what JSON.parse hides. A number that JSON.parse rounds to an integer is the double
 * beside it, so that `200.00000000000000001` is not taken for 200.
 */
export interface Document {
  value: unknown;
  /** Keys that stand in an object already. */
  repeatedKeys: Places;
  /** Numbers that no finite double can hold. */
  infiniteNumbers: Places;
}

/** Why a body could not be read; `nested too deeply` is a limit of this suite, the others break the contract. */
export interface Unreadable {
  problem: 'empty' | 'not UTF-8' | 'not JSON' | 'nested too deeply';
}

/** Levels of objects and arrays that are read. `jsonc-parser` and whoever walks a value need some stack for each. */
const maxDepth = 1000;

/** Reads a body strictly: UTF-8 (a byte order mark is passed over), RFC 8259, no key lost, no digit lost. */
export function readJson(body: Uint8Array): Document | Unreadable {
  if (!isUtf8(body)) return { problem: 'not UTF-8' };
  const text = textOf(body);
  if (text.trim() === '') return { problem: 'empty' };
  const parsed = parse(text);
  if (!parsed) return { problem: 'not JSON' };
  const { members, depth } = sizeOf(parsed.value);
  if (depth > maxDepth) return { problem: 'nested too deeply' };
  const document = { value: parsed.value, repeatedKeys: noPlaces(), infiniteNumbers: noPlaces() };
  if (mayLose(text, members)) findLost(text, document);
  return document;
}

/** A number with an exponent, or of more characters than always keep their digits. */
const longNumber = /(?:^|[:[,])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Whether JSON.parse may have lost a key or a digit of a text. A string that looks like JSON only costs a second look. */
const mayLose = (text: string, members: number): boolean =>
  longNumber.test(text) || mostMembers(text) > members;

/** Colons behind a quotation mark or a blank: at least as many as there are members. */
function mostMembers(text: string): number {
  let members = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1))
    if (' "\t\r\n'.includes(text[at - 1] ?? '')) members += 1;
  return members;
}

const noPlaces = (): Places => ({ count: 0, first: [] });

/** The text of a body, without a byte order mark. */
export function textOf(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The value of a text, as JSON.parse reads it; undefined where it is no JSON. */
export function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** What JSON.parse loses of a number; `rounded` is an integer whose text has a fraction, and no exponent to shift it. */
function faultOf(text: string): 'infinite' | 'rounded' | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return 'infinite';
  const hasFraction = /\.\d*[1-9]/.test(text) && !/e/i.test(text);
  return hasFraction && Number.isInteger(number) ? 'rounded' : undefined;
}

/** How many members all objects of a parsed value have, and how many levels there are of objects and arrays. */
function sizeOf(value: unknown): { members: number; depth: number } {
  const size = { members: 0, depth: 0 };
  for (let level = [value].filter(isObjectOrArray); level.length > 0; size.depth += 1) {
    const next: Record<string, unknown>[] = [];
    for (const one of level) {
      const parts = Object.values(one);
      if (!Array.isArray(one)) size.members += parts.length;
      for (const part of parts) if (isObjectOrArray(part)) next.push(part);
    }
    level = next;
  }
  return size;
}

type Path = (string | number)[];

/** Finds what is lost of a text that is known to be JSON. */
function findLost(text: string, document: Document): void {
  const keys: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void keys.push(new Set()),
    onObjectEnd: () => void keys.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      const seen = keys.at(-1);
      if (seen?.has(key)) add(document.repeatedKeys, () => [...path(), key]);
      seen?.add(key);
    },
    onLiteralValue: (value, offset, length, _line, _column, path) => {
      const fault = typeof value === 'number' && faultOf(text.slice(offset, offset + length));
      if (fault === 'infinite') add(document.infiniteNumbers, path);
      if (fault === 'rounded') replace(document, path(), besideInteger(Number(value)));
    },
  });
}

function add(places: Places, path: () => Path): void {
  places.count += 1;
  if (places.first.length < maxFirst) places.first.push(pointerOf(path()));
}

const besideInteger = (number: number) => number * (1 + Number.EPSILON) || Number.MIN_VALUE;

/** A key that stands twice may have taken the place of what the path leads to. */
function replace(document: { value: unknown }, path: Path, number: number): void {
  const key = path.pop();
  const parent = path.reduce<unknown>((at, step) => ownValue(at, step), document.value);
  if (key === undefined) document.value = number;
  else if (typeof ownValue(parent, key) === 'number') (parent as Record<string, unknown>)[key] = number;
}

/** JSON Pointer (RFC 6901) of a path. */
const pointerOf = (path: Path): string => path.reduce<string>(below, '');

/** The pointer of a member or element. */
export const below = (pointer: string, step: string | number): string =>
  `${pointer}/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Name of the field that a pointer leads to. */
export const lastStep = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Pointer to the object that has the field to which a pointer leads. */
export const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** Pointer to another field of the same record. */
export const sibling = (pointer: string, name: string): string => `${parentOf(pointer)}/${name}`;

/** The value at a JSON Pointer, or undefined. */
export const valueAt = (value: unknown, pointer: string): unknown => stepsOf(pointer).reduce(ownValue, value);

/** A value of a body, where it stands, and the object that has it, or lacks it. */
interface PlaceAt {
  pointer: string;
  value: unknown;
  parent: Record<string, unknown>;
}

/** Each place that a pointer leads to, where `*` stands for every element of an array; the last step is a field. */
export function placesAt(body: unknown, pattern: string): PlaceAt[] {
  const steps = stepsOf(pattern);
  const name = steps.at(-1) ?? '';
  const found: PlaceAt[] = [];
  const follow = (at: unknown, depth: number, pointer: string): void => {
    const step = steps[depth] ?? '';
    if (depth === steps.length - 1) {
      if (isRecord(at)) found.push({ pointer: `${pointer}/${name}`, value: ownValue(at, name), parent: at });
    } else if (step !== '*') follow(ownValue(at, step), depth + 1, `${pointer}/${step}`);
    else if (Array.isArray(at))
      for (const [index, one] of at.entries()) follow(one, depth + 1, `${pointer}/${index}`);
  };
  follow(body, 0, '');
  return found;
}

/** The keys that a JSON Pointer names, from the root on. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value of a member that an object itself has, and does not inherit; undefined where there is none. */
export const ownValue = (value: unknown, name: string | number): unknown =>
  isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** What an object has of some members: nothing of one that is undefined. */
export const pick = <One extends object, Name extends keyof One>(
  one: One,
  names: readonly Name[],
): Pick<One, Name> =>
  Object.fromEntries(
    names.flatMap((name) => (one[name] === undefined ? [] : [[name, one[name]]])),
  ) as unknown as Pick<One, Name>;

/** Whether a value is an object, and no array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObjectOrArray(value) && !Array.isArray(value);

/** Whether a value has members: an object, or an array, whose keys are its indices. */
export const isObjectOrArray = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
