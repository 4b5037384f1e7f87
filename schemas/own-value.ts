import { isObjectOrArray } from './json/read.ts';

/** The value of a member that an object itself has, and does not inherit; undefined where there is none. */
export const ownValue = (value: unknown, name: string): unknown =>
  isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;
