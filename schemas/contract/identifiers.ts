export const isUuid = (identifier: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(identifier);

/** Converts a UUID to lower case, because UUIDs are case-insensitive (RFC 9562, section 4). Keeps other identifiers. */
export const normalizeIdentifier = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

export const isSameIdentifier = (identifier: string, otherIdentifier: string): boolean =>
  normalizeIdentifier(identifier) === normalizeIdentifier(otherIdentifier);

/**
 * Converts an RFC 3339 timestamp to a text that is the same for the same moment in any time zone: `1704067200000.5` for
 * `2024-01-01T01:00:00.50+01:00`. The dot separates the whole second, in milliseconds since 1970, from the fraction of a second.
 * Returns any other text unchanged.
 */
export function normalizeTimestamp(text: string): string {
  const wholeSecond = text.replace(/\.\d+/, '');
  // `Date` has no leap seconds (`23:59:60`, RFC 3339 section 5.7): one second after `23:59:59` stands for it.
  const isLeapSecond = wholeSecond.includes(':60');
  const time = isLeapSecond ? Date.parse(wholeSecond.replace(':60', ':59')) + 1000 : Date.parse(wholeSecond);
  if (Number.isNaN(time)) return text;
  // The fraction stays text, because `Date` holds no more than three digits. Matches up to the last digit that is not 0.
  const [, fraction = ''] = /\.(\d*[1-9])/.exec(text) ?? [];
  return `${time}.${fraction}`;
}
