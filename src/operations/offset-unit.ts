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
  const hasIdentityAt0 = identitiesAt0.some((identity) => identity !== '');
  if (!hasIdentityAt0 || knownIdentitiesAt1.length === 0) return undefined;
  const identitySetAt0 = new Set(identitiesAt0);
  const commonCount = knownIdentitiesAt1.filter((identity) => identitySetAt0.has(identity)).length;
  if (commonCount === 0) return 'pages';
  const [firstRecord = '', secondRecord = ''] = identitiesAt0;
  const beginsWithSecondRecord = secondRecord !== '' && identitiesAt1[0] === secondRecord;
  // A list in random order may begin with the second record by chance.
  const haveMostInCommon = commonCount > (identitiesAt0.length - 1) / 2;
  const isShiftedByOne = beginsWithSecondRecord && haveMostInCommon && !identitiesAt1.includes(firstRecord);
  return isShiftedByOne ? 'records' : undefined;
}
