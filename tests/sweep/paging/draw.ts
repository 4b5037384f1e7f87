/** The same numbers from 0 to 1 for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Different whole numbers below `of`, each as likely as any other, in their order (Floyd). The same for the same seed. */
export function draw(count: number, of: number, seed: number): number[] {
  const random = randomOf(seed);
  const drawn = new Set<number>();
  for (let last = Math.max(0, of - count); last < of; last += 1) {
    const number = Math.floor(random() * (last + 1));
    drawn.add(drawn.has(number) ? last : number);
  }
  return [...drawn].sort((one, other) => one - other);
}
