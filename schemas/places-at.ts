import { isObject } from './json.ts';

/** A value of an answer, where it stands, and the object that has it. */
export interface PlaceAt {
  pointer: string;
  value: unknown;
  parent: Record<string, unknown>;
  /** Whether the object has the field at all; else `value` is undefined. */
  isThere: boolean;
}

/** Each place that a pointer leads to, where `*` stands for every element of an array; the last step is a field. */
export function* placesAt(body: unknown, pattern: string): Generator<PlaceAt> {
  const steps = pattern.split('/').slice(1);
  const name = steps.pop() ?? '';
  for (const { pointer, value } of valuesBelow('', body, steps)) {
    if (!isObject(value) || Array.isArray(value)) continue;
    const isThere = Object.hasOwn(value, name);
    yield { pointer: `${pointer}/${name}`, value: isThere ? value[name] : undefined, parent: value, isThere };
  }
}

type Found = Pick<PlaceAt, 'pointer' | 'value'>;

function* valuesBelow(pointer: string, value: unknown, steps: string[]): Generator<Found> {
  const star = steps.indexOf('*');
  const own = star < 0 ? steps : steps.slice(0, star);
  const found = valueAlong(value, own);
  const place = own.length === 0 ? pointer : [pointer, ...own].join('/');
  if (star < 0 && found) yield { pointer: place, value: found.value };
  if (star < 0 || !Array.isArray(found?.value)) return;
  yield* elementsBelow(place, found.value, steps.slice(star + 1));
}

function* elementsBelow(place: string, elements: unknown[], rest: string[]): Generator<Found> {
  const [next = '*'] = rest;
  let index = -1;
  for (const value of elements) {
    index += 1;
    if (rest.length === 0) yield { pointer: `${place}/${index}`, value };
    // Most often there is nothing: then nothing is made ready for it.
    else if (next === '*' || hasField(value, next)) yield* valuesBelow(`${place}/${index}`, value, rest);
  }
}

/** The value behind some fields, each in the one before it. */
function valueAlong(value: unknown, steps: string[]): { value: unknown } | undefined {
  let at = value;
  for (const step of steps) {
    if (!hasField(at, step)) return undefined;
    at = at[step];
  }
  return { value: at };
}

const hasField = (value: unknown, name: string): value is Record<string, unknown> =>
  isObject(value) && !Array.isArray(value) && Object.hasOwn(value, name);
