/** What a value takes as JSON. */
export interface Extent {
  /** Members of all its objects, at any depth. */
  members: number;
  /** Characters of the shortest text that stands for it; NaN where that is not known. */
  shortest: number;
}

/**
 * What a parsed value takes as JSON. A text that is no longer than the shortest one holds nothing else: no blank, no key
 * twice, no digit that JSON.parse has dropped. Most are, and need not be looked through.
 */
export function extentOf(value: unknown): Extent {
  const extent = { members: 0, shortest: 0 };
  const pending: object[] = [];
  addValue(extent, pending, value);
  for (let at = pending.pop(); at; at = pending.pop())
    if (Array.isArray(at)) addElements(extent, pending, at);
    else addMembers(extent, pending, at as Record<string, unknown>);
  return extent;
}

function addElements(extent: Extent, pending: object[], list: unknown[]): void {
  for (const element of list) addValue(extent, pending, element);
  extent.shortest += bracketsAndCommas(list.length);
}

/** With `for … in`, since it is quicker than keys in an array; what JSON.parse makes inherits nothing that it would list. */
function addMembers(extent: Extent, pending: object[], object: Record<string, unknown>): void {
  let count = 0;
  for (const name in object) {
    count += 1;
    extent.shortest += name.length + '"":'.length;
    addValue(extent, pending, object[name]);
  }
  extent.members += count;
  extent.shortest += bracketsAndCommas(count);
}

const bracketsAndCommas = (parts: number) => Math.max(1, parts) + 1;

function addValue(extent: Extent, pending: object[], value: unknown): void {
  if (typeof value === 'string') extent.shortest += value.length + '""'.length;
  else if (typeof value === 'object' && value !== null) pending.push(value);
  else if (typeof value === 'number') extent.shortest += lengthOf(value);
  else extent.shortest += value === false ? 'false'.length : 'true'.length;
}

/**
 * NaN for numbers that have a shorter text than JavaScript writes, such as 1e3, and for those of 16 digits, of which a text may
 * have lost a fraction.
 */
function lengthOf(number: number): number {
  const size = Math.abs(number);
  const isUsual = size === 0 || (size >= 0.01 && size < 1e15 && number % 1000 !== 0);
  return isUsual ? String(number).length : Number.NaN;
}
