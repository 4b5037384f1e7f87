/** Reads what a recording says: nothing in it has to have the type that it should have. */

/** An own member of an object, or undefined. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** A member that is text, or undefined. */
export function textMember(value: unknown, name: string): string | undefined {
  const text = member(value, name);
  return typeof text === 'string' ? text : undefined;
}

/** A member that is a whole number of 0 or more, or undefined. */
export function sizeMember(value: unknown, name: string): number | undefined {
  const size = member(value, name);
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}

/** A member that is a duration in milliseconds, or undefined. */
export function durationMember(value: unknown, name: string): number | undefined {
  const duration = member(value, name);
  return typeof duration === 'number' && duration >= 0 ? duration : undefined;
}

/** A time that names its zone, in UTC; undefined if it is none, or if it could be any of several. */
export function timeMember(value: unknown, name: string): string | undefined {
  const text = textMember(value, name);
  if (text === undefined || !/^\d{4}-\d\d-\d\dT[\d:.]{5,30}(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined;
  const time = new Date(text);
  const written = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  // In UTC it may be of a year that has more digits.
  return /^\d{4}-/.test(written) ? written : undefined;
}
