/**
 * Infers from two pages whether `offset` counts records or pages. `records` if the page at offset 1 begins with the second record
 * of the page at offset 0 and lacks the first one. `pages` if both pages share no record. Undefined otherwise, also if a page has
 * no record.
 * @param first identities of the records at offset 0, such as their `uuid`; an empty text stands for a record without identity
 * @param second identities of the records at offset 1
 */
export function detectOffsetUnit(
  first: readonly string[],
  second: readonly string[],
): 'records' | 'pages' | undefined {
  const [firstRecord = '', secondRecord] = first;
  const firstIdentities = new Set(first);
  const secondIdentities = second.filter(Boolean);
  if (first.length === 0 || secondIdentities.length === 0) return undefined;
  if (!secondIdentities.some((identity) => firstIdentities.has(identity))) return 'pages';
  const isShiftedByOne = Boolean(secondRecord) && second[0] === secondRecord && !second.includes(firstRecord);
  return isShiftedByOne ? 'records' : undefined;
}
