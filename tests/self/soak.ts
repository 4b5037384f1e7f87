import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of all random tests. Each round of `npm run dev:soak` has another seed, and `npm test` always the same. */
export const seed = Number(SOAK_SEED) || 11;

/** Returns how often a random test runs its property: `inGate` times in `npm test`, 20 times as often in `npm run dev:soak`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Generates random bytes, mixed with fragments of valid input, such as `{"log":` for a reader of HAR files. */
export const fuzzBytes = (fragments: (string | Uint8Array)[]): fc.Arbitrary<Buffer> => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...fragments));
  const parts = fc.array(part, { maxLength: 12 });
  return parts.map((texts) => Buffer.concat(texts.map((text) => Buffer.from(text))));
};
