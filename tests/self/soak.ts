import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of the random tests, from the variable `SOAK_SEED`; default: 11. */
export const seed = Number(SOAK_SEED) || 11;

/** Returns the number of random cases: `inGate`, or 20 times as many with `SOAK_SEED`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Generates random bytes mixed with fragments of valid input, such as `{"log":`. */
export const fuzzBytes = (fragments: (string | Uint8Array)[]): fc.Arbitrary<Buffer> => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...fragments));
  const parts = fc.array(part, { maxLength: 12 });
  return parts.map((texts) => Buffer.concat(texts.map((text) => Buffer.from(text))));
};
