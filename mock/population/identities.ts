import { createHash } from 'node:crypto';
import type { Identity } from '../customers.ts';

/** One-to-one between the whole numbers below 2³²: what looks random, and leads back. */
interface Permutation {
  of(index: number): number;
  inverse(scrambled: number): number;
}

/** A Feistel network, which is invertible for any round function. */
function createPermutation(key: string): Permutation {
  const bytes = createHash('sha256').update(key).digest();
  const roundKeys = [0, 4, 8, 12, 16, 20].map((offset) => bytes.readUInt32LE(offset));
  return {
    of: (index) => scramble(index, roundKeys),
    inverse: (scrambled) => swapHalves(scramble(swapHalves(scrambled), roundKeys.toReversed())),
  };
}

const swapHalves = (word: number) => ((word << 16) | (word >>> 16)) >>> 0;

function scramble(word: number, roundKeys: readonly number[]): number {
  let left = word >>> 16;
  let right = word & 0xffff;
  for (const roundKey of roundKeys) {
    const round = (Math.imul(right ^ roundKey, 0x9e3779b1) >>> 13) & 0xffff;
    const next = left ^ round;
    left = right;
    right = next;
  }
  return ((left << 16) | right) >>> 0;
}

/** The identifiers of every customer, each computed from its index alone. */
export interface Identities {
  of(index: number): Identity;
  /** The index that a `uuid` was computed from; undefined for any other text. */
  indexOf(uuid: string): number | undefined;
  /** A number that depends on the index and looks random. */
  draw(index: number): number;
}

const hexDigits = Buffer.from('0123456789abcdef');

/** Writes words in place of each `x`, digit by digit: text that is put together takes several times as long. */
function createTemplate(template: string): (words: readonly number[]) => string {
  const bytes = Buffer.from(template);
  const places = [...template].flatMap((character, index) => (character === 'x' ? [index] : []));
  return (words) => {
    for (let digit = 0; digit < places.length; digit += 1) {
      const word = words[digit >>> 3] ?? 0;
      bytes[places[digit] ?? 0] = hexDigits[(word >>> (28 - 4 * (digit & 7))) & 0xf] ?? 0;
    }
    return bytes.toString('latin1');
  };
}

/** With a version and a variant that RFC 9562 knows. */
const formatUuid = createTemplate('xxxxxxxx-xxxx-5xxx-axxx-xxxxxxxxxxxx');
const formatToken = createTemplate(`tok_${'x'.repeat(32)}`);

/** Other identifiers for each seed. The first word of each is a permutation of the index, so that none occurs twice. */
export function createIdentities(seed: number): Identities {
  const permutation = (purpose: string) => createPermutation(`${purpose} ${seed}`);
  const [uuids, tokens, fillers] = [permutation('uuid'), permutation('token'), permutation('filler')];
  const [references, draws] = [permutation('reference'), permutation('draw')];

  /** Four words, of which the first encodes the index. */
  function wordsOf(index: number, first: number): number[] {
    const second = fillers.of(index);
    return [first, second, fillers.of(first), fillers.of(second)];
  }
  const uuidOf = (index: number) => formatUuid(wordsOf(index, uuids.of(index)));

  return {
    of: (index) => ({
      uuid: uuidOf(index),
      reference_number: `CUST-${1_000_000_000 + references.of(index)}`,
      token: formatToken(wordsOf(index, tokens.of(index))),
    }),
    indexOf: (uuid) => {
      const index = uuids.inverse(Number.parseInt(uuid.slice(0, 8), 16));
      return uuidOf(index) === uuid ? index : undefined;
    },
    draw: draws.of,
  };
}
