import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of all random tests: fixed in `npm test`, and different in each round of `npm run dev:soak`. */
export const seed = Number(SOAK_SEED) || 11;

/** Returns the number of runs of a random test: `inGate` in `npm test`, 20 times as many in a round of `npm run dev:soak`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Generates random bytes mixed with pieces that the tested reader knows. */
export const bytesWith = (pieces: (string | Uint8Array)[]): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...pieces)), { maxLength: 12 })
    .map((pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
