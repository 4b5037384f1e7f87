const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (identifier: string): boolean => uuidPattern.test(identifier);

/**
 * Converts a UUID to lower case, because UUIDs are case-insensitive (RFC 9562, section 4). Returns other identifiers unchanged.
 */
export const normalizeIdentifier = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

/**
 * Returns whether two identifiers are equal. Ignores the letter case of UUIDs (RFC 9562, section 4), but of no other identifier.
 */
export const isSameIdentifier = (identifier: string, otherIdentifier: string): boolean =>
  normalizeIdentifier(identifier) === normalizeIdentifier(otherIdentifier);

/**
 * Converts an RFC 3339 timestamp to a text that is equal for equal moments, so that timestamps can be compared:
 * `2024-01-01T01:00:00.500+01:00` becomes `1704067200000.5`. Before the dot is the whole second, in milliseconds since 1970
 * (UTC). After the dot is the fraction of the second, without trailing zeros. Returns a text that is no timestamp unchanged.
 */
export function normalizeTime(text: string): string {
  const wholeSecond = text.replace(/\.\d+/, '');
  // `Date` has no leap seconds (`23:59:60`, RFC 3339 section 5.7): one second after `23:59:59` stands for it.
  const isLeapSecond = wholeSecond.includes(':60');
  const time = isLeapSecond ? Date.parse(wholeSecond.replace(':60', ':59')) + 1000 : Date.parse(wholeSecond);
  if (Number.isNaN(time)) return text;
  // The fraction stays text, because `Date` holds no more than three digits. Matches up to the last digit that is not 0.
  const [, fraction = ''] = /\.(\d*[1-9])/.exec(text) ?? [];
  return `${time}.${fraction}`;
}
