import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface RawProvider {
  url: string;
  close(): Promise<void>;
}

/** Starts a raw TCP server, which calls `respond` with each chunk of a request. */
export async function startRawProvider(
  respond: (socket: Socket, request: string) => void,
): Promise<RawProvider> {
  const openSockets = new Set<Socket>();
  const server = createServer((socket) => {
    openSockets.add(socket);
    socket.on('error', () => {}).on('close', () => openSockets.delete(socket));
    socket.on('data', (bytes) => respond(socket, String(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of openSockets) socket.destroy();
    });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Returns the URL of a port at which no server listens. */
export async function findClosedAddress(): Promise<string> {
  const { url, close } = await startRawProvider(() => {});
  await close();
  return url;
}
