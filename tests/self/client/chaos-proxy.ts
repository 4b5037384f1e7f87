import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { randomOf } from '../soak.ts';

/** A network on a bad day, between the suite and a provider. */
export interface Chaos {
  url: string;
  /** Faults that were done to connections, by kind. */
  done: Record<string, number>;
  close(): Promise<void>;
}

type Fault = 'none' | 'latency' | 'reset' | 'half' | 'hole';

const faults: Fault[] = ['latency', 'latency', 'reset', 'half', 'hole'];

/** The fault that the next piece of an answer meets. */
export const drawFault = (random: () => number, share: number): Fault =>
  random() < share ? (faults[Math.floor(random() * faults.length)] ?? 'none') : 'none';

/** Forwards connections to a port of this machine; some of the pieces that come back meet a fault. */
export async function startChaos(port: number, seed: number, share: number): Promise<Chaos> {
  const random = randomOf(seed);
  const done: Record<string, number> = {};
  const open = new Set<Socket>();
  const next = (): Fault => {
    const fault = drawFault(random, share);
    done[fault] = (done[fault] ?? 0) + 1;
    return fault;
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream])
      socket.on('error', () => {}).on('close', () => end(client, upstream));
    for (const socket of [client, upstream]) open.add(socket);
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => meet(next(), bytes, client, upstream, random));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      for (const socket of open) socket.destroy();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, done, close };
}

function end(client: Socket, upstream: Socket): void {
  client.destroy();
  upstream.destroy();
}

/** What becomes of a piece of an answer. */
function meet(fault: Fault, bytes: Buffer, client: Socket, upstream: Socket, random: () => number): void {
  if (fault === 'none') client.write(bytes);
  if (fault === 'reset') client.resetAndDestroy();
  if (fault === 'half') client.write(bytes.subarray(0, bytes.length * random()), () => end(client, upstream));
  if (fault === 'hole') upstream.pause().removeAllListeners('data');
  if (fault !== 'latency') return;
  // Later pieces must not overtake this one.
  upstream.pause();
  setTimeout(() => client.write(bytes) && upstream.resume(), random() * 100);
}
