import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface RawProvider {
  url: string;
  close(): Promise<void>;
}

/** Starts a provider on 127.0.0.1 that calls `respond` with the socket and each chunk of a request. `close` also ends open connections. */
export async function startRawProvider(
  respond: (socket: Socket, request: string) => void,
): Promise<RawProvider> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.on('data', (bytes) => respond(socket, String(bytes)));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      for (const socket of open) socket.destroy();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export async function findClosedAddress(): Promise<string> {
  const { url, close } = await startRawProvider(() => {});
  await close();
  return url;
}
