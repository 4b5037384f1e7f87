import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { startRawProvider } from '../runs/hostile.ts';

const megabyte = Buffer.alloc(2 ** 20, ' ');
const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
const gzip = gzipSync(megabyte);

const sendPieces = (headers: string, piece: Buffer, count: number) => (socket: Socket) => {
  let remainingCount = count;
  const writeUntilBufferIsFull = () => {
    while (remainingCount > 0 && socket.writable) {
      remainingCount -= 1;
      const hasSpace = socket.write(piece);
      if (!hasSpace) return;
    }
  };
  socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`);
  socket.on('drain', writeUntilBufferIsFull);
  writeUntilBufferIsFull();
};

const bodies: [name: string, send: (socket: Socket) => void][] = [
  ['1 GiB with its length', sendPieces('content-length: 1073741824', megabyte, 1024)],
  ['1 GiB in chunks', sendPieces('transfer-encoding: chunked', chunk, 1024)],
  ['a body without end', sendPieces('connection: close', megabyte, Number.POSITIVE_INFINITY)],
  ['gzip of blanks without end', sendPieces('content-encoding: gzip', gzip, Number.POSITIVE_INFINITY)],
];

interface ReceivedResponses {
  /** HTTP status of each response, or the reason why a request has none. */
  results: (number | string)[];
  /** Peak memory of the receiving process, in MiB. */
  peakMb: number;
}

function startReceiver(...settings: string[]) {
  const args = ['--import', 'tsx', 'tests/self/client/receive.ts', ...settings];
  const env = { ...cleanEnvironment(), MAX_RPS: '1000', REQUEST_TIMEOUT_MS: '60000' };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

const sendFourAtOnce = async (url: string): Promise<ReceivedResponses> =>
  JSON.parse(await text(startReceiver(url, '4').stdout));

const tooLarge =
  'the body, or one that arrived at the same time, is much larger than 8 MiB (MAX_BODY_MB), so it is not judged';

for (const [name, send] of bodies)
  test(`four requests that are answered with ${name} take less than 1 GiB of memory`, async () => {
    const provider = await startRawProvider(send);
    const { results, peakMb } = await sendFourAtOnce(provider.url).finally(provider.close);
    expect(results).toEqual(Array(4).fill(tooLarge));
    expect(peakMb).toBeLessThan(1024);
  });

/** Brotli of 16 MiB of blanks. The first piece of a body has the head of the stream, too. */
const brotliHeadPiece = Buffer.from('z///fwAkQOKxQHLv/w0=', 'base64');
const brotliPiece = Buffer.from('/P//B0ACIA4LQPf+3wA=', 'base64');
const fourGibibytes = Buffer.concat([brotliHeadPiece, ...Array(255).fill(brotliPiece)]);

test('a process that still decompresses 3.6 kB of Brotli after it aborted the requests ends before its memory does', async () => {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: ${fourGibibytes.length}\r\n\r\n`;
  const provider = await startRawProvider((socket) => {
    socket.write(head);
    socket.write(fourGibibytes);
  });
  const receiver = startReceiver(provider.url, '4', '20');
  const [[code], message, output] = await Promise.all([
    once(receiver, 'close'),
    text(receiver.stderr),
    text(receiver.stdout),
  ]).finally(provider.close);
  expect([code, output]).toEqual([1, '']);
  expect(message).toBe('compressed responses take more than 960 MiB of memory\n');
});
