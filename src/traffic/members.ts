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

/** A member that is a number of 0 or more, or undefined. */
export function amountMember(value: unknown, name: string): number | undefined {
  const amount = member(value, name);
  return typeof amount === 'number' && amount >= 0 ? amount : undefined;
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

/** A name that HTTP allows; `:status` and the like of HTTP/2 are none. */
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Headers of a recording, by name in lower case: a list of names and values (HAR), or an object of them.
 * The result has no prototype, since anything may be a name.
 */
export function readHeaders(recorded: unknown): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of pairsOf(recorded)) {
    if (typeof name !== 'string' || typeof value !== 'string' || !fieldName.test(name)) continue;
    const key = name.toLowerCase();
    // Some recorders join repeated headers by a line feed.
    const text = value.replaceAll(/\r?\n/g, ', ');
    headers[key] = key in headers ? `${headers[key]}, ${text}` : text;
  }
  return headers;
}

function pairsOf(recorded: unknown): [name: unknown, value: unknown][] {
  if (Array.isArray(recorded)) return recorded.map((item) => [member(item, 'name'), member(item, 'value')]);
  if (typeof recorded !== 'object' || recorded === null) return [];
  return Object.entries(recorded).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value): [string, unknown] => [name, value]),
  );
}
