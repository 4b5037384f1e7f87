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
  for (const { pointer, value } of valuesBelow({ pointer: '', value: body }, steps, 0)) {
    if (!isObject(value) || Array.isArray(value)) continue;
    const isThere = Object.hasOwn(value, name);
    yield { pointer: `${pointer}/${name}`, value: isThere ? value[name] : undefined, parent: value, isThere };
  }
}

type Found = Pick<PlaceAt, 'pointer' | 'value'>;

function* valuesBelow({ pointer, value }: Found, steps: string[], at: number): Generator<Found> {
  const step = steps[at];
  if (step === undefined) yield { pointer, value };
  else if (step === '*') {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index += 1)
      yield* valuesBelow({ pointer: `${pointer}/${index}`, value: value[index] }, steps, at + 1);
  } else if (isObject(value) && !Array.isArray(value) && Object.hasOwn(value, step))
    yield* valuesBelow({ pointer: `${pointer}/${step}`, value: value[step] }, steps, at + 1);
}
