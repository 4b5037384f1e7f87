/**
 * Infers what `offset` counts from the pages at `offset=0` and `offset=1`: `records` for `a b c` and `b c d`, `pages` for `a b c`
 * and `d e f`. Undefined if the pages show neither, for example because one is empty, or because both are equal.
 * @param identitiesAt0 `uuid` or other identity of each record on the page; an empty text for a record without one
 * @param identitiesAt1 identities on the page at `offset=1`
 */
export function detectOffsetUnit(
  identitiesAt0: readonly string[],
  identitiesAt1: readonly string[],
): 'records' | 'pages' | undefined {
  const knownIdentitiesAt1 = identitiesAt1.filter((identity) => identity !== '');
  if (identitiesAt0.length === 0 || knownIdentitiesAt1.length === 0) return undefined;
  const identitySetAt0 = new Set(identitiesAt0);
  const haveCommonRecord = knownIdentitiesAt1.some((identity) => identitySetAt0.has(identity));
  if (!haveCommonRecord) return 'pages';
  const [firstRecord = '', secondRecord = ''] = identitiesAt0;
  const beginsWithSecondRecord = secondRecord !== '' && identitiesAt1[0] === secondRecord;
  const isShiftedByOne = beginsWithSecondRecord && !identitiesAt1.includes(firstRecord);
  return isShiftedByOne ? 'records' : undefined;
}
