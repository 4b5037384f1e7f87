/**
 * Infers the unit of `offset` from the pages at 0 and 1: `records` if the second page begins with the second record of the first,
 * `pages` if both have records and share none, undefined otherwise.
 * @param identitiesAt0 identity of each record at `offset=0`, such as its `uuid`; empty for a record without one
 */
export function detectOffsetUnit(
  identitiesAt0: readonly string[],
  identitiesAt1: readonly string[],
): 'records' | 'pages' | undefined {
  const knownAt1 = identitiesAt1.filter((identity) => identity !== '');
  if (identitiesAt0.length === 0 || knownAt1.length === 0) return undefined;
  const knownAt0 = new Set(identitiesAt0);
  const areDisjoint = !knownAt1.some((identity) => knownAt0.has(identity));
  if (areDisjoint) return 'pages';
  const [firstRecord = '', secondRecord = ''] = identitiesAt0;
  const beginsWithSecond = secondRecord !== '' && identitiesAt1[0] === secondRecord;
  const isShiftedByOne = beginsWithSecond && !identitiesAt1.includes(firstRecord);
  return isShiftedByOne ? 'records' : undefined;
}
