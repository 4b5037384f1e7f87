/** Texts whose results are cached, and how long they may be: nobody can fill the memory with them. */
const [maxKnown, maxLength] = [1000, 500];

/** A function of a text that is computed once for a text that comes again and again. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, { result: Result }>();
  return (text) => {
    const before = known.get(text);
    if (before) return before.result;
    const result = compute(text);
    if (known.size >= maxKnown) known.clear();
    if (text.length <= maxLength) known.set(text, { result });
    return result;
  };
}
