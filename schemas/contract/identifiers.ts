export const isUuid = (identifier: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(identifier);

/** Converts a UUID to lower case, because UUIDs are case-insensitive (RFC 9562, section 4). Keeps other identifiers. */
export const normalizeIdentifier = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

export const isSameIdentifier = (identifier: string, otherIdentifier: string): boolean =>
  normalizeIdentifier(identifier) === normalizeIdentifier(otherIdentifier);

/**
 * Converts an RFC 3339 timestamp to a text that is equal for equal moments: `1704067200000.5` for `2024-01-01T01:00:00.50+01:00`.
 * Before the dot: the whole second, as milliseconds since 1970. After the dot: the fraction of the second, without trailing
 * zeros. Returns a text that is no timestamp unchanged.
 */
export function normalizeTimestamp(text: string): string {
  const textWithoutDecimals = text.replace(/\.\d+/, '');
  // `Date` has no leap seconds (`23:59:60`, RFC 3339 section 5.7): one second after `23:59:59` stands for it.
  const leapSecondMs = textWithoutDecimals.includes(':60') ? 1000 : 0;
  const milliseconds = Date.parse(textWithoutDecimals.replace(':60', ':59')) + leapSecondMs;
  if (Number.isNaN(milliseconds)) return text;
  // The decimals stay text, because `Date` holds no more than three. The pattern ends at the last digit that is not 0.
  const [, decimals = ''] = /\.(\d*[1-9])/.exec(text) ?? [];
  return `${milliseconds}.${decimals}`;
}
