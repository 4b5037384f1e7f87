import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { readBody } from '../../client/body.ts';

const megabyte = Buffer.alloc(1024 * 1024, ' ');

/** A response in pieces, and how many of them were taken. */
function responseOf(pieces: Buffer[]) {
  const taken = { pieces: 0 };
  const read = function* () {
    for (const piece of pieces) {
      taken.pieces += 1;
      yield piece;
    }
  };
  const response = Object.assign(Readable.from(read(), { objectMode: false }), { headers: {} });
  return { response: response as unknown as IncomingMessage, taken };
}

test('a large body is not read on while it waits for its turn', async () => {
  const { response, taken } = responseOf(Array(20).fill(megabyte));
  const slot = new EventEmitter();
  const body = readBody(response, '', async () => void (await once(slot, 'free')));
  for (let turns = 0; turns < 200; turns += 1) await nextTurn();
  expect(taken.pieces).toBeLessThan(8);
  slot.emit('free');
  expect(await body).toHaveLength(20 * megabyte.length);
});

test('a body whose turn does not come has an error', async () => {
  const { response } = responseOf(Array(5).fill(megabyte));
  await expect(readBody(response, '', () => Promise.reject(new Error('closed')))).rejects.toThrow();
});

const fiveTimes = Array<string>(5).fill('gzip');

const codings: [coding: string, piece: Buffer, isRead: boolean][] = [
  ['', megabyte, true],
  ['gzip, identity', gzipSync(megabyte), true],
  ['zstd', megabyte, true],
  ['gzip, zstd', megabyte, true],
  ['gzip', megabyte, false],
  ['deflate', megabyte, false],
  [fiveTimes.join(), fiveTimes.reduce((bytes) => gzipSync(bytes), megabyte), false],
];

for (const [coding, piece, isRead] of codings)
  test(`a response is destroyed once it was read, or cannot be: "${coding}"`, async () => {
    const { response } = responseOf([piece]);
    const read = readBody(response, coding).then(
      (body) => Buffer.compare(body, megabyte) === 0,
      () => false,
    );
    expect(await read).toBe(isRead);
    expect(response.destroyed).toBe(true);
  });
