/**
 * What `offset` counts, as the page at offset 1 shows beside the one at offset 0: records where it begins with the second
 * one of that, pages where it shows none of them. Undefined where neither is so.
 * @param first identities of the records of a page, each an empty text where there is none
 */
export function offsetUnit(
  first: readonly string[],
  second: readonly string[],
): 'records' | 'pages' | undefined {
  const [begin = '', next] = first;
  const known = new Set(first);
  const shown = second.filter(Boolean);
  if (first.length === 0 || shown.length === 0) return undefined;
  if (!shown.some((identity) => known.has(identity))) return 'pages';
  return next && second[0] === next && !second.includes(begin) ? 'records' : undefined;
}
