import fc from 'fast-check';

const { SOAK_SEED } = process.env;

/** Seed of all that is random in the tests: fixed in the gate, another one in each round of `npm run dev:soak`. */
export const seed = Number(SOAK_SEED) || 11;

/** How many times a random test is run: few in the gate, many in a round of `npm run dev:soak`. */
export const runs = (inGate: number): number => (SOAK_SEED ? 20 * inGate : inGate);

/** Any bytes, with pieces of what a reader knows among them. */
export const bytesWith = (known: (string | Uint8Array)[]): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...known)), { maxLength: 12 })
    .map((pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
