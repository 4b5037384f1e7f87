/** Unit in which `offset` counts. The contract leaves it open (section 4.2). */
export type OffsetUnit = 'records' | 'pages';

/**
 * Infers from two pages the unit in which `offset` counts. For the pages `a b` and `b c`, the unit is `records`. For `a b` and
 * `c d`, the unit is `pages`.
 * @param identitiesAt0 `uuid` of each record at `offset=0`. An empty text stands for a missing `uuid`.
 * @param identitiesAt1 `uuid` of each record at `offset=1`
 * @returns undefined if the pages do not show the unit, for example because they are equal, or because one of them has no `uuid`
 */
export function detectOffsetUnit(
  identitiesAt0: readonly string[],
  identitiesAt1: readonly string[],
): OffsetUnit | undefined {
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
