/**
 * Infers what `offset` counts: `records` for the pages `a b` and `b c`, `pages` for `a b` and `c d`.
 * @param identitiesAt0 `uuid` of each record at `offset=0`; an empty text if it is missing
 * @param identitiesAt1 `uuid` of each record at `offset=1`
 * @returns undefined if the pages overlap in another way, such as `a b` and `a b`, the first one is empty, or the second one has no `uuid`
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
