import { visit } from 'jsonc-parser';

/** A body that was read as JSON, with what JSON.parse would have hidden. */
export interface Document {
  value: unknown;
  /** JSON Pointers of keys that stand twice in one object. */
  repeatedKeys: string[];
  /** JSON Pointers of numbers that no finite double can hold. */
  infiniteNumbers: string[];
}

/** Why a body could not be read; `unreadable` is a limit of this suite, the others break the contract. */
export interface Unreadable {
  problem: 'empty' | 'not UTF-8' | 'not JSON' | 'unreadable';
}

/**
 * Reads a body strictly: UTF-8 (a byte order mark is passed over), RFC 8259, no key lost, no digit lost.
 * A number whose digits a double would round onto an integer is moved off it, so that
 * `200.00000000000000001` is not taken for 200.
 */
export function readJson(body: Uint8Array): Document | Unreadable {
  const text = decode(body);
  if (text === undefined) return { problem: 'not UTF-8' };
  if (text.trim() === '') return { problem: 'empty' };
  try {
    return inspect(text, JSON.parse(text));
  } catch (error) {
    return { problem: error instanceof RangeError ? 'unreadable' : 'not JSON' };
  }
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function inspect(text: string, value: unknown): Document {
  const document: Document = { value, repeatedKeys: [], infiniteNumbers: [] };
  const keys: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void keys.push(new Set()),
    onObjectEnd: () => void keys.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      const seen = keys.at(-1);
      if (seen?.has(key)) document.repeatedKeys.push(pointerOf([...path(), key]));
      seen?.add(key);
    },
    onLiteralValue: (number, offset, length, _line, _column, path) => {
      if (typeof number === 'number') inspectNumber(document, text.slice(offset, offset + length), path());
    },
  });
  return document;
}

function inspectNumber(document: Document, raw: string, path: (string | number)[]): void {
  const number = Number(raw);
  if (!Number.isFinite(number)) document.infiniteNumbers.push(pointerOf(path));
  else if (Number.isInteger(number) && !isInteger(raw)) replace(document, path, number + gap(number));
}

/** Whether decimal text denotes an integer: `200`, `200.0`, `2e2` and `20.5e1` do. */
function isInteger(raw: string): boolean {
  const [mantissa = '', exponent = '0'] = raw.toLowerCase().split('e');
  const fraction = (mantissa.split('.')[1] ?? '').replace(/0+$/, '');
  const digits = mantissa.replace(/[-.]/g, '');
  if (/^0*$/.test(digits)) return true;
  const zeros = fraction ? 0 : (/0*$/.exec(mantissa.split('.')[0] ?? '')?.[0].length ?? 0);
  return Number(exponent) >= fraction.length - zeros;
}

const gap = (number: number) => Math.max(Number.MIN_VALUE, Math.abs(number) * Number.EPSILON * 2);

function replace(document: Document, path: (string | number)[], number: number): void {
  // A key that stands twice may have taken the place of what the path leads to.
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), document.value);
  const key = path.at(-1);
  if (key === undefined) document.value = number;
  else if (isObject(parent)) Object.defineProperty(parent, key, { value: number });
}

/** JSON Pointer (RFC 6901) of a path. */
export function pointerOf(path: (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a JSON Pointer, or undefined. */
export function valueAt(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((at, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, value);
}

/** Whether a value has members: an object, or an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
