const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uuidLength = 36;

/** An identifier as it is compared: UUIDs are the same in either letter case (RFC 9562), others only to the letter. */
export const comparable = (identifier: string): string =>
  identifier.length === uuidLength && uuid.test(identifier) ? identifier.toLowerCase() : identifier;

/** Whether two identifiers name the same. */
export const sameIdentifier = (one: string, other: string): boolean => comparable(one) === comparable(other);
