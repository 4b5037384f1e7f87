export const isUuid = (identifier: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(identifier);

/** Converts a UUID to lower case (RFC 9562, section 4). Returns other identifiers unchanged. */
export const normalizeIdentifier = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

export const isSameIdentifier = (identifier: string, otherIdentifier: string): boolean =>
  normalizeIdentifier(identifier) === normalizeIdentifier(otherIdentifier);

/**
 * Converts a timestamp to Unix seconds as text, so that equal times have equal texts. `2024-01-01T01:00:00.50+01:00` becomes
 * `1704067200.5`. Without the fraction `.50`, the text is `1704067200.`. A text that is no timestamp is returned unchanged.
 */
export function normalizeTimestamp(text: string): string {
  const timestampWithoutFraction = text.replace(/\.\d+/, '');
  const seconds = parseSeconds(timestampWithoutFraction);
  if (Number.isNaN(seconds)) return text;
  // The fraction stays text, because `Date` holds only three digits. The pattern ends at the last digit that is not 0.
  const [, fractionDigits = ''] = /\.(\d*[1-9])/.exec(text) ?? [];
  return `${seconds}.${fractionDigits}`;
}

function parseSeconds(timestamp: string): number {
  const isLeapSecond = timestamp.includes(':60');
  if (!isLeapSecond) return Date.parse(timestamp) / 1000;
  // `Date` has no leap seconds: one second after `23:59:59` stands for `23:59:60` (RFC 3339, section 5.7).
  return Date.parse(timestamp.replace(':60', ':59')) / 1000 + 1;
}
