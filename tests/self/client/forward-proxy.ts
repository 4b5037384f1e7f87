import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Starts an HTTP proxy that demands this user and password (RFC 9110 section 9.3.6). `hosts` lists the requested hosts. */
export async function startForwardProxy(user: string, password: string) {
  const hosts: string[] = [];
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const isAuthorized = ({ url = '', headers }: IncomingMessage) => {
    if (headers['proxy-authorization'] !== expected) return false;
    hosts.push(url.startsWith('http') ? new URL(url).host : url);
    return true;
  };
  const server = createServer((incoming, outgoing) => {
    if (!isAuthorized(incoming)) return void outgoing.writeHead(407).end();
    const { url = '', method = '', headers } = incoming;
    request(url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    }).end();
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    if (isAuthorized(incoming)) tunnel(incoming.url ?? '', client);
    else client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return { url: `http://${credentials}@127.0.0.1:${port}`, hosts, close: () => server.close() };
}

/** Connects a client to an address `host:port`, and forwards all bytes in both directions (RFC 9110 section 9.3.6). */
function tunnel(address: string, client: Socket): void {
  const [host = '', port] = address.split(':');
  const upstream = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
}
