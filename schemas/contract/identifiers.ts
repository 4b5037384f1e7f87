const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether an identifier has the form of a UUID, in either letter case. */
export const isUuid = (identifier: string): boolean => uuid.test(identifier);

/** An identifier as it is compared: UUIDs are the same in either letter case (RFC 9562), others only to the letter. */
export const comparable = (identifier: string): string =>
  isUuid(identifier) ? identifier.toLowerCase() : identifier;

/** Whether two identifiers name the same. */
export const sameIdentifier = (one: string, other: string): boolean => comparable(one) === comparable(other);

/** A timestamp of RFC 3339 as it is compared: the same for each way to write one time, with any offset and zeros at its end. */
export function comparableTime(text: string): string {
  const time = Date.parse(text.replace(/\.\d+/, ''));
  const [, fraction = ''] = /\.(\d*[1-9])/.exec(text) ?? [];
  return Number.isNaN(time) ? text : `${time}.${fraction}`;
}
