/**
 * What several parts hold, each in its order, in the order of all of them; of those at the same place the first part's first.
 * Holds one of each part at a time.
 */
export function* mergeInOrder<T>(parts: Iterable<T>[], placeOf: (one: T) => number): Generator<T> {
  const iterators = parts.map((part) => part[Symbol.iterator]());
  const heads = iterators.map((iterator) => iterator.next());
  const placeIn = (part: number) => {
    const head = heads[part];
    return head && !head.done ? placeOf(head.value) : Number.POSITIVE_INFINITY;
  };
  for (;;) {
    const part = heads.reduce((first, _, one) => (placeIn(one) < placeIn(first) ? one : first), 0);
    const [head, iterator] = [heads[part], iterators[part]];
    if (!head || head.done || !iterator) return;
    yield head.value;
    heads[part] = iterator.next();
  }
}
