/**
 * Infers from the records at offset 0 and 1 whether `offset` counts records or pages. `records`: the second page begins with the
 * second record of the first one. `pages`: the pages share no record. Undefined otherwise, also if a page has no record.
 * @param first identities such as `uuid`; an empty text stands for a record without identity
 */
export function detectOffsetUnit(
  first: readonly string[],
  second: readonly string[],
): 'records' | 'pages' | undefined {
  const firstIdentities = new Set(first);
  const secondIdentities = second.filter(Boolean);
  if (first.length === 0 || secondIdentities.length === 0) return undefined;
  if (!secondIdentities.some((identity) => firstIdentities.has(identity))) return 'pages';
  const [firstRecord = '', secondRecord = ''] = first;
  const isShiftedByOne = secondRecord !== '' && second[0] === secondRecord && !second.includes(firstRecord);
  return isShiftedByOne ? 'records' : undefined;
}
