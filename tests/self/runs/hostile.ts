import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** How one operation treats whoever asks. */
export type Treatment = (response: ServerResponse) => void;

export interface HostileProvider {
  url: string;
  close(): Promise<void>;
}

export const jsonHeaders = { 'content-type': 'application/json' };

export const respondWith =
  (body: string | Buffer, status = 200, headers: Record<string, string> = jsonHeaders): Treatment =>
  (response) =>
    void response.writeHead(status, headers).end(body);

const nested = '['.repeat(100_000) + ']'.repeat(100_000);

/** What a target can do to a client, short of an answer. */
export const treatments = {
  never: () => {},
  reset: ({ socket }) => void socket?.resetAndDestroy(),
  cut: (response) => {
    response.writeHead(200, { ...jsonHeaders, 'content-length': '1000' });
    response.write('{"code":200,', () => response.destroy());
  },
  drip: (response) => {
    response.writeHead(200, jsonHeaders);
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
  notHttp: ({ socket }) => void socket?.end('220 mail.invalid ESMTP ready\r\n'),
  large: (response) => respondWith(' '.repeat(9 * 2 ** 20))(response),
  deep: respondWith(`{"code":200,"message":"ok","data":${nested}}`),
  notGzip: respondWith('{"code":200}', 200, { ...jsonHeaders, 'content-encoding': 'gzip' }),
  webPage: respondWith('<!doctype html><title>Welcome</title>'),
} satisfies Record<string, Treatment>;

export interface Treatments {
  getCard: Treatment;
  listCustomers: Treatment;
  getCustomer: Treatment;
  getFeeRules: Treatment;
}

const routes: [RegExp, keyof Treatments][] = [
  [/\/cards\//, 'getCard'],
  [/\/customers\/./, 'getCustomer'],
  [/\/customers/, 'listCustomers'],
  [/\/fee_rule/, 'getFeeRules'],
];

/** Starts a provider that treats each operation in its own way. */
export function startHostile(treatment: Treatments): Promise<HostileProvider> {
  return recordExchanges(
    createServer(({ url = '' }, response) => {
      const operation = routes.find(([route]) => route.test(url))?.[1] ?? 'getCard';
      treatment[operation](response);
    }),
  );
}

/** One treatment for lookups by path, and another one for the others. */
export const byTurns = (first: Treatment, second: Treatment): Treatments => ({
  getCard: first,
  listCustomers: second,
  getCustomer: first,
  getFeeRules: second,
});

/** The same treatment for all. */
export const everywhere = (treatment: Treatment): Treatments => byTurns(treatment, treatment);

/** Starts a provider that answers each request, or each piece of one, with bytes of its own. */
export const startRaw = (answer: (socket: Socket, request: string) => void): Promise<HostileProvider> =>
  recordExchanges(createTcpServer((socket) => socket.on('data', (bytes) => answer(socket, String(bytes)))));

/** An address of this machine at which nobody listens. */
export async function closedPort(): Promise<string> {
  const { url, close } = await recordExchanges(createTcpServer());
  await close();
  return url;
}

async function recordExchanges(server: Server): Promise<HostileProvider> {
  const open = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      for (const socket of open) socket.destroy();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}
