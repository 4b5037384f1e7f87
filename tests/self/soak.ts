import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of the random tests: `SOAK_SEED`, which `npm run dev:soak` sets for each of its rounds; default: 11. */
export const seed = Number(SOAK_SEED) || 11;

/** Returns the number of random cases (`numRuns` of fast-check): `inGate` in `npm test`, 20 times as many in `npm run dev:soak`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Generates random bytes, mixed with fragments of valid input, such as `{"log":` for a reader of HAR files. */
export const fuzzBytes = (fragments: (string | Uint8Array)[]): fc.Arbitrary<Buffer> => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...fragments));
  const parts = fc.array(part, { maxLength: 12 });
  return parts.map((texts) => Buffer.concat(texts.map((text) => Buffer.from(text))));
};
