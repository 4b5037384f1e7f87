const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether an identifier is a UUID, in either letter case. */
export const isUuid = (identifier: string): boolean => uuidPattern.test(identifier);

/** Normalizes an identifier for comparison: UUIDs are case-insensitive (RFC 9562, section 4), other identifiers are not. */
export const normalizeIdentifier = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

/** Returns whether two identifiers are equal: UUIDs in any letter case, other identifiers exactly. */
export const isSameIdentifier = (identifier: string, otherIdentifier: string): boolean =>
  normalizeIdentifier(identifier) === normalizeIdentifier(otherIdentifier);

/**
 * Normalizes an RFC 3339 timestamp for comparison, as `MILLISECONDS.FRACTION`: `1704067200000.5` for
 * `2024-01-01T01:00:00.500+01:00`. The milliseconds are whole seconds in UTC. The fraction of a second is kept as text without
 * trailing zeros, because `Date` holds no more than three digits. A leap second (`23:59:60`, RFC 3339 section 5.7) is the second
 * after `23:59:59`, because `Date` has none. Returns any other text unchanged.
 */
export function normalizeTime(text: string): string {
  const wholeSeconds = text.replace(/\.\d+/, '');
  const time = wholeSeconds.includes(':60')
    ? Date.parse(wholeSeconds.replace(':60', ':59')) + 1000
    : Date.parse(wholeSeconds);
  // Matches up to the last digit that is not 0.
  const [, fraction = ''] = /\.(\d*[1-9])/.exec(text) ?? [];
  return Number.isNaN(time) ? text : `${time}.${fraction}`;
}
