const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uuidLength = 36;

/** An identifier as it is compared: UUIDs are the same in either letter case (RFC 9562), others only to the letter. */
export function comparable(identifier: string): string {
  if (identifier.length !== uuidLength) return identifier;
  const lower = identifier.toLowerCase();
  // Most are written so: then nothing else needs to be looked at.
  return lower !== identifier && uuid.test(identifier) ? lower : identifier;
}

/** Whether an identifier has the form of a UUID, in either letter case. */
export const isUuid = (identifier: string): boolean => uuid.test(identifier);

/** Whether two identifiers name the same. */
export const sameIdentifier = (one: string, other: string): boolean => comparable(one) === comparable(other);
