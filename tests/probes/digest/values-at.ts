import { isObjectOrArray } from '../../../schemas/json/read.ts';

/** The values at a place, whose steps are few: the contract names them. `*` is every element of an array. */
export function* valuesAt(value: unknown, [step, ...rest]: string[]): Generator<unknown> {
  if (step === undefined) yield value;
  else if (step === '*') {
    if (Array.isArray(value)) for (const element of value) yield* valuesAt(element, rest);
  } else if (isObjectOrArray(value) && Object.hasOwn(value, step)) yield* valuesAt(value[step], rest);
}
