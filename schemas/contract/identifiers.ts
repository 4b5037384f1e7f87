const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether an identifier has the form of a UUID, in either letter case. */
export const isUuid = (identifier: string): boolean => uuid.test(identifier);

/** An identifier as it is compared: UUIDs are the same in either letter case (RFC 9562), others only to the letter. */
export const comparable = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

/** Whether two identifiers name the same. */
export const sameIdentifier = (one: string, other: string): boolean => comparable(one) === comparable(other);

const timestamp = /^(\d{4}-\d\d-\d\d)[Tt\s](\d\d:\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/i;

/**
 * A timestamp of RFC 3339 as it is compared: the same for each way to write one time, with any offset and however
 * many zeros end it. Seconds stay beside the minute, since one of them may be a leap second.
 */
export function comparableTime(text: string): string {
  const [, date, minute, second, fraction = '', offset] = timestamp.exec(text) ?? [];
  const time = Date.parse(`${date}T${minute}${offset?.toUpperCase()}`);
  if (Number.isNaN(time)) return text;
  // A loop, since a regular expression would begin anew at each zero of many.
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  return `${time} ${second}.${fraction.slice(0, end)}`;
}
