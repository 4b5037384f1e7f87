import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of all random tests: fixed in `npm test`, and different in each round of `npm run dev:soak`. */
export const seed = Number(SOAK_SEED) || 11;

/** Returns how often a random test runs its property: `inGate` times in `npm test`, 20 times as often in `npm run dev:soak`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Creates an arbitrary of fast-check: random bytes mixed with pieces such as `{"log":`, which the tested reader knows. */
export const bytesWith = (pieces: (string | Uint8Array)[]): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...pieces)), { maxLength: 12 })
    .map((pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
