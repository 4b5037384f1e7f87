/**
 * Infers what `offset` counts from the pages at `offset=0` and `offset=1`: `records` if the second page begins with the second
 * record of the first page, `pages` if both pages have records and share none, undefined otherwise.
 * @param identitiesAt0 `uuid` or other identity of each record at `offset=0`; an empty text for a record without one
 */
export function detectOffsetUnit(
  identitiesAt0: readonly string[],
  identitiesAt1: readonly string[],
): 'records' | 'pages' | undefined {
  const knownIdentitiesAt1 = identitiesAt1.filter((identity) => identity !== '');
  if (identitiesAt0.length === 0 || knownIdentitiesAt1.length === 0) return undefined;
  const identitySetAt0 = new Set(identitiesAt0);
  const shareRecord = knownIdentitiesAt1.some((identity) => identitySetAt0.has(identity));
  if (!shareRecord) return 'pages';
  const [firstRecord = '', secondRecord = ''] = identitiesAt0;
  const beginsWithSecond = secondRecord !== '' && identitiesAt1[0] === secondRecord;
  const isShiftedByOne = beginsWithSecond && !identitiesAt1.includes(firstRecord);
  return isShiftedByOne ? 'records' : undefined;
}
