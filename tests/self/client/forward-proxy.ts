import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Starts an HTTP proxy that requires Basic authentication and records requested hosts in `hosts`. */
export async function startForwardProxy(
  user: string,
  password: string,
): Promise<{ url: string; hosts: string[]; close(): void }> {
  const hosts: string[] = [];
  const expectedHeader = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const isAuthorized = ({ headers }: IncomingMessage) => headers['proxy-authorization'] === expectedHeader;
  const server = createServer((incoming, outgoing) => {
    if (!isAuthorized(incoming)) return void outgoing.writeHead(407).end();
    hosts.push(new URL(incoming.url ?? '').host);
    forward(incoming, outgoing);
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    if (!isAuthorized(incoming)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    // The target of CONNECT is `host:port`, not a URL (RFC 9110, section 9.3.6).
    const address = incoming.url ?? '';
    hosts.push(address);
    tunnel(address, client);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return { url: `http://${credentials}@127.0.0.1:${port}`, hosts, close: () => server.close() };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { url = '', method = '', headers } = incoming;
  const upstreamRequest = request(url, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  upstreamRequest.end();
}

function tunnel(address: string, client: Socket): void {
  const [host = '', port] = address.split(':');
  const upstream = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  // Closes both connections as soon as one of them ends.
  client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
}
