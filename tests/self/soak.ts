import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of all random tests: fixed in `npm test`, and different in each round of `npm run dev:soak`. */
export const seed = Number(SOAK_SEED) || 11;

/** Returns how often a random test runs its property: `inGate` times in `npm test`, 20 times as often in `npm run dev:soak`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Creates an arbitrary of fast-check: random bytes mixed with fragments such as `{"log":`, which the tested reader knows. */
export const fuzzBytes = (fragments: (string | Uint8Array)[]): fc.Arbitrary<Buffer> => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...fragments));
  return fc
    .array(part, { maxLength: 12 })
    .map((parts) => Buffer.concat(parts.map((bytes) => Buffer.from(bytes))));
};
