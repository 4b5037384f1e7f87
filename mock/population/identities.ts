import { createHash } from 'node:crypto';
import type { Identity } from '../customers.ts';

/** One-to-one between the whole numbers below 2³²: what looks random, and leads back. */
interface Permutation {
  of(index: number): number;
  inverse(scrambled: number): number;
}

/** A Feistel network, which can be undone whatever its round does. */
function createPermutation(key: string): Permutation {
  const bytes = createHash('sha256').update(key).digest();
  const rounds = [0, 4, 8, 12, 16, 20].map((offset) => bytes.readUInt32LE(offset));
  const backwards = rounds.toReversed();
  const round = (half: number, roundKey: number) => (Math.imul(half ^ roundKey, 0x9e3779b1) >>> 13) & 0xffff;
  const scramble = (left: number, right: number, keys: number[]): [number, number] => {
    for (const roundKey of keys) [left, right] = [right, left ^ round(right, roundKey)];
    return [left, right];
  };
  const join = (left: number, right: number) => ((left << 16) | right) >>> 0;
  return {
    of: (index) => join(...scramble(index >>> 16, index & 0xffff, rounds)),
    inverse: (scrambled) => {
      const [right, left] = scramble(scrambled & 0xffff, scrambled >>> 16, backwards);
      return join(left, right);
    },
  };
}

/** The identifiers of every customer, each computed from its index alone. */
export interface Identities {
  of(index: number): Identity;
  /** The index that a `uuid` was computed from; undefined for any other text. */
  indexOf(uuid: string): number | undefined;
  /** A number that depends on the index and looks random. */
  draw(index: number): number;
}

/** Each four hexadecimal digits, since a conversion for each would take longer than all else. */
const quads = Array.from({ length: 0x10000 }, (_, number) => number.toString(16).padStart(4, '0'));
const high = (word: number) => quads[word >>> 16];
const low = (word: number) => quads[word & 0xffff];
const withDigit = (digit: number, quad: number) => quads[(digit << 12) | (quad & 0xfff)];

/** Other identifiers for each seed. The first word of each is a permutation of the index, so that none occurs twice. */
export function createIdentities(seed: number): Identities {
  const permutation = (purpose: string) => createPermutation(`${purpose} ${seed}`);
  const [words, fillers] = [permutation('uuid'), permutation('uuid, second half')];
  const [tokens, references, draws] = [permutation('token'), permutation('reference'), permutation('draw')];

  /** In the form of a UUID, with a version and a variant that RFC 9562 knows. */
  function uuidOf(index: number): string {
    const [a, b] = [words.of(index), fillers.of(index)];
    const [c, d] = [fillers.of(a), fillers.of(b)];
    return `${high(a)}${low(a)}-${high(b)}-${withDigit(5, b)}-${withDigit(0xa, c >>> 16)}-${low(c)}${high(d)}${low(d)}`;
  }

  function tokenOf(index: number): string {
    const [a, b] = [tokens.of(index), fillers.of(index)];
    return `tok_${high(a)}${low(a)}${high(b)}${low(b)}`;
  }

  return {
    of: (index) => ({
      uuid: uuidOf(index),
      reference_number: `CUST-${1_000_000_000 + references.of(index)}`,
      token: tokenOf(index),
    }),
    indexOf: (uuid) => {
      const index = words.inverse(Number.parseInt(uuid.slice(0, 8), 16));
      return uuidOf(index) === uuid ? index : undefined;
    },
    draw: draws.of,
  };
}
