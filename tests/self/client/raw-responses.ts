import type { Socket } from 'node:net';
import { createClient, type HttpClient } from '../../../src/client/http-client.ts';
import type { Target } from '../../../src/client/target.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { startRaw } from '../runs/hostile.ts';

const { target: usual } = readConfiguration({}, '/nonexistent');
/** Opens a client to a provider of raw bytes. */
export async function withClient<T>(
  answer: Parameters<typeof startRaw>[0],
  use: (client: HttpClient) => Promise<T>,
  settings: Partial<Target> = {},
): Promise<T> {
  const provider = await startRaw(answer);
  const client = await createClient({ ...usual, ...settings }, provider.url);
  try {
    return await use(client);
  } finally {
    await client.close();
    await provider.close();
  }
}

export type Bytes = string | Buffer;

/** A response as it stands on the wire. */
export const http = (headers: string[], body: Bytes = 'ok', status = '200 OK') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${[...headers, '', ''].join('\r\n')}`),
    Buffer.from(body),
  ]);
export const sized = (body: Bytes, ...headers: string[]) =>
  http([...headers, `content-length: ${body.length}`], body);
export const chunk = (body: Bytes) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), Buffer.from(body), Buffer.from('\r\n')]);
export const chunked = (...parts: string[]) => http(['transfer-encoding: chunked'], parts.join(''));
export const encoded = (coding: string, body: Bytes) => sized(body, `content-encoding: ${coding}`);

/** Writes without end, as fast as it is read. */
export function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}
